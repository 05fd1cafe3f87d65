/** A list kept up to date in a table, of whatever database. */
import { firstValueFrom, lastValueFrom, takeWhile } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { InvalidOption, proveCopy, type SyncEvent, sync } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { virtualTime } from '../../support/idleClock.js'
import { inTurn } from '../../support/inTurn.js'
import { databases, present } from './databases.js'
import { account, DAY } from './nights.js'

const all = databases()

describe.each(all)('a table of $name', (database) => {
  const { isThere, make, sql } = database
  const test = inTurn(present(all), database, it.skipIf(!isThere))
  const count = async (to: string, where = 'true'): Promise<number> =>
    Number((await sql(to, `select count(*) as n from charges where ${where}`))[0]?.n)

  test('has every charge after the first night', async () => {
    const { payments, timer, last } = account()
    const to = await make()
    const progress = await last(sync(payments.charges, { to, timer }))
    expect(progress).toMatchObject({ rows: 500, rejects: 0, ended: true })
    expect(progress.upTo).toMatch(/^2026-01-01T00:00:\d\d\.\d{3}Z$/)
    expect(await count(to)).toBe(500)
  })

  test('has in later nights what is new, and what has changed', async () => {
    const { payments, timer, last, pass, charge, asked } = account()
    const to = await make()
    const options = { to, timer }
    const settling = await charge('acct_1')
    await last(sync(payments.charges, options))
    expect(await count(to, `id = '${settling}' and status = 'NEW'`)).toBe(1)

    await pass(2 * DAY)
    await charge('acct_2', '0.01')
    asked.length = 0
    const second = await last(sync(payments.charges, options))
    expect(second.rows).toBe(2)
    // a second earlier than the lookback: a snapshot asks so
    expect(asked[0]?.searchParams.get('from_created_at')).toBe('2025-12-24T23:59:59+0000')
    expect(await count(to, `id = '${settling}' and status = 'SETTLED'`)).toBe(1)
    expect(await count(to)).toBe(502)
  })

  test('is proven against the service by its counts, and told where these differ', async () => {
    const { payments, timer, run, last, pass } = account()
    const to = await make()
    await last(sync(payments.charges, { to, timer }))
    await pass(DAY)
    const proof = async () => {
      const proven = await run(lastValueFrom(proveCopy(payments.charges, { copy: to, timer })))
      return E.isRight(proven) ? proven.right : proven.left
    }
    expect(await proof()).toMatchObject({ rows: 500, differences: [] })
    await sql(to, `delete from charges where id in (select id from charges order by id limit 1)`)
    expect(await proof()).toMatchObject({ rows: 499, late: 0 })
    expect(await proof()).not.toMatchObject({ differences: [] })
    expect(await count(to)).toBe(499)
    const other = proveCopy(payments.charges, { copy: to, table: 'other', timer })
    expect(await run(lastValueFrom(other))).toMatchObject(E.left({ _tag: 'UnusableDestination' }))
  })

  test('begins at since, and reads from an earlier one when that is given', async () => {
    const { payments, timer, last } = account()
    const to = await make()
    const options = { to, timer, lookback: 0 }
    const late = { ...options, since: '2024-01-01T00:12:30Z' }
    expect((await last(sync(payments.charges, late))).rows).toBeLessThan(400)
    expect((await last(sync(payments.charges, late))).rows).toBe(1) // the newest again
    const earlier = await last(sync(payments.charges, { ...options, since: '2023-12-31' }))
    expect(earlier.rows).toBe(500)
    expect(await count(to)).toBe(500)
    expect((await last(sync(payments.charges, options))).rows).toBe(1)
  })

  test('has open charges listed by their status, and those that left read, however old they are', async () => {
    const { payments, timer, last, pass, charge, asked } = account({
      charges: 0,
      settleAfter: 20 * DAY,
    })
    const to = await make()
    const syncing = sync(payments.charges, { to, timer })
    for (let n = 0; n < 5; n++) await charge(`acct_${n}`)
    await last(syncing)
    await pass(19 * DAY)
    // read by time: none is newer than 7 days after them; and listed, but the same
    expect(await last(syncing)).toMatchObject({ rows: 5, rereads: { done: 5, gone: 0 } })
    await pass(2 * DAY)
    asked.length = 0
    // read by time, and final since
    expect(await last(syncing)).toMatchObject({ rows: 5, rereads: { done: 0, gone: 0 } })
    expect(await count(to, `status = 'NEW'`)).toBe(0)
    const byId = asked.filter(({ pathname }) => pathname.startsWith('/api/v1/charges/'))
    expect(byId).toHaveLength(0) // they are close in time: one page has them
  })

  test('has nothing read by id in a night that has read everything', async () => {
    const { payments, timer, last, asked } = account({ settleAfter: 1_000 * DAY })
    const syncing = sync(payments.charges, { to: await make(), timer })
    expect((await last(syncing)).rows).toBe(500)
    const byId = asked.filter(({ pathname }) => pathname.startsWith('/api/v1/charges/'))
    expect(byId.length).toBe(0)
    const lists = asked.flatMap(({ searchParams }) => searchParams.get('status') ?? [])
    expect(lists.filter((status) => status === 'PENDING')).toHaveLength(1)
  })

  test('is gone on with where a sync was left, and then catches up', async () => {
    const { payments, timer, all, untilFree, charge } = account({ charges: 5_000 })
    const to = await make()
    const options = { to, timer, parallel: 1 }
    await all(
      sync(payments.charges, options).pipe(
        takeWhile((event) => E.isLeft(event) || event.right.pages < 2, true),
      ),
    )
    const before = await count(to)
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(5_000)
    await charge('acct_1')
    const events = await untilFree(sync(payments.charges, options))
    const begun = events.filter((event) => E.isRight(event) && event.right.started !== undefined)
    expect(begun).toMatchObject([{ right: { started: { resumed: true } } }])
    const shares = events.flatMap((event) => (E.isRight(event) ? (event.right.share ?? []) : []))
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.at(-1)).toBe(1)
    expect(await count(to)).toBe(5_001)
  })

  test('is taken over from a run that froze, which changes nothing when it thaws', async () => {
    const frozen = account({ charges: 5_000, latency: 1_000 }, undefined, virtualTime())
    const to = await make()
    const options = { to, parallel: 1 }
    const events: Array<SyncEvent> = []
    const ended = new Promise<void>((resolve, reject) => {
      sync(frozen.payments.charges, { ...options, timer: frozen.timer }).subscribe({
        next: (event) => events.push(event),
        error: reject,
        complete: resolve,
      })
    })
    while (events.length < 3) await frozen.pass(1_000)

    const { payments, timer, untilFree, pass, charge } = account({ charges: 5_000 })
    await pass(DAY)
    await charge('acct_1')
    const second = await untilFree(sync(payments.charges, { ...options, timer }))
    expect(second.at(-1)).toMatchObject({ right: { ended: true } })
    expect(await count(to)).toBe(5_001)

    await frozen.run(ended)
    expect(events.at(-1)).toMatchObject({ left: { _tag: 'Fenced' } })
    expect(await count(to)).toBe(5_001)
  })

  test('has a list without times replaced as a whole, in one step', async () => {
    const { payments, timer, last, run, webhook } = account({ charges: 0 })
    const to = await make()
    const one = await webhook('https://one.example')
    await webhook('https://two.example')
    const options = { to, timer, table: 'hooks' }
    await last(sync(payments.webhooks.list(), options))
    const urls = async () =>
      (await sql(to, 'select url from hooks order by url')).map(({ url }) => url)
    expect(await urls()).toEqual(['https://one.example', 'https://two.example'])
    await run(firstValueFrom(payments.webhooks.delete({ id: one })))
    await last(sync(payments.webhooks.list(), options))
    expect(await urls()).toEqual(['https://two.example'])
    expect(Object.keys((await sql(to, 'select * from hooks'))[0] ?? {})).not.toContain('secret')
  })

  test('keeps its rows where a list comes empty, unless that is allowed', async () => {
    const { payments, timer, last, failure, run, webhook } = account({ charges: 0 })
    const to = await make()
    const id = await webhook('https://one.example')
    const options = { to, timer, table: 'hooks' }
    await last(sync(payments.webhooks.list(), options))
    await run(firstValueFrom(payments.webhooks.delete({ id })))
    expect(await failure(sync(payments.webhooks.list(), options))).toMatchObject({
      _tag: 'EmptyList',
      rows: 1,
      message: expect.stringContaining('the destination has 1 row'),
    })
    const hooks = async () => (await sql(to, 'select url from hooks')).length
    expect(await hooks()).toBe(1)
    await last(sync(payments.webhooks.list(), { ...options, allowEmpty: true }))
    expect(await hooks()).toBe(0)
    await last(sync(payments.webhooks.list(), options)) // empty as it was
  })

  test('takes every list, also one of nested rows', async () => {
    const { payments, timer, last } = account({ charges: 0, batches: 60 })
    const to = await make()
    await last(sync(payments.batchTransfers.list(), { to, timer }))
    expect(await sql(to, 'select count(*) as n from batch_transfers')).toMatchObject([
      { n: expect.toSatisfy((n) => Number(n) === 60) },
    ])
  })

  test('gets the columns that it lacks, and keeps all others', async () => {
    const { payments, timer, all } = account()
    const to = await make()
    await sql(to, 'create table charges (id text primary key not null, mine text, status text)')
    await sql(to, `insert into charges values ('chg_mine', 'stays', 'SETTLED')`)
    const begun = (await all(sync(payments.charges, { to, timer }))).flatMap((event) =>
      E.isRight(event) ? (event.right.started ?? []) : [],
    )
    expect(begun).toMatchObject([{ added: expect.arrayContaining(['amount', 'currency']) }])
    expect(await count(to)).toBe(501)
    expect(await count(to, `mine = 'stays'`)).toBe(1)
  })

  test.each([
    ['another type of column', 'create table charges (id text primary key, amount real)', 'amount'],
    ['another key', 'create table charges (id text, mine text)', 'primary key'],
    [
      'a column of its own that needs a value',
      'create table charges (id text primary key, mine text not null)',
      'mine needs a value',
    ],
    [
      'a column that the database fills',
      "create table charges (id text primary key, reference text generated always as ('x') stored)",
      'the database generates the values of its column reference',
    ],
  ])('is refused with %s', async (_, statement, word) => {
    const { payments, timer, failure, asked } = account()
    const to = await make()
    await sql(to, statement)
    const wrong = await failure(sync(payments.charges, { to, timer }))
    expect(wrong._tag).toBe('UnusableDestination')
    expect(wrong.message).toContain(word)
    expect(asked).toEqual([])
  })

  /** Makes the tables of Postgres and SQLite call a trigger that refuses, or counts, rows of a table. */
  const trigger = async (to: string, when: string, kind: 'drops' | 'counts'): Promise<void> => {
    const isPostgres = to.startsWith('postgres')
    await sql(to, 'create table seen (id text)')
    if (!isPostgres) {
      const does =
        kind === 'drops'
          ? `select raise(ignore) where new.reference like '%1'`
          : 'insert into seen values (new.id)'
      await sql(to, `create trigger t ${when} on charges begin ${does}; end`)
      return
    }
    const body =
      kind === 'drops'
        ? `if new.reference like '%1' then return null; end if; return new`
        : 'insert into seen values (new.id); return new'
    await sql(
      to,
      `create function f() returns trigger language plpgsql as $$ begin ${body}; end $$;
       create trigger t ${when} on charges for each row execute function f()`,
    )
  }

  test('has no row updated that is as it was', async () => {
    const { payments, timer, last } = account()
    const to = await make()
    await last(sync(payments.charges, { to, timer }))
    await trigger(to, 'after update', 'counts')
    await last(sync(payments.charges, { to, timer, lookback: 5_000 * DAY, sweep: 'now' }))
    expect(await sql(to, 'select count(*) as n from seen')).toMatchObject([
      { n: expect.toSatisfy((n) => Number(n) === 0) },
    ])
    await sql(to, `update charges set reference = 'mine'`)
    await last(sync(payments.charges, { to, timer, lookback: 5_000 * DAY }))
    expect(await count(to, `reference = 'mine'`)).toBe(0)
  })

  test('is refused where a trigger drops rows, and keeps none of that step', async () => {
    const { payments, timer, last, failure, charge } = account({ charges: 0 })
    const to = await make()
    await last(sync(payments.charges, { to, timer }))
    await trigger(to, 'before insert', 'drops')
    for (let n = 0; n < 3; n++) await charge('acct_1', '1', `Order ${n}`)
    const wrong = await failure(sync(payments.charges, { to, timer }))
    expect(wrong._tag).toBe('UnusableDestination')
    expect(wrong.message).toContain('lacks 1 of the 3 rows')
    expect(await count(to)).toBe(0)
    await sql(to, to.startsWith('postgres') ? 'drop trigger t on charges' : 'drop trigger t')
    await last(sync(payments.charges, { to, timer }))
    expect(await count(to)).toBe(3)
  })

  test('is refused to another account', async () => {
    const { payments, timer, last, failure } = account()
    const to = await make()
    await last(sync(payments.charges, { to, timer }))
    const wrong = await failure(sync(payments.charges, { to, timer, account: 'another' }))
    expect(wrong).toMatchObject({ _tag: 'SpecMismatch', field: 'account' })
  })

  test('is gone on with by the run after a deadline', async () => {
    const { payments, timer, last, failure } = account({ charges: 5_000, latency: 1_000 })
    const to = await make()
    const options = { to, timer, parallel: 1 }
    const wrong = await failure(sync(payments.charges, { ...options, deadline: 2_500 }))
    expect(wrong).toMatchObject({ _tag: 'DeadlinePassed', deadline: 2_500 })
    await last(sync(payments.charges, options))
    expect(await count(to)).toBe(5_000)
  })
})

it.each([
  ['charges.txt', 'NAME.sqlite'],
  ['mysql://host/db', 'postgres://HOST/DATABASE'],
  ['postgres://', 'HOST:PORT/DATABASE'],
])('refuses %s, and lists what a destination can be', (to, part) => {
  const { payments } = account()
  expect(() => sync(payments.charges, { to })).toThrow(InvalidOption)
  expect(() => sync(payments.charges, { to })).toThrow(part)
})
