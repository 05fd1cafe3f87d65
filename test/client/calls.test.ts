/** Calls of a client in virtual time: what is sent, when, with whose token. */
import * as t from 'io-ts'
import {
  concatMap,
  EMPTY,
  from,
  map,
  merge,
  mergeMap,
  of,
  range,
  throwError,
  toArray,
  timer as wait,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { createClient, endpoint, type Failure, type Limits } from '../../src/index.js'
import {
  CHARGE,
  CREATE,
  LOGIN,
  lab,
  ME,
  NEW_CHARGE,
  type Play,
  problem,
  REFUSED_CONNECTION,
  RESET,
  tokens,
} from '../support/lab.js'

const authorizations = (calls: ReturnType<typeof lab>['sent']) =>
  calls.map(({ request }) => request.headers.authorization)

const bearer = (n: number) => `Bearer token-${n}-xxxxxxxx`

describe('a call', () => {
  it('does nothing until it is subscribed', () => {
    const { client, sent, runUntil } = lab()
    client.charges.create(NEW_CHARGE)
    client.charges.retrieve({ id: 'chg_1' })
    client.charges.list()
    client.with({ onBehalfOf: 'acct_2' }).charges.list().pages
    runUntil(100_000)
    expect(sent).toEqual([])
  })

  it('logs in, then sends one request with the token, and completes', () => {
    const { client, sent, run } = lab()
    const out = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(out).toEqual([{ at: 20, value: E.right(CHARGE) }])
    expect(
      sent.map(({ at, request: { method, url, headers, body } }) => ({
        at,
        method,
        url,
        headers,
        body,
      })),
    ).toEqual([
      {
        at: 0,
        method: 'POST',
        url: 'https://platform.test/api/v1/authentication/login',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'x-client-id': ME.clientId,
          'x-api-key': ME.apiKey,
        },
        body: '{}',
      },
      {
        at: 10,
        method: 'GET',
        url: 'https://platform.test/api/v1/charges/chg_1',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authorization: bearer(1),
        },
        body: undefined,
      },
    ])
  })

  it('is also a projection, which ignores the index that `mergeMap` hands it', () => {
    const { client, calls, run } = lab()
    const ids = [{ id: 'chg_1' }, { id: 'chg_2' }, { id: 'chg_3' }]
    expect(run(from(ids).pipe(mergeMap(client.charges.retrieve)))).toHaveLength(3)
    expect(calls().map(({ request }) => request.url.split('/').at(-1))).toEqual([
      'chg_1',
      'chg_2',
      'chg_3',
    ])
  })

  it('with a parameter that breaks a rule is not sent, and no login either', () => {
    const { client, sent, run } = lab()
    const out = run(client.charges.create({ ...NEW_CHARGE, reference: '' }))
    expect(out).toEqual([
      {
        at: 0,
        value: E.left({
          _tag: 'InvalidRequest',
          endpoint: CREATE,
          attempts: 0,
          field: 'reference',
          expected: 'a text of 1 to 140 characters',
          actual: 'text of 0 characters',
          causes: [expect.anything()],
          message: `${CREATE}: reference should be a text of 1 to 140 characters, and is text of 0 characters; nothing was sent`,
        }),
      },
    ])
    expect(sent).toEqual([])
  })

  it('is aborted when it is left, whatever it waits for', () => {
    for (const [leave, requests] of [
      [5, 1],
      [15, 2],
    ] as const) {
      const { client, timer, runUntil, sent, aborted } = lab()
      const subscription = client.charges.retrieve({ id: 'chg_1' }).subscribe()
      timer.schedule(() => subscription.unsubscribe(), leave)
      runUntil(100_000)
      expect([sent.length, aborted()]).toEqual([requests, 1])
    }
  })

  it('is not sent again when it is left during a backoff', () => {
    const { client, timer, runUntil, calls } = lab({ play: () => ({ outage: REFUSED_CONNECTION }) })
    const subscription = client.charges.retrieve({ id: 'chg_1' }).subscribe()
    timer.schedule(() => subscription.unsubscribe(), 500)
    runUntil(100_000)
    expect(calls()).toHaveLength(1)
  })
})

