/** A list kept up to date in a table of SQLite. */
import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { firstValueFrom, take, takeWhile } from 'rxjs'
import { expect, it } from 'vitest'
import { InvalidOption, type SyncEvent, sync } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { account, DAY, folder } from './nights.js'

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
  const progress = await last(sync(payments.charges, { to, timer, maxRereads: 0 }))
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
  ])
  const wrong = `select count(*) as n from charges where amount_minor is not
    cast(round(amount * case currency when 'JPY' then 1 else 100 end) as integer)`
  expect(query(to, wrong)).toEqual([{ n: 0 }])
})

it('reads in later nights what is new, and what may have changed', async () => {
  const { payments, timer, last, pass, charge, asked } = account()
  const to = file('nights.sqlite')
  const options = { to, timer, maxRereads: 0 }
  const settling = await charge('acct_1')
  await last(sync(payments.charges, options))
  const status = () => query(to, `select status from charges where id = '${settling}'`)
  expect(status()).toEqual([{ status: 'NEW' }])

  await pass(2 * DAY)
  await charge('acct_2', '0.01')
  asked.length = 0
  const second = await last(sync(payments.charges, options))
  expect(second.rows).toBe(2)
  expect(asked.map(({ searchParams }) => searchParams.get('from_created_at'))).toEqual([
    '2025-12-25T00:00:00+0000',
  ])
  expect(status()).toEqual([{ status: 'SETTLED' }])
  expect(query(to, 'select count(*) as n from charges')).toEqual([{ n: 502 }])
})

it('begins at since, and reads from an earlier one when that is given', async () => {
  const { payments, timer, last } = account()
  const to = file('since.sqlite')
  const options = { to, timer, maxRereads: 0 }
  const first = await last(sync(payments.charges, { ...options, since: '2024-01-01T00:12:30Z' }))
  expect(first.rows).toBeLessThan(400)
  const same = await last(sync(payments.charges, { ...options, since: '2024-01-01T00:12:30Z' }))
  expect(same.rows).toBe(0)
  const earlier = await last(sync(payments.charges, { ...options, since: '2023-12-31' }))
  expect(earlier.rows).toBe(500)
  expect(query(to, 'select count(*) as n from charges')).toEqual([{ n: 500 }])
  expect((await last(sync(payments.charges, options))).rows).toBe(0)
})

it('reads charges that are not final again by id, in turn, however old they are', async () => {
  const { payments, timer, last, pass, charge } = account({ charges: 0, settleAfter: 20 * DAY })
  const to = file('unsettled.sqlite')
  const options = { to, timer, maxRereads: 3 }
  for (let n = 0; n < 5; n++) await charge(`acct_${n}`)
  expect((await last(sync(payments.charges, options))).rereads).toEqual({
    done: 0,
    total: 0,
    gone: 0,
  })
  const unsettled = () => query(to, `select count(*) as n from charges where status = 'NEW'`)
  await pass(19 * DAY)
  const early = await last(sync(payments.charges, options))
  expect(early.rereads).toEqual({ done: 3, total: 5, gone: 0 })
  await pass(2 * DAY)
  const first = await last(sync(payments.charges, options))
  expect(first).toMatchObject({ rows: 3, rereads: { done: 3, total: 5, gone: 0 } })
  expect(unsettled()).toEqual([{ n: 2 }])
  const second = await last(sync(payments.charges, options))
  expect(second).toMatchObject({ rows: 2, rereads: { done: 2, total: 2, gone: 0 } })
  expect(unsettled()).toEqual([{ n: 0 }])
})

it('goes on where a sync was left, and then catches up', async () => {
  const { payments, timer, run, last, all, charge } = account({ charges: 10_000 })
  const to = file('left.sqlite')
  const options = { to, timer, maxRereads: 0, parallel: 1 }
  const pages = sync(payments.charges, options).pipe(
    takeWhile((event) => E.isLeft(event) || event.right.pages < 2, true),
  )
  await run(firstValueFrom(pages.pipe(take(100)), { defaultValue: undefined }))
  await all(pages)
  const before = query(to, 'select count(*) as n from charges')[0]?.n
  expect(before).toBeGreaterThan(2_000)
  expect(before).toBeLessThan(10_000)
  await charge('acct_1')
  const events = await all(sync(payments.charges, options))
  expect(events[0]).toMatchObject({ right: { begun: { resumed: true } } })
  expect(query(to, 'select count(*) as n from charges')).toEqual([{ n: 10_001 }])
  const { rows } = await last(sync(payments.charges, { ...options, lookback: 0 }))
  expect(rows).toBeLessThan(2)
})

