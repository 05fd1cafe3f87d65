import { join } from 'node:path'
import { firstValueFrom, lastValueFrom, Subject, toArray } from 'rxjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { BatchItem } from '../../../src/codec/BatchItem.js'
import { fieldsOf } from '../../../src/decode/unknown.js'
import {
  itemsOfAllBatches,
  readRows,
  type SyncEvent,
  type SyncOptions,
  sync,
  verify,
} from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { inTurn } from '../../support/inTurn.js'
import { tempFolder } from '../../support/tempFolder.js'
import { batchesOf } from './batches.js'
import { databases, present } from './databases.js'

const home = tempFolder()
let made = 0

beforeAll(async () => {
  await import('../../../src/export/sql/sqlite.js') // loading is no work of virtual time
})

/** A kind of destination: how one is made, and its items as `BATCH/ITEM status`, those that are gone as `(BATCH/ITEM)`. */
interface Kind {
  readonly name: string
  readonly isThere: boolean
  readonly make: () => Promise<string>
  readonly options: Partial<SyncOptions>
  readonly items: (to: string) => Promise<ReadonlyArray<string>>
}

const shown = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): ReadonlyArray<string> =>
  rows
    .map(({ id, batch_id, status, _gone_at }) => {
      const name = String(id).replace(`${batch_id}-`, `${batch_id}/`)
      if (_gone_at === null || _gone_at === undefined) return `${name} ${status}`
      return new Date(String(_gone_at)).getFullYear() > 2_000
        ? `(${name})`
        : `(${name}) ${_gone_at}`
    })
    .sort()

const folderOf = (format: 'ndjson' | 'parquet'): Kind => ({
  name: `a folder of ${format}`,
  isThere: true,
  make: async () => `${join(home, String(++made))}/`,
  options: { format },
  items: async (to) => {
    const rows = await lastValueFrom(readRows(to, { codec: BatchItem }).pipe(toArray()))
    const checks = await lastValueFrom(verify(to).pipe(toArray()))
    for (const check of checks) expect(check).toMatchObject({ right: { differences: [] } })
    return shown(rows.flatMap((row) => (E.isRight(row) ? [fieldsOf(row.right)] : [])))
  },
})

const kinds: ReadonlyArray<Kind> = [
  ...databases().map(({ name, isThere, make, sql }) => ({
    ...{ name: `a table of ${name}`, isThere, make, options: {} },
    items: async (to: string) => shown(await sql(to, 'select * from batch_items')),
  })),
  folderOf('ndjson'),
  folderOf('parquet'),
]

