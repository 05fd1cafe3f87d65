/** Clients made of clients, rows of the caller's own, and what they share. */
import { inspect } from 'node:util'
import * as t from 'io-ts'
import { from, merge, mergeMap } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { createClient, endpoint, type Limits, rule } from '../../src/index.js'
import { CHARGE, LOGIN, lab, ME, type Play, problem, USER_AGENT } from '../support/lab.js'

describe('limits', () => {
  it('for an endpoint do not count logins, and those for all requests do', () => {
    const play: Play = (_, nth) =>
      nth === 1 ? problem(401, 'credentials_expired') : { body: CHARGE }
    const times = (limits: Partial<Limits>) => {
      const { client, sent, run } = lab({ play, limits })
      run(client.charges.retrieve({ id: 'chg_1' }))
      return sent.map(({ at, route }) => [route === LOGIN ? 'login' : 'call', at >= 1_000])
    }
    expect(times({ endpoint: 1 })).toEqual([
      ['login', false],
      ['call', false],
      ['login', false],
      ['call', true],
    ])
    expect(times({ global: 2 })).toEqual([
      ['login', false],
      ['call', false],
      ['login', true],
      ['call', true],
    ])
  })
})

it('a client has a JSON, for loggers', () => {
  const { client, run } = lab()
  run(client.charges.retrieve({ id: 'chg_1' }))
  for (const each of [client, client.with({ onBehalfOf: 'acct_2' })]) {
    expect(() => JSON.stringify({ each })).not.toThrow()
  }
  expect(JSON.stringify(client)).toBe('"[payments-rx client]"')
})

it('a client is one short line on a console', () => {
  const { client } = lab()
  const other = client.with({ onBehalfOf: 'acct_2' })
  expect(inspect({ client, other })).toBe(
    '{ client: [payments-rx client], other: [payments-rx client] }',
  )
})

describe('`with`', () => {
  it('makes a client with other options, and the same token and scheduler', () => {
    const { client, sent, calls, logins, run } = lab({ apiVersion: '2025-06-30' })
    const other = client.with({
      onBehalfOf: 'acct_2',
      apiVersion: '2026-02-27',
      timeout: { headers: 5 },
    })
    run(other.charges.retrieve({ id: 'chg_1' }))
    run(client.charges.retrieve({ id: 'chg_1' }))
    run(other.with({ onBehalfOf: 'acct_3' }).charges.retrieve({ id: 'chg_1' }))
    expect(logins()).toHaveLength(1)
    expect(
      calls().map(({ request: { headers, timeout } }) => [
        headers['x-on-behalf-of'],
        headers['x-api-version'],
        timeout.headers,
        timeout.connect,
      ]),
    ).toEqual([
      ['acct_2', '2026-02-27', 5, 10_000],
      [undefined, '2025-06-30', 60_000, 10_000],
      ['acct_3', '2026-02-27', 5, 10_000],
    ])
    expect(sent[0]?.request.headers).not.toHaveProperty('x-on-behalf-of')
    expect(other.scheduler).toBe(client.scheduler)
    expect(other.events).toBe(client.events)
  })

  it('lets what is interactive go before what is bulk and asked for earlier', () => {
    const { client, calls, run } = lab({ limits: { concurrency: 1 } })
    const bulk = client.with({ priority: 'bulk' })
    const ids = Array.from({ length: 20 }, (_, n) => `bulk_${n}`)
    run(
      merge(
        from(ids).pipe(mergeMap((id) => bulk.charges.retrieve({ id }))),
        client.charges.retrieve({ id: 'interactive' }),
      ),
    )
    const order = calls().map(({ route }) => route.split('/').at(-1))
    expect(order).toHaveLength(21)
    expect(order.indexOf('interactive')).toBeLessThan(3)
  })

  it('keeps to the limits of the client that it was made of', () => {
    const { client, calls, run } = lab({ limits: { concurrency: 2 } })
    const clients = [client, client.with({ onBehalfOf: 'a' }), client.with({ onBehalfOf: 'b' })]
    run(from(clients).pipe(mergeMap(({ charges }) => charges.retrieve({ id: 'chg_1' }))))
    expect(calls().map(({ at }) => at)).toEqual([10, 10, 20])
  })

  it('can turn the checks off', () => {
    const { client, calls, run } = lab({ play: () => ({ body: { items: [] } }) })
    const loose: Parameters<typeof client.charges.list>[0] = { page_size: 3 }
    expect(run(client.charges.list(loose))).toMatchObject([{ value: { _tag: 'Left' } }])
    run(client.with({ check: false }).charges.list(loose))
    expect(calls().map(({ query }) => query.get('page_size'))).toEqual(['3'])
  })
})

