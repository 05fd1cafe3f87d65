import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Charge } from '../../../src/codec/Charge.js'
import { columnsOf } from '../../../src/export/column/Column.js'
import { shapeOf } from '../../../src/export/column/Shape.js'
import { textBase } from '../../../src/export/folder/BaseFormat.js'
import { folderDestination } from '../../../src/export/folder/mergedFolder.js'
import { parquetBase } from '../../../src/export/folder/parquetBase.js'
import { formatOf } from '../../../src/export/index.js'
import type { Destination, Prepared } from '../../../src/export/transfer/Destination.js'
import { E } from '../../../src/fp.js'
import { memoryStore } from '../../store/memoryStore.js'
import { memoryFiles } from './memoryFiles.js'
import { rowsIn } from './rowsIn.js'

type Row = Charge

const NAME = 'checkpoint'

const formats = { 'ndjson.zst': textBase, parquet: parquetBase(columnsOf(shapeOf(Charge)), 'fast') }

const world = (format: keyof typeof formats, replaces = false) => {
  const files = memoryFiles()
  const store = memoryStore()
  let names = 0
  const options = {
    files,
    store,
    list: 'charges',
    incoming: formatOf(Charge)({ format: 'ndjson', compress: 'zstd' }),
    check: () => undefined,
    commitEvery: 0,
    doubtful: 4e15,
    replaces,
    randomName: () => String(++names).padStart(12, '0'),
  }
  const open = (): Destination<Row> =>
    format === 'parquet'
      ? folderDestination({ ...options, base: formats.parquet })
      : folderDestination({ ...options, base: formats['ndjson.zst'] })
  return { files, open }
}

const SLICE = { number: 0, isLast: false }

/** Takes steps as a run does: each changes the state from the version before. */
const runOf = (destination: Destination<Row>) => {
  let version: string | undefined
  let fence = 0
  const { store } = destination
  const keep = async (step: Prepared | undefined): Promise<void> => {
    const next = await store?.replace(NAME, JSON.stringify({ fence, own: step?.own }), version)
    if (next === undefined) {
      await destination.close('fenced')
      throw new Error('fenced')
    }
    version = next
    await step?.settle?.()
  }
  return {
    begin: async () => {
      const found = await store?.read(NAME)
      const before = found === undefined ? { fence: 0 } : JSON.parse(found.text)
      version = found?.version
      fence = before.fence + 1
      await keep({ own: before.own })
      await destination.resume(before.own, {
        fence,
        tookOver: fence > 1,
        restart: false,
        replaces: false,
      })
    },
    write: async (rows: ReadonlyArray<Row>) => {
      await destination.write(rows, SLICE)
      await keep(await destination.commit('pace'))
    },
    finish: async () => keep(await destination.finish()),
  }
}

/** The instant of a second of 2026, in the shape of the interface's examples. */
const instant = (second: number): string =>
  `${new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().slice(0, 19)}+0000`

const row = (id: number, update = 0, status = 'SETTLED') => {
  const charge = {
    ...{ id: `chg_${String(id).padStart(4, '0')}`, amount: id + update / 100, currency: 'EUR' },
    ...{ reason: 'travel', reference: '', request_id: `r${id}`, source: 'acct_1', fee: 0.29 },
    ...{ short_reference_id: `CH${id}`, status },
    ...{ created_at: instant(Math.floor(id / 2)), updated_at: instant(10_000 + update) },
  }
  const read = Charge.decode(charge)
  if (E.isLeft(read)) throw new Error(`no charge: ${JSON.stringify(charge)}`)
  return read.right
}

const facts = ({ id, amount, status }: Row) => ({ id, amount, status })

const rows = (from: number, to: number, update = 0) =>
  Array.from({ length: to - from }, (_, i) => row(from + i, update))

