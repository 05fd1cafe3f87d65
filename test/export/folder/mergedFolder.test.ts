import { expect, it } from 'vitest'
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

type Row = Charge

const NAME = 'checkpoint'

const formats = { 'ndjson.zst': textBase, parquet: parquetBase(columnsOf(shapeOf(Charge))) }

const world = (format: keyof typeof formats) => {
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
    replaces: false,
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
    keep,
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

it.each(['ndjson.zst', 'parquet'] as const)('removes %s only once replaced', async (format) => {
  const { files, open } = world(format)
  const first = runOf(open())
  await first.begin()
  await first.write([row(1), row(2)])
  await first.finish()
  const before = [...files.all.keys()]
  const { put } = files
  const lossy = Object.assign(files, {
    put: async (...[name, bytes]: Parameters<typeof put>) => {
      if (!name.startsWith('charges-')) await put(name, bytes) // else it answers, and keeps nothing
    },
  })
  const second = runOf(open())
  await second.begin()
  await second.write([row(1, 1)])
  await expect(second.finish()).rejects.toMatchObject({ _tag: 'FileConflict' })
  expect([...lossy.all.keys()]).toEqual(expect.arrayContaining(before))
})

it.each(['ndjson.zst', 'parquet'] as const)('keeps rows beside a gone one: %s', async (format) => {
  const { open } = world(format)
  const first = runOf(open())
  await first.begin()
  await first.write([row(1), row(2)])
  await first.finish()
  const destination = open()
  const second = runOf(destination)
  await second.begin()
  await destination.write([row(3)], SLICE)
  const created = Date.UTC(2026, 0, 1) / 1_000
  await destination.counted?.markGone([{ id: row(1).id, created }], Date.UTC(2027, 0, 1))
  await second.keep(await destination.place?.())
  const place = { id: row(3).id, created: created + 1 }
  const versions = await destination.counted?.versions([place])
  expect([...(versions?.keys() ?? [])]).toEqual([row(3).id])
})