describe.each(kinds)('$name', (kind) => {
  const { isThere, make, options, items } = kind
  const test = inTurn(present(kinds), kind, it.skipIf(!isThere))
  const world = async () => {
    const account = batchesOf()
    const to = await make()
    const night = async (): Promise<SyncEvent> => {
      account.asked.length = 0
      const syncing = sync(itemsOfAllBatches(account.payments), {
        ...{ to, timer: account.timer, ...options },
      })
      const event = await account.run(lastValueFrom(syncing))
      // a step of a run that was left may still be on its way
      return E.isLeft(event) && event.left._tag === 'Locked' ? night() : event
    }
    return { ...account, to, night, there: () => items(to) }
  }

  test('has the items of every batch, and is proven by their counts', async () => {
    const { put, night, there } = await world()
    for (let i = 10; i < 70; i++) put(`b${i}`, 'BOOKED', 1, ['one', 'two', 'three', 'four'])
    expect(await night()).toMatchObject({
      right: {
        rows: 240,
        ended: true,
        proof: { rows: 240, parents: 60, gone: 0, differences: [] },
      },
    })
    expect(await there()).toHaveLength(240)
    expect((await there())[0]).toBe('b10/four BOOKED')
  })

  test('reads each night what can change, and the rest once', async () => {
    const { put, night, there, asked } = await world()
    put('old', 'BOOKED', 1, ['one'])
    put('draft', 'DRAFTING', 1, ['one', 'two'])
    put('empty', 'CANCELLED', 1, [])
    await night()
    expect(asked).toEqual(['/', '/old/items', '/draft/items'])
    put('draft', 'BOOKED', 2, ['one', 'two'])
    put('new', 'DRAFTING', 2, ['one'])
    await night()
    expect(asked).toEqual(['/', '/draft/items', '/new/items'])
    expect(await there()).toEqual([
      ...['draft/one BOOKED', 'draft/two BOOKED', 'new/one VALIDATED', 'old/one BOOKED'],
    ])
    expect(await night()).toMatchObject({ right: { rows: 1, proof: { rows: 4, parents: 4 } } })
    expect(asked).toEqual(['/', '/new/items'])
  })

  test('reads the items of a final batch again when that has changed', async () => {
    const { put, night, asked } = await world()
    put('one', 'FAILED', 1, ['one'])
    await night()
    put('one', 'BOOKED', 3, ['one'])
    await night()
    expect(asked).toEqual(['/', '/one/items'])
    await night()
    expect(asked).toEqual(['/'])
  })

  test('marks items that were deleted, and takes the mark away from one that is back', async () => {
    const { put, night, there, batches } = await world()
    put('draft', 'DRAFTING', 1, ['one', 'two', 'three', 'four'])
    put('left', 'DRAFTING', 1, ['one'])
    await night()
    put('draft', 'DRAFTING', 2, ['one', 'four'])
    batches.delete('left')
    expect(await night()).toMatchObject({ right: { proof: { rows: 2, parents: 1, gone: 3 } } })
    expect(await there()).toEqual([
      ...[
        '(draft/three)',
        '(draft/two)',
        '(left/one)',
        'draft/four VALIDATED',
        'draft/one VALIDATED',
      ],
    ])
    put('draft', 'DRAFTING', 3, ['one', 'two', 'four'])
    expect(await night()).toMatchObject({ right: { proof: { rows: 3, gone: 0 } } })
    expect((await there()).filter((item) => item.startsWith('('))).toEqual([
      '(draft/three)',
      '(left/one)',
    ])
  })

  test('keeps the items of a batch that its list leaves out, and that the service still has', async () => {
    const { put, night, there, hidden, asked } = await world()
    put('late', 'BOOKED', 1, ['one'])
    await night()
    hidden.add('late')
    expect(await night()).toMatchObject({ right: { proof: { gone: 0, differences: [] } } })
    expect(asked).toContain('/late')
    expect(await there()).toEqual(['late/one BOOKED'])
  })

  test('tells a batch that has other items than it says, and marks none of them', async () => {
    const { put, night, there } = await world()
    put('one', 'DRAFTING', 1, ['one', 'two'])
    await night()
    put('one', 'DRAFTING', 1, ['one'], 2)
    expect(await night()).toMatchObject({
      right: { ended: true, proof: { differences: [{ parent: 'one', here: 1, there: 2 }] } },
    })
    expect(await there()).toEqual(['one/one VALIDATED', 'one/two VALIDATED'])
  })

  test('is exact after runs that ended anywhere', async () => {
    const { put, night, there, batches, payments, run, timer, to } = await world()
    for (let i = 10; i < 30; i++) put(`b${i}`, 'DRAFTING', 1, ['one', 'two', 'three', 'four'])
    await night()
    for (let i = 10; i < 20; i++) put(`b${i}`, 'BOOKED', 2, ['one', 'three', 'four', 'five'])
    batches.delete('b25')
    for (let pages = 1; pages < 14; pages += 3) {
      const left = new Subject<void>()
      const source = itemsOfAllBatches(payments)
      let events = 0
      const syncing = sync(source, { to, timer, ...options, stop: left })
      await run(
        new Promise<void>((resolve, reject) => {
          const running = syncing.subscribe({
            next: () => {
              // every other one is left without a word
              if (++events !== pages) return
              if (pages % 2 === 0) left.next()
              else {
                running.unsubscribe()
                resolve()
              }
            },
            error: reject,
            complete: resolve,
          })
        }),
      )
    }
    const end = await night()
    expect(end).toMatchObject({ right: { ended: true, proof: { rows: 76, differences: [] } } })
    const all = await there()
    expect(all.filter((item) => !item.startsWith('('))).toHaveLength(76)
    expect(all.filter((item) => item.startsWith('('))).toHaveLength(14)
  })

  test('is refused the items of one batch', async () => {
    const { put, night, payments, run, to, timer } = await world()
    put('one', 'BOOKED', 1, ['one'])
    await night()
    const isTable = options.format === undefined
    const other = sync(payments.batchTransfers.items({ id: 'one' }), {
      ...{ to, timer, ...options, ...(isTable ? { table: 'batch_items' } : {}) },
    })
    expect(await run(lastValueFrom(other))).toMatchObject({ left: { _tag: 'SpecMismatch' } })
  })
})

it('asks for nothing before it is subscribed to, and sends one request for one batch', async () => {
  const { payments, run, put, asked } = batchesOf()
  put('one', 'BOOKED', 1, ['one'])
  const source = itemsOfAllBatches(payments)
  expect(asked).toEqual([])
  const page = await run(
    firstValueFrom(source.children({ id: 'one', isFinal: true, updatedAt: '2026-01-02', rows: 1 })),
  )
  expect(page).toMatchObject({
    right: {
      items: [{ right: { id: 'one-one', batch_id: 'one', batch_updated_at: '2026-01-02' } }],
    },
  })
})