describe.each(['ndjson.zst', 'parquet'] as const)('a folder of %s', (format) => {
  it('has each row once after a run, in files without an overlap, and no others', async () => {
    const { files, open } = world(format)
    const run = runOf(open())
    await run.begin()
    for (let at = 0; at < 20; at++) await run.write(rows(at * 100, at * 100 + 150)) // half of them twice
    await run.finish()
    const others = [...files.all.keys()].filter((key) => !/^charges-\d{12}\./.test(key))
    expect(others).toEqual([])
    const found = await rowsIn(files.all)
    expect(found.map(({ id }) => id)).toEqual(rows(0, 2_050).map(({ id }) => id))
  })

  it('reads large files whole when it merges them', async () => {
    const { files, open } = world(format)
    for (const some of [rows(0, 9_000), [row(5, 1)]]) {
      const run = runOf(open())
      await run.begin()
      await run.write(some)
      await run.finish()
    }
    const found = await rowsIn(files.all)
    expect(found.length).toBe(9_000)
    expect(found[5]).toEqual(facts(row(5, 1)))
  })

  it('leaves files alone whose times no new row has', async () => {
    const { files, open } = world(format)
    const first = runOf(open())
    await first.begin()
    await first.write(rows(0, 10))
    await first.finish()
    const [old = ''] = files.all.keys()
    const next = runOf(open())
    await next.begin()
    await next.write(rows(10, 20))
    await next.finish()
    expect([...files.all.keys()]).toContain(old)
    expect(files.all.size).toBe(2)
  })

  it('goes on with the rows of a run that was killed, and removes what no checkpoint lists', async () => {
    const { files, open } = world(format)
    const killed = runOf(open())
    await killed.begin()
    await killed.write(rows(0, 10))
    await files.put('_incoming/00000000ffff.ndjson.zst', new Uint8Array([1]))
    await files.put(`charges-00000000ffff.${format}`, new Uint8Array([1]))
    await files.put('charges-notes.txt', new Uint8Array([1]))
    const next = runOf(open())
    await next.begin()
    await next.write(rows(10, 12))
    await next.finish()
    expect((await rowsIn(files.all)).length).toBe(12)
    expect([...files.all.keys()].filter((key) => key.includes('ffff'))).toEqual([])
    expect(files.all.has('charges-notes.txt')).toBe(true)
  })

  it('shuts out an earlier owner, whose steps then change nothing', async () => {
    const { files, open } = world(format)
    const frozen = runOf(open())
    await frozen.begin()
    await frozen.write(rows(0, 10))
    const later = runOf(open())
    await later.begin()
    await expect(frozen.write(rows(10, 20))).rejects.toThrow('fenced')
    await expect(frozen.finish()).rejects.toThrow('fenced')
    await later.write(rows(20, 30))
    await later.finish()
    expect((await rowsIn(files.all)).map(({ id }) => id)).toEqual(
      [...rows(0, 10), ...rows(20, 30)].map(({ id }) => id),
    )
  })

  it('takes a list that is read whole in place of the one before', async () => {
    const { files, open } = world(format, true)
    for (const all of [rows(0, 10), rows(5, 8)]) {
      const run = runOf(open())
      await run.begin()
      await run.write(all)
      await run.finish()
      expect(await rowsIn(files.all)).toEqual(all.map(facts))
    }
  })

  it.each([
    ['in one step', ([a, b]) => [[[a, b]]]],
    ['in two steps of a run', ([a, b]) => [[[a], [b]]]],
    ['in two runs', ([a, b]) => [[[a]], [[b]]]],
  ] satisfies ReadonlyArray<[string, (versions: [Row, Row]) => Row[][][]]>)(
    'takes the next version of a row whose time of update is far ahead, %s',
    async (_, runs) => {
      const { files, open } = world(format)
      const ahead = row(1, 8e9) // the year 2279
      for (const steps of runs([ahead, row(1, 5)])) {
        const run = runOf(open())
        await run.begin()
        for (const step of steps) await run.write([row(0), ...step])
        await run.finish()
      }
      expect(await rowsIn(files.all)).toEqual([row(0), row(1, 5)].map(facts))
    },
  )

  it('finds rows that are not final', async () => {
    const { open } = world(format)
    const target = open()
    const run = runOf(target)
    await run.begin()
    await run.write([row(1, 0, 'PENDING'), row(2), row(3, 0, 'NEW'), row(4, 0, 'PENDING')])
    await run.finish()
    expect(await target.open?.(['SETTLED', 'FAILED'])).toEqual([
      {
        id: 'chg_0001',
        status: 'PENDING',
        created: expect.any(Number),
        updated: expect.any(Number),
      },
      { id: 'chg_0003', status: 'NEW', created: expect.any(Number), updated: expect.any(Number) },
      {
        id: 'chg_0004',
        status: 'PENDING',
        created: expect.any(Number),
        updated: expect.any(Number),
      },
    ])
  })

  it('is what upserts by id would make, however runs are cut', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            steps: fc.array(
              fc.array(fc.record({ id: fc.nat(40), update: fc.nat(5) }), { maxLength: 12 }),
              { maxLength: 12 },
            ),
            finishes: fc.boolean(),
          }),
          { maxLength: 4 },
        ),
        async (runs) => {
          const { files, open } = world(format)
          const expected = new Map<string, Row>()
          for (const { steps, finishes } of [...runs, { steps: [], finishes: true }]) {
            const run = runOf(open())
            await run.begin()
            for (const step of steps) {
              const written = step.map(({ id, update }) => row(id, update))
              await run.write(written)
              for (const one of written) {
                const before = expected.get(one.id)
                if (before === undefined || one.updated_at >= before.updated_at)
                  expected.set(one.id, one)
              }
            }
            if (finishes) await run.finish()
          }
          const found = await rowsIn(files.all)
          const sorted = [...expected.values()].map(facts).sort((a, b) => (a.id < b.id ? -1 : 1))
          expect(found).toEqual(sorted)
        },
      ),
      { numRuns: 60 },
    ))
})
