import * as t from 'io-ts'
import { lastValueFrom } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type Format,
  formatOf,
  fromList,
  fromSnapshot,
  jsonLines,
  mapRows,
  runExport,
  type Source,
  targetOf,
} from '../../../src/export/index.js'
import { E, pipe } from '../../../src/fp.js'
import {
  type AnyFailure,
  Charge,
  createClient,
  type Page,
  type Position,
} from '../../../src/index.js'
import { createSandbox, sandboxCredentials, virtualTime } from '../../../src/sandbox/index.js'
import { memory } from './memory.js'
import { away, good, listOf, OUT, type Row, rest, runner } from './playing.js'

const Line = t.type({ id: t.string, cents: t.number })

const csv = (): Format<t.TypeOf<typeof Line>> => {
  const format = formatOf(Line)({ format: 'csv' })
  if (E.isLeft(format)) throw new Error(format.left.message)
  return format.right
}

const purpose = { resource: 'items', account: 'me', query: {} }

const run = <B, P extends Page<AnyFailure, B, Position>>(
  files: ReturnType<typeof memory>,
  source: Source<B, Position, P>,
  format: Format<B>,
  begin: 'new' | 'resume' = 'new',
) =>
  lastValueFrom(
    runExport({
      source,
      target: targetOf({ out: OUT, format, files }),
      purpose,
      files,
      begin,
      every: 0,
      runner: runner(1),
    }),
  )

describe('rows of an export that are mapped', () => {
  const lines = mapRows(({ id, n }: { id: string; n: number }) => ({ id, cents: n * 100 }))

  it('are written in the place of those that came', async () => {
    const files = memory()
    const last = await run(files, lines(listOf([good(0, 1), good(2)])), csv())
    expect(files.text(OUT)).toBe('id,cents\r\nid-0,0\r\nid-1,100\r\nid-2,200\r\n')
    expect(last).toMatchObject({ ended: true, rows: 3, entry: { complete: true, distinct: 3 } })
  })

  it('are gone on with', async () => {
    const files = memory()
    const asked: Array<number> = []
    await run(files, lines(listOf([good(0, 1), good(2), away])), csv())
    await run(files, lines(listOf(rest, asked)), csv(), 'resume')
    expect(asked).toEqual([2])
    expect(files.text(OUT)).toBe('id,cents\r\nid-0,0\r\nid-1,100\r\nid-2,200\r\nid-3,300\r\n')
  })

  it('are told apart by what they have, after a resumption, too', async () => {
    const files = memory()
    await run(files, lines(listOf([good(0, 1), away])), csv())
    const last = await run(files, lines(listOf([[], good(1, 2)])), csv(), 'resume')
    expect(last).toMatchObject({ rows: 3, repeated: 1 })
  })

  it('are rejected as they came', async () => {
    const files = memory()
    const broken: Row = E.left({ ...away, message: 'does not decode' })
    const huge = mapRows(({ id, n }: { id: string; n: number }) => ({ id, cents: n * 1e15 }))
    await run(files, huge(listOf([[...good(0, 7), broken]])), csv())
    const rejects = files.text(`${OUT}.rejects.ndjson`).trim().split('\n')
    expect(rejects.map((line) => JSON.parse(line))).toMatchObject([
      { row: { id: 'id-7', n: 7 }, reason: expect.stringContaining('cents') },
      { row: { broken: true }, reason: 'does not decode' },
    ])
  })

  it('end the run with all that was committed, where one cannot be mapped', async () => {
    const files = memory()
    const broken = mapRows(({ id, n }: { id: string; n: number }) => {
      if (n === 2) throw new Error('no cents of 2')
      return { id, cents: n * 100 }
    })
    const going = run(files, broken(listOf(rest)), csv())
    await expect(going).rejects.toThrow('no cents of 2')
    expect(files.text(OUT)).toBe('id,cents\r\nid-0,0\r\nid-1,100\r\n')
    const last = await run(files, lines(listOf(rest)), csv(), 'resume')
    expect(last).toMatchObject({ ended: true, rows: 4 })
  })

  it('that are no rows are put aside', async () => {
    const files = memory()
    const none = mapRows(({ n }: { n: number }) => (n === 1 ? undefined : { n }))
    const last = await run(files, none(listOf([good(0, 1, 2)])), jsonLines())
    expect(last).toMatchObject({ rows: 2, rejects: 1, entry: { rejects: 1 } })
    expect(files.text(OUT)).toBe('{"n":0}\n{"n":2}\n')
    expect(JSON.parse(files.text(`${OUT}.rejects.ndjson`))).toMatchObject({
      row: { id: 'id-1' },
      reason: 'the row should be JSON of at most 500 levels, and no bigint',
    })
  })

  it.each(['ndjson', 'json'] as const)('are written as they are now: %s', async (format) => {
    const { timer, run: runTime } = virtualTime()
    const sandbox = createSandbox({ charges: 3, timer })
    const client = createClient({
      baseUrl: 'https://sandbox',
      credentials: sandboxCredentials,
      fetch: sandbox.fetch,
      timer,
      numbers: 'exact',
    })
    const made = formatOf(Charge)({ format, numbers: 'exact' })
    if (E.isLeft(made)) throw new Error(made.left.message)
    const went = async <P extends Page<AnyFailure, Charge, Position>>(
      source: Source<Charge, Position, P>,
    ) => {
      const files = memory()
      await runTime(run(files, source, made.right))
      return files.text(OUT)
    }
    const list = () => fromList(client.charges.list())
    const inPlace = mapRows((charge: Charge) => Object.assign(charge, { id: `my_${charge.id}` }))
    const asCame = await went(list())
    expect(asCame).toContain('"id":"chg_')
    expect(await went(inPlace(list()))).toBe(asCame.replaceAll('"id":"', '"id":"my_'))
    expect(await went(mapRows((charge: Charge) => charge)(list()))).toBe(asCame)
  })

  it('are of the slices of a snapshot, and in JSON as they are now', async () => {
    const { timer, run: runTime } = virtualTime()
    const sandbox = createSandbox({ charges: 500, timer, limits: false })
    const client = createClient({
      baseUrl: 'https://sandbox',
      credentials: sandboxCredentials,
      fetch: sandbox.fetch,
      timer,
    })
    const source = pipe(
      fromSnapshot(client.charges.snapshot({ page_size: 50 }).parallel(4)),
      mapRows((charge) => {
        expectTypeOf(charge.status).toBeString()
        return { ...charge, day: charge.created_at.slice(0, 10) }
      }),
    )
    const files = memory()
    const target = targetOf({ out: '/exports/days/', format: jsonLines(), files })
    const { entry } = await runTime(
      lastValueFrom(runExport({ source, target, purpose, files, runner: runner(1), timer })),
    )
    const written = (entry?.files ?? []).flatMap(({ path }) =>
      files.text(`/exports/days/${path}`).trim().split('\n'),
    )
    const days = written.map((line) => JSON.parse(line))
    expect(entry?.complete).toBe(true)
    expect(entry?.files.length).toBeGreaterThan(1)
    expect(entry?.slices.reduce((sum, { rows }) => sum + rows, 0)).toBe(500)
    expect(days).toHaveLength(500)
    expect(days.every(({ created_at, day }) => created_at.startsWith(day))).toBe(true)
  })
})