describe('the token', () => {
  it('is obtained once for all who ask at the same time', () => {
    const { client, logins, calls, run } = lab()
    const many = range(0, 15).pipe(mergeMap((n) => client.charges.retrieve({ id: `chg_${n}` })))
    expect(run(many)).toHaveLength(15)
    expect(logins()).toHaveLength(1)
    expect(new Set(authorizations(calls()))).toEqual(new Set([bearer(1)]))
  })

  it('is renewed a minute before its end', () => {
    const { client, logins, calls, timer, runUntil } = lab()
    const retrieve = client.charges.retrieve({ id: 'chg_1' })
    const life = 1_800_000
    for (const at of [0, life - 60_001, life - 60_000]) {
      timer.schedule(() => retrieve.subscribe(), at)
    }
    runUntil(life)
    expect(logins().map(({ at }) => at)).toEqual([0, life - 60_000])
    expect(authorizations(calls())).toEqual([bearer(1), bearer(1), bearer(2)])
  })

  it('lives as long as the service says, by the clock of the service', () => {
    const { client, events, run } = lab({
      login: () => ({
        status: 201,
        body: { token: 'token', expires_at: '2031-01-01T00:10:00.500Z' },
        headers: { date: 'Wed, 01 Jan 2031 00:00:00 GMT' },
      }),
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(events.find(({ _tag }) => _tag === 'LoggedIn')).toEqual({
      _tag: 'LoggedIn',
      ms: 600_500,
    })
  })

  it.each([undefined, null, 'soon', 7, '1969-01-01T00:00:00Z'])(
    'lives 25 minutes when its `expires_at` is %s',
    (expires_at) => {
      const { client, events, run } = lab({
        login: () => ({ status: 200, body: { token: 'token', expires_at } }),
      })
      run(client.charges.retrieve({ id: 'chg_1' }))
      expect(events).toContainEqual({ _tag: 'LoggedIn', ms: 25 * 60_000 })
    },
  )

  it('that ended while requests waited in the queue is replaced for all of them at once', () => {
    const end = 5_000
    const { client, events, logins, run } = lab({
      limits: { endpoint: 1 },
      play: ({ at, request }) =>
        request.headers.authorization === bearer(1) && at >= end
          ? problem(401, 'credentials_expired')
          : { body: CHARGE },
    })
    const many = range(0, 10).pipe(mergeMap((n) => client.charges.retrieve({ id: `chg_${n}` })))
    expect(run(many).map(({ value }) => value)).toEqual(Array(10).fill(E.right(CHARGE)))
    const refused = events.filter((event) => event._tag === 'Answered' && event.status === 401)
    expect([refused.length, logins().length]).toEqual([1, 2])
  })

  it('belongs to the account that the client logs in as', () => {
    const { client, logins, run } = lab({ credentials: { ...ME, loginAs: 'acct_7' } })
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(logins()[0]?.request.headers['x-login-as']).toBe('acct_7')
  })
})

describe('a 401', () => {
  const expired = problem(401, 'credentials_expired')

  it('leads to exactly one new login and one replay', () => {
    const { client, sent, run } = lab({
      play: ({ request }) =>
        request.headers.authorization === bearer(1) ? expired : { body: CHARGE },
    })
    const out = run(client.charges.create(NEW_CHARGE))
    expect(out.map(({ value }) => value)).toEqual([E.right(CHARGE)])
    expect(sent.map(({ route }) => route)).toEqual([LOGIN, CREATE, LOGIN, CREATE])
    expect(sent[1]?.body).toEqual(sent[3]?.body)
  })

  it('that comes again is reported', () => {
    const { client, sent, run } = lab({ play: () => expired })
    const out = run(client.charges.create(NEW_CHARGE))
    expect(out.map(({ value }) => value)).toEqual([
      E.left({
        _tag: 'Unauthorized',
        endpoint: CREATE,
        attempts: 2,
        code: 'credentials_expired',
        message: `${CREATE}: 401 credentials_expired: no`,
      }),
    ])
    expect(sent.map(({ route }) => route)).toEqual([LOGIN, CREATE, LOGIN, CREATE])
  })

  it('of many at the same time leads to one new login', () => {
    const { client, logins, calls, run } = lab({
      play: ({ request }) =>
        request.headers.authorization === bearer(1) ? expired : { body: CHARGE },
    })
    const many = range(0, 9).pipe(mergeMap((n) => client.charges.retrieve({ id: `chg_${n}` })))
    expect(run(many).map(({ value }) => value)).toEqual(Array(9).fill(E.right(CHARGE)))
    expect(logins()).toHaveLength(2)
    expect(calls()).toHaveLength(18)
  })

  it('that comes late does not drop a newer token', () => {
    const { client, logins, run } = lab({
      play: ({ request, query }) =>
        request.headers.authorization === bearer(1)
          ? { ...expired, ms: Number(query.get('page_size')) }
          : { body: { items: [] } },
    })
    const quick = client.charges.list({ page_size: 10 })
    const slow = client.charges.list({ page_size: 500 })
    run(merge(quick, slow))
    expect(logins()).toHaveLength(2)
  })

  it('of the login is final: its keys are wrong', () => {
    const { client, sent, run } = lab({ login: () => problem(401, 'credentials_invalid') })
    const out = run(client.charges.create(NEW_CHARGE))
    expect(out.map(({ value }) => value)).toEqual([
      E.left(expect.objectContaining({ _tag: 'Unauthorized', endpoint: LOGIN, attempts: 1 })),
    ])
    expect(sent).toHaveLength(1)
  })
})

describe('logins', () => {
  it('keep to their own limit, which is counted by the minute', () => {
    const { client, logins, run, timer } = lab({ login: tokens(1_000), limits: { logins: 3 } })
    const one = wait(2_000, timer).pipe(concatMap(() => client.charges.retrieve({ id: 'chg_1' })))
    run(range(0, 7).pipe(concatMap(() => one)))
    const at = logins().map((login) => login.at)
    expect(at).toHaveLength(7)
    for (const [i, time] of at.entries()) {
      expect(
        at.filter((other) => other >= time && other < time + 60_000).length,
      ).toBeLessThanOrEqual(3)
      expect(i < 3 || time >= 60_000).toBe(true)
    }
  })
})

describe('limits', () => {
  it('of an endpoint do not count logins, and those of all do', () => {
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
    errors: ['faded'],
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

describe('a token of the caller’s own', () => {
  it('is asked for once, used, and asked for again after a 401', () => {
    let n = 0
    const { client, sent, run } = lab({
      credentials: { token: () => of({ token: `mine-${++n}` }) },
      play: ({ request }) =>
        request.headers.authorization === 'Bearer mine-1'
          ? problem(401, 'credentials_expired')
          : { body: CHARGE },
    })
    expect(n).toBe(0)
    run(client.charges.retrieve({ id: 'chg_1' }))
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(authorizations(sent)).toEqual(['Bearer mine-1', 'Bearer mine-2', 'Bearer mine-2'])
  })

  it('sends a request once, however many tokens come', () => {
    const { client, sent, run } = lab({
      credentials: { token: () => of({ token: 'first' }, { token: 'second' }) },
    })
    run(client.charges.create(NEW_CHARGE))
    expect(authorizations(sent)).toEqual(['Bearer first'])
  })

  it.each([
    ['throws', () => throwError(() => new RangeError('the secret is 12345'))],
    ['gives nothing', () => EMPTY],
    ['gives what fits no header', () => of({ token: 'two\nlines' })],
    ['gives one that has ended', () => of({ token: 'late', expiresAt: new Date(-1) })],
  ])('that a source cannot give, because it %s, ends the call as Unauthorized', (_, token) => {
    const { client, sent, run } = lab({ credentials: { token } })
    const out = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(out.map(({ value }) => value)).toEqual([
      E.left(expect.objectContaining({ _tag: 'Unauthorized', code: 'token_source_failed' })),
    ])
    expect(JSON.stringify(out)).not.toMatch(/12345|late|two/)
    expect(sent).toEqual([])
  })
})

describe('events', () => {
  it('tell what happens, while it happens', () => {
    const { client, events, run } = lab({
      play: (_, nth) => (nth === 1 ? { outage: RESET } : { body: CHARGE, ms: 30 }),
    })
    run(client.charges.retrieve({ id: 'chg_1' }))
    const route = 'GET /api/v1/charges/{id}'
    const failure = expect.objectContaining({ _tag: 'Unreachable', endpoint: route, attempts: 1 })
    expect(events).toEqual([
      { _tag: 'Sent', endpoint: LOGIN, attempt: 1 },
      { _tag: 'Answered', endpoint: LOGIN, attempt: 1, status: 201, ms: 10 },
      { _tag: 'LoggedIn', ms: expect.any(Number) },
      { _tag: 'Sent', endpoint: route, attempt: 1 },
      { _tag: 'Unanswered', endpoint: route, attempt: 1, failure, ms: 10 },
      { _tag: 'Repeating', endpoint: route, failure, ms: 1_000 },
      { _tag: 'Sent', endpoint: route, attempt: 2 },
      { _tag: 'Answered', endpoint: route, attempt: 2, status: 200, ms: 30 },
    ])
  })
})

describe('a failure', () => {
  it('of one call ends no stream', () => {
    const { client, run } = lab({
      play: ({ route }) => (route.endsWith('/bad') ? problem(404, 'not_found') : { body: CHARGE }),
    })
    const ids = from(['a', 'bad', 'c']).pipe(map((id) => ({ id })))
    const tags = ids.pipe(
      concatMap(client.charges.retrieve),
      map(
        E.match(
          (failure: Failure) => failure._tag,
          ({ id }) => id,
        ),
      ),
      toArray(),
    )
    expect(run(tags).map(({ value }) => value)).toEqual([['chg_1', 'Refused', 'chg_1']])
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