it('ends with Fenced when a later one has taken over, and changes nothing', async () => {
  const { payments, timer, all } = account({ charges: 10_000 })
  const to = file('fenced.sqlite')
  const options = { to, timer, maxRereads: 0, parallel: 1 }
  let later: Promise<ReadonlyArray<SyncEvent>> | undefined
  const events: Array<SyncEvent> = []
  await new Promise<void>((resolve) => {
    sync(payments.charges, options).subscribe({
      next: (event) => {
        events.push(event)
        later ??= all(sync(payments.charges, options))
      },
      complete: resolve,
    })
  })
  expect(events.at(-1)).toMatchObject({ left: { _tag: 'Fenced', path: to } })
  expect((await later)?.at(-1)).toMatchObject({ right: { ended: true } })
  expect(query(to, 'select count(*) as n from charges')).toEqual([{ n: 10_000 }])
})

it('replaces a list that has no times as a whole, in one step', async () => {
  const { payments, timer, last, run } = account({ charges: 0 })
  const to = file('webhooks.db')
  const hook = async (url: string) => {
    const made = await run(
      firstValueFrom(
        payments.webhooks.create({ url, events: ['charge.new'], version: '2026-08-21' }),
      ),
    )
    if (E.isLeft(made)) throw made.left
    return made.right.id
  }
  const one = await hook('https://one.example')
  await hook('https://two.example')
  const options = { to, timer, table: 'hooks' }
  await last(sync(payments.webhooks.list(), options))
  const urls = () => query(to, 'select url from hooks order by url').map(({ url }) => url)
  expect(urls()).toEqual(['https://one.example', 'https://two.example'])
  await run(firstValueFrom(payments.webhooks.delete({ id: one })))
  await last(sync(payments.webhooks.list(), options))
  expect(urls()).toEqual(['https://two.example'])
  expect(Object.keys(query(to, 'select * from hooks')[0] ?? {})).not.toContain('secret')
})

it('adds the columns that a table lacks, and changes no other', async () => {
  const { payments, timer, last } = account()
  const to = file('columns.sqlite')
  const db = new DatabaseSync(to)
  db.exec(`create table charges (id text primary key not null, mine text, status text)`)
  db.exec(`insert into charges values ('chg_mine', 'stays', 'SETTLED')`)
  db.close()
  await last(sync(payments.charges, { to, timer, maxRereads: 0 }))
  expect(query(to, `select count(*) as n, max(mine) as mine from charges`)).toEqual([
    { n: 501, mine: 'stays' },
  ])
})

it.each([
  ['a column of another type', 'create table charges (id text primary key, amount real)', 'amount'],
  ['another key', 'create table charges (id text, amount text)', 'primary key'],
])('refuses a table with %s', async (_, sql, word) => {
  const { payments, timer, failure, asked } = account()
  const to = file(`${word.replace(' ', '-')}.sqlite`)
  const db = new DatabaseSync(to)
  db.exec(sql)
  db.close()
  const wrong = await failure(sync(payments.charges, { to, timer }))
  expect(wrong._tag).toBe('UnusableDestination')
  expect(wrong.message).toContain(word)
  expect(asked).toEqual([])
})

it('refuses the table of another account', async () => {
  const { payments, timer, last, failure } = account()
  const to = file('other.sqlite')
  await last(sync(payments.charges, { to, timer, maxRereads: 0 }))
  const wrong = await failure(sync(payments.charges, { to, timer, account: 'another' }))
  expect(wrong).toMatchObject({ _tag: 'SpecMismatch', field: 'account' })
})

it('ends at its deadline, and goes on in the next run', async () => {
  const { payments, timer, last, failure } = account({ charges: 10_000, latency: 1_000 })
  const to = file('deadline.sqlite')
  const options = { to, timer, maxRereads: 0, parallel: 1 }
  const wrong = await failure(sync(payments.charges, { ...options, deadline: 2_500 }))
  expect(wrong).toMatchObject({ _tag: 'DeadlinePassed', deadline: 2_500 })
  await last(sync(payments.charges, options))
  expect(query(to, 'select count(*) as n from charges')).toEqual([{ n: 10_000 }])
})

it.each([
  ['charges.txt', 'NAME.sqlite'],
  ['mysql://host/db', 'postgres://HOST/DATABASE'],
])('refuses %s, and lists what a destination can be', (to, part) => {
  const { payments } = account()
  expect(() => sync(payments.charges, { to })).toThrow(InvalidOption)
  expect(() => sync(payments.charges, { to })).toThrow(part)
})

const noDatabase = (): string => {
  writeFileSync(
    file('text.db'),
    'no database, but a text that is longer than the header of one would be: '.repeat(9),
  )
  return file('text.db')
}

it.each([
  ['a folder that is not there', () => file('nowhere/charges.sqlite'), 'EACCES'],
  ['a file that is no database', noDatabase, 'EBADF'],
])('says of %s what is wrong', async (_, path, code) => {
  const { payments, timer, failure } = account()
  const wrong = await failure(sync(payments.charges, { to: path(), timer }))
  expect(wrong).toMatchObject({ _tag: 'UnusableDestination', code })
})
