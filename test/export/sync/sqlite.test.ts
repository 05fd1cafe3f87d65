/** Behaviour of tables in SQLite alone. */
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { type SyncEvent, sync } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { folder } from './databases.js'
import { account } from './nights.js'

const file = folder()

const query = (path: string, sql: string): ReadonlyArray<Record<string, unknown>> => {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    db.close()
  }
}

it('makes a typed table in the first night, with amounts as they came and in minor units', async () => {
  const { payments, timer, last } = account()
  const to = file('first.sqlite')
  const progress = await last(sync(payments.charges, { to, timer }))
  expect(progress).toMatchObject({ rows: 500, rejects: 0, ended: true })
  expect(progress.upTo).toMatch(/^2026-01-01T00:00:0\d\.\d{3}Z$/)
  const [row] = query(to, 'select * from charges order by created_at, id limit 1')
  expect(row).toMatchObject({
    id: expect.stringMatching(/^chg_/),
    amount: expect.stringMatching(/^\d+(\.\d+)?$/),
    created_at: '2024-01-01T00:00:00.000000Z',
  })
  expect(query(to, "select name, type from pragma_table_info('charges')")).toEqual([
    { name: 'id', type: 'TEXT' },
    { name: 'amount', type: 'TEXT' },
    { name: 'amount_minor', type: 'INTEGER' },
    { name: 'currency', type: 'TEXT' },
    { name: 'reason', type: 'TEXT' },
    { name: 'reference', type: 'TEXT' },
    { name: 'request_id', type: 'TEXT' },
    { name: 'source', type: 'TEXT' },
    { name: 'fee', type: 'TEXT' },
    { name: 'fee_minor', type: 'INTEGER' },
    { name: 'short_reference_id', type: 'TEXT' },
    { name: 'status', type: 'TEXT' },
    { name: 'created_at', type: 'TEXT' },
    { name: 'updated_at', type: 'TEXT' },
    { name: '_gone_at', type: 'TEXT' },
  ])
  const wrong = `select count(*) as n from charges where amount_minor is not
    cast(round(amount * case currency when 'JPY' then 1 else 100 end) as integer)`
  expect(query(to, wrong)).toEqual([{ n: 0 }])
})

it('is refused to a second run while the first renews its lease', async () => {
  const { payments, timer, all, run } = account({ charges: 10_000, latency: 10_000 })
  const to = file('twice.sqlite')
  const options = { to, timer, parallel: 1 }
  const first: Array<SyncEvent> = []
  let second: Promise<ReadonlyArray<SyncEvent>> | undefined
  const ended = new Promise<void>((resolve) => {
    sync(payments.charges, options).subscribe({
      next: (event) => {
        first.push(event)
        second ??= all(sync(payments.charges, options))
      },
      complete: resolve,
    })
  })
  await run(ended)
  const refused = await second
  expect(
    refused?.map((event) => (E.isLeft(event) ? event.left._tag : event.right.waiting)),
  ).toEqual([{ ms: 15_000 }, 'Locked'])
  expect(first.at(-1)).toMatchObject({ right: { ended: true } })
  expect(query(to, 'select count(*) as n from charges')).toEqual([{ n: 10_000 }])
})

const noDatabase = (): string => {
  writeFileSync(
    file('text.db'),
    'no database, but a text that is longer than the header of one would be: '.repeat(9),
  )
  return file('text.db')
}

it.each([
  ['a folder that is not there', () => file('nowhere/charges.sqlite'), 'SQLITE_CANTOPEN'],
  ['a file that is no database', noDatabase, 'SQLITE_NOTADB'],
])('says of %s what is wrong', async (_, path, code) => {
  const { payments, timer, failure } = account()
  const wrong = await failure(sync(payments.charges, { to: path(), timer }))
  expect(wrong).toMatchObject({ _tag: 'UnusableDestination', code })
})