describe('`request`', () => {
  const row = endpoint('GET /api/v1/novelties/{id}', {
    params: t.type({ id: t.string }),
    success: t.type({ id: t.string, colour: t.string }),
    errors: { 404: ['faded'] },
  })

  it('calls what the tables do not have, with all that theirs have', () => {
    const { client, calls, run } = lab({
      play: (_, nth) =>
        nth === 1 ? problem(500, 'internal_error') : { body: { id: 'n', colour: 'red' } },
    })
    const out = run(client.request(row)({ id: 'n/1' }))
    expect(out.map(({ value }) => value)).toEqual([E.right({ id: 'n', colour: 'red' })])
    expect(calls().map(({ request }) => request.url)).toEqual(
      Array(2).fill('https://platform.test/api/v1/novelties/n%2F1'),
    )
  })

  it('holds parameters against the rules of the row, as they are when it is sent', () => {
    const { client, calls, run } = lab({ play: () => ({ body: {} }) })
    const timed = endpoint('GET /api/v1/novelties', {
      params: t.type({ from: t.number, to: t.number }),
      success: t.unknown,
      rules: (now) => [
        rule('from', 'before to', ({ from, to }) => from < to),
        rule('to', 'past', ({ to }) => to < now),
      ],
    })
    const call = client.request(timed)
    const invalid = (field: string, expected: string) => [
      { value: { left: { _tag: 'InvalidRequest', field, expected } } },
    ]
    expect(run(call({ from: -1, to: -1 }))).toMatchObject(invalid('from', 'before to'))
    expect(run(call({ from: -1, to: 60_000 }))).toMatchObject(invalid('to', 'past'))
    expect(calls()).toEqual([])
    expect(run(call({ from: -2, to: -1 }))).toMatchObject([{ value: E.right({}) }])
    expect(calls()).toHaveLength(1)
  })

  it('takes rows with an account of their own, or with none', () => {
    const own = lab({ partner: { clientId: 'partner', clientSecret: 'open sesame' } })
    const basic = endpoint('GET /partner-api/v1/webhooks/{id}', {
      params: t.type({ id: t.string }),
      success: t.unknown,
      auth: 'basic',
    })
    own.run(
      own.client.with({ onBehalfOf: 'acct_2', apiVersion: '2026-02-27' }).request(basic)({
        id: 'w',
      }),
    )
    expect(own.sent.map(({ request }) => request.headers)).toEqual([
      {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        authorization: `Basic ${Buffer.from('partner:open sesame').toString('base64')}`,
      },
    ])
    const none = lab()
    const out = none.run(none.client.request(basic)({ id: 'w' }))
    expect(out.map(({ value }) => value)).toEqual([
      E.left(expect.objectContaining({ _tag: 'InvalidRequest', field: 'partner' })),
    ])
    expect(none.sent).toEqual([])
  })
})

it('two clients share nothing, unless someone hands it to both', () => {
  const first = lab({ limits: { concurrency: 1 } })
  const options = { baseUrl: 'https://platform.test', credentials: ME }
  const alone = createClient(options)
  const beside = createClient({ ...options, scheduler: first.client.scheduler })
  expect(alone.scheduler).not.toBe(first.client.scheduler)
  expect(beside.scheduler).toBe(first.client.scheduler)
})
