/** Behaviour of tables in Postgres alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hasPostgres,
  PASSWORD,
  type Postgres,
  startPostgres,
} from '../../../bench/services/postgres.js'
import { sync } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { cutter } from '../../support/cutter.js'
import { sample } from '../../support/runs.js'
import { account } from './nights.js'

describe.skipIf(!hasPostgres)('a table of Postgres', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  const count = async (to: string): Promise<number> =>
    Number((await server.query(to, 'select count(*) as n from charges'))[0]?.n)

  it('has typed columns, with amounts that are exact whatever their length', async () => {
    const { payments, timer, last } = account()
    const to = await server.database()
    await last(sync(payments.charges, { to, timer }))
    const types = await server.query(
      to,
      `select column_name as name, data_type as type, numeric_scale as scale
         from information_schema.columns where table_name = 'charges'
         and column_name in ('id', 'amount', 'created_at') order by ordinal_position`,
    )
    expect(types).toEqual([
      { name: 'id', type: 'text', scale: null },
      { name: 'amount', type: 'numeric', scale: null },
      { name: 'created_at', type: 'timestamp with time zone', scale: null },
    ])
  })

  it('takes texts with all that COPY has signs for, and rejects the one that Postgres cannot store', async () => {
    const { payments, timer, last, charge } = account({ charges: 0 })
    const texts = ['a\tb\nc\rd', '\\N', 'C:\\temp\\.', '"quoted", \'twice\'', 'é€😀', '\\.']
    for (const text of texts) await charge('acct_1', '1', text)
    await charge('acct_1', '1', 'zero\0')
    const to = await server.database()
    const rejected: Array<string> = []
    const progress = await last(
      sync(payments.charges, {
        to,
        timer,
        onReject: async (rows) => {
          rejected.push(...rows.map(({ reason }) => reason))
        },
      }),
    )
    expect(progress).toMatchObject({ rows: texts.length, ended: true })
    expect(rejected).toEqual([
      'reference should be a string without U+0000, which Postgres cannot store',
    ])
    const found = await server.query(to, 'select reference from charges')
    expect(found.map(({ reference }) => reference).sort()).toEqual([...texts].sort())
    // it is not forgotten
    expect(await last(sync(payments.charges, { to, timer, lookback: 0 }))).toMatchObject({
      rejects: 1,
    })
  })

  it('takes a text with U+0000 with another sign in its place, if that is asked for', async () => {
    const { payments, timer, last, charge } = account({ charges: 0 })
    await charge('acct_1', '1', 'zero\0')
    const to = await server.database()
    const progress = await last(sync(payments.charges, { to, timer, replaceNul: true }))
    expect(progress).toMatchObject({ rows: 1, rejects: 0, ended: true })
    expect(await server.query(to, 'select reference from charges')).toEqual([
      { reference: 'zero\ufffd' },
    ])
  })

  it('lies in a schema, if its name says so', async () => {
    const { payments, timer, last } = account()
    const to = await server.database()
    await server.query(to, 'create schema payments')
    await last(sync(payments.charges, { to, timer, table: 'payments.charges' }))
    expect(await server.query(to, 'select count(*)::int as n from payments.charges')).toEqual([
      { n: 500 },
    ])
    expect(
      await server.query(to, 'select count(*)::int as n from payments.payments_rx_state'),
    ).toEqual([{ n: 1 }])
  })

  it('needs no right to make tables where they are there', async () => {
    const { payments, timer, last, charge } = account()
    const to = await server.database()
    await last(sync(payments.charges, { to, timer }))
    await server.query(
      to,
      `create role writer login password '${PASSWORD}';
       grant select, insert, update, delete on charges, payments_rx_state to writer`,
    )
    await charge('acct_1')
    const asWriter = to.replace('owner:', 'writer:')
    await last(sync(payments.charges, { to: asWriter, timer }))
    expect(await count(to)).toBe(501)
  })

  // bad days

  const broken: ReadonlyArray<readonly [string, (to: string) => string, string, string]> = [
    ['a wrong password', (to) => to.replace(PASSWORD, 'wrong'), '28P01', 'PGPASSWORD'],
    ['no such database', (to) => to.replace(/test\d+$/, 'nowhere'), '3D000', 'create the database'],
  ]
  it.each(broken)('says of %s what to do', async (_, change, code, word) => {
    const { payments, timer, failure, asked } = account()
    const to = change(await server.database())
    const wrong = await failure(sync(payments.charges, { to, timer }))
    expect(wrong).toMatchObject({ _tag: 'UnusableDestination', code })
    expect(wrong.message).toContain(word)
    expect(wrong.message).not.toContain('owner')
    expect(JSON.stringify(wrong)).not.toContain(PASSWORD)
    expect(asked).toEqual([])
  })

  it('names the table or schema that a user has no right to', async () => {
    const { payments, timer, failure, last } = account()
    const to = await server.database()
    await server.query(to, `create role nobody login password '${PASSWORD}'`)
    const asNobody = to.replace('owner:', 'nobody:')
    const schema = await failure(sync(payments.charges, { to: asNobody, timer }))
    expect(schema).toMatchObject({ _tag: 'UnusableDestination', code: '42501' })
    expect(schema.message).toContain('permission denied for schema public')
    await last(sync(payments.charges, { to, timer }))
    const table = await failure(sync(payments.charges, { to: asNobody, timer }))
    expect(table.message).toContain('permission denied for table')
  })

  it('is a WriteFailed while the server cannot be reached', async () => {
    const { payments, timer, failure } = account()
    const to = 'postgres://owner:secret@127.0.0.1:1/charges'
    const wrong = await failure(sync(payments.charges, { to, timer }))
    expect(wrong).toMatchObject({ _tag: 'WriteFailed', code: 'ECONNREFUSED' })
    expect(wrong.message).toContain('postgres://127.0.0.1:1/charges: the server cannot be reached')
  })

  it('is torn by no cut of the connection, and the next run goes on', async () => {
    const { payments, timer, all, last } = account({ charges: 1_500 })
    const proxy = await cutter(server.port)
    const through = (to: string): string => to.replace(`:${server.port}/`, `:${proxy.port}/`)
    const options = { timer, parallel: 1, lease: 1_000 }
    const whole = await server.database()
    proxy.cutAfter(Number.POSITIVE_INFINITY)
    await last(sync(payments.charges, { ...options, to: through(whole) }))
    const bytes = proxy.passed()
    expect(bytes).toBeGreaterThan(50_000)
    const ends: Array<string> = []
    const CUTS = 6
    for (const cut of sample(2, [1, 2, 3, 4, 5])) {
      const to = await server.database()
      // most of it is rows: half of the cuts are among the bytes before and after them
      const after = cut % 2 === 0 ? (bytes * cut) / CUTS : cut * 500
      proxy.cutAfter(Math.floor(after))
      const end = (await all(sync(payments.charges, { ...options, to: through(to) }))).at(-1)
      ends.push(end === undefined || E.isRight(end) ? 'ended' : end.left._tag)
      proxy.cutAfter(Number.POSITIVE_INFINITY)
      await last(sync(payments.charges, { ...options, to }))
      expect(await count(to)).toBe(1_500)
    }
    expect(new Set(ends)).toEqual(new Set(['WriteFailed']))
    await proxy.close()
  })
  it('is written through a new connection if one was closed while the service was waited for', async () => {
    const proxy = await cutter(server.port)
    const database = await server.database()
    const to = database.replace(`:${server.port}/`, `:${proxy.port}/`)
    let cuts = 0
    const { payments, timer, last } = account({}, async (response) => {
      if (/"items":\s*\[/.test(await response.clone().text()) && cuts++ === 0) await proxy.cutIdle()
      return response
    })
    await last(sync(payments.charges, { to, timer, parallel: 1 }))
    expect(cuts).toBeGreaterThan(0)
    expect(await count(database)).toBe(500)
    await proxy.close()
  })
})
