/** A table of Postgres behind PgBouncer, which gives other clients the session of the server sooner or later. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hasPgBouncer,
  type Pooler,
  type PoolMode,
  startPgBouncer,
} from '../../../bench/services/pgbouncer.js'
import { hasPostgres, type Postgres, startPostgres } from '../../../bench/services/postgres.js'
import { sync } from '../../../src/export/index.js'
import { account } from './nights.js'

describe.skipIf(!hasPostgres || !hasPgBouncer)('a table of Postgres', () => {
  let server: Postgres
  const poolers: Array<Pooler> = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    for (const pooler of poolers) await pooler.stop()
    server.stop()
  })
  const pooled = async (mode: PoolMode, sessions?: number): Promise<Pooler> => {
    const pooler = await startPgBouncer(server.port, mode, sessions)
    poolers.push(pooler)
    return pooler
  }

  it.each(['session', 'transaction'] as const)('is exact for two accounts by %s', async (mode) => {
    const direct = await server.database()
    const to = (await pooled(mode)).through(direct)
    const runs = ['a', 'b'].map(async (name, at) => {
      const { payments, timer, last, charge } = account({ charges: 1_000, seed: at })
      const options = { to, timer, table: name, account: name, parallel: 2 }
      await charge(`acct_${name}`)
      await last(
        sync(
          { snapshot: (filter) => payments.charges.snapshot({ page_size: 100, ...filter }) },
          options,
        ),
      )
      await charge(`acct_${name}`)
      await last(sync(payments.charges, options))
    })
    await Promise.all(runs)
    for (const name of ['a', 'b']) {
      const other = name === 'a' ? 'b' : 'a'
      const sql = `select count(*)::int as rows, count(*) filter (where source = 'acct_${name}')::int as own,
          count(*) filter (where source = 'acct_${other}')::int as foreign from ${name}`
      expect(await server.query(direct, sql)).toEqual([{ rows: 1_002, own: 2, foreign: 0 }])
    }
  })

  it('has a list replaced as a whole behind a pooler by transaction', async () => {
    const { payments, timer, last, webhook } = account({ charges: 0 })
    const direct = await server.database()
    const to = (await pooled('transaction')).through(direct)
    await webhook('https://one.example')
    const options = { to, timer, table: 'hooks' }
    await last(sync(payments.webhooks.list(), options))
    await webhook('https://two.example')
    await last(sync(payments.webhooks.list(), options))
    expect(await server.query(direct, 'select url from hooks order by url')).toEqual([
      { url: 'https://one.example' },
      { url: 'https://two.example' },
    ])
  })

  it('leaves no setting, lock or temporary table in a session of a pooler', async () => {
    const { payments, timer, last } = account()
    const to = (await pooled('transaction', 1)).through(await server.database())
    await last(sync(payments.charges, { to, timer }))
    const sql = `select current_setting('idle_in_transaction_session_timeout') as idle,
      (select count(*)::int from pg_class where relpersistence = 't') as tables,
      (select count(*)::int from pg_locks where locktype = 'advisory') as locks,
      (select count(*)::int from pg_prepared_statements) as prepared`
    expect(await server.query(to, sql)).toEqual([{ idle: '0', tables: 0, locks: 0, prepared: 0 }])
  })

  it('is refused behind a pooler by statement, before the first request', async () => {
    const { payments, timer, failure, asked } = account()
    const to = (await pooled('statement')).through(await server.database())
    const wrong = await failure(sync(payments.charges, { to, timer }))
    expect(wrong).toMatchObject({ _tag: 'UnusableDestination', code: '08P01' })
    expect(wrong.message).toContain('transaction blocks not allowed in statement pooling mode')
    expect(wrong.message).toContain('set pool_mode to transaction or session')
    expect(asked).toEqual([])
  })
})
