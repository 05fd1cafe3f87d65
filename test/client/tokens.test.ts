import {
  concat,
  concatMap,
  EMPTY,
  from,
  interval,
  merge,
  mergeMap,
  NEVER,
  Observable,
  of,
  range,
  switchMap,
  take,
  throwError,
  timer as wait,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { orElse } from '../../src/stream/either/ObservableEither.js'
import {
  CHARGE,
  CREATE,
  LOGIN,
  lab,
  ME,
  NEW_CHARGE,
  problem,
  RESET,
  timeText,
  tokens,
} from '../support/lab.js'

const authorizations = (calls: ReturnType<typeof lab>['sent']) =>
  calls.map(({ request }) => request.headers.authorization)

const bearer = (n: number) => `Bearer token-${n}-xxxxxxxx`

describe('the token', () => {
  it('is obtained once for concurrent calls', () => {
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

  it('lives as long as the service says, by its clock', () => {
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
      validFor: 600_500,
    })
  })

  it.each([undefined, null, 'soon', 7, '1969-01-01T00:00:00Z'])(
    'lives 25 minutes when its `expires_at` is %s',
    (expires_at) => {
      const { client, events, run } = lab({
        login: () => ({ status: 200, body: { token: 'token', expires_at } }),
      })
      run(client.charges.retrieve({ id: 'chg_1' }))
      expect(events).toContainEqual({ _tag: 'LoggedIn', validFor: 25 * 60_000 })
    },
  )

  it('that expires while requests are queued is replaced for all of them at once', () => {
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

  it('is renewed while a long queue is sent, too', () => {
    const life = 180_000
    const { client, events, logins, run } = lab({
      limits: { endpoint: 1 },
      login: tokens(life),
      play: ({ at, request }) => {
        const token = Number(request.headers.authorization?.match(/token-(\d+)/)?.[1])
        return at > (logins()[token - 1]?.at ?? 0) + life
          ? problem(401, 'credentials_expired')
          : { body: CHARGE }
      },
    })
    const many = range(0, 300).pipe(mergeMap((n) => client.charges.retrieve({ id: `chg_${n}` })))
    expect(run(many).every(({ value }) => E.isRight(value))).toBe(true)
    expect(events.filter((event) => event._tag === 'Answered' && event.status === 401)).toEqual([])
    expect(logins().map(({ at }) => Math.round(at / 10_000))).toEqual([0, 12, 24])
  })

  it('is awaited by queued requests while it is renewed', () => {
    const { client, logins, aborted, run } = lab({
      limits: { endpoint: 1 },
      guard: 'safe', // a second, and more, between two calls, which take less
      login: (departure, nth) => ({ ...tokens(120_000)(departure, nth), ms: 5_000 }),
    })
    const many = range(0, 100).pipe(mergeMap((n) => client.charges.retrieve({ id: `chg_${n}` })))
    expect(run(many).every(({ value }) => E.isRight(value))).toBe(true)
    expect([logins().length, aborted()]).toEqual([2, 0])
  })

  it('is not renewed once the queue is cancelled', () => {
    const { client, logins, aborted, run } = lab({
      limits: { endpoint: 1 },
      login: (departure, nth) => ({ ...tokens(40_000)(departure, nth), ms: nth === 1 ? 0 : 9_000 }),
    })
    const many = range(0, 30).pipe(mergeMap((n) => client.charges.retrieve({ id: `chg_${n}` })))
    run(many.pipe(take(22))) // half its life is over
    expect([logins().length, aborted()]).toEqual([2, 1])
  })

  it('is renewed once if no new one is available', () => {
    const { client, logins, calls, run } = lab({
      limits: { endpoint: 1 },
      login: (departure, nth) =>
        nth === 1 ? tokens(40_000)(departure, nth) : problem(401, 'credentials_invalid'),
    })
    const many = range(0, 30).pipe(mergeMap((n) => client.charges.retrieve({ id: `chg_${n}` })))
    expect(run(many).every(({ value }) => E.isRight(value))).toBe(true)
    expect([calls().length, logins().length]).toEqual([30, 2])
  })

  it('is used to its end, and not longer, if no new one is available', () => {
    const life = 100_000
    const { client, timer, run, calls } = lab({
      login: (departure, nth) => (nth === 1 ? tokens(life)(departure, nth) : { outage: RESET }),
      retry: { faults: 0 },
    })
    const retrieve = client.charges.retrieve({ id: 'chg_1' })
    const at = [0, life - 1_000, life].map((ms) => wait(ms, timer).pipe(concatMap(() => retrieve)))
    const out = run(merge(...at)).map(({ value }) => value)
    expect(out.map(E.isRight)).toEqual([true, true, false])
    expect(out.at(-1)).toMatchObject(E.left({ _tag: 'Unreachable', endpoint: LOGIN }))
    expect(authorizations(calls())).toEqual([bearer(1), bearer(1)])
  })

  it('is obtained, and renewed, once by calls that each take the place of the one before', () => {
    const life = 100_000
    const { client, timer, run, logins, aborted } = lab({
      login: (departure, nth) => ({ ...tokens(life)(departure, nth), ms: 550 }),
    })
    const retrieve = () => client.charges.retrieve({ id: 'chg_1' })
    const keys = () => interval(100, timer).pipe(take(6), switchMap(retrieve))
    const out = run(concat(keys(), wait(life, timer).pipe(concatMap(keys))))
    expect(out.every(({ value }) => E.isRight(value))).toBe(true)
    expect([logins().length, aborted()]).toEqual([2, 0])
  })

  it('is given up a second after the last call that needs it was cancelled, and not before', () => {
    const { client, logins, aborted, runUntil } = lab({ login: () => ({ ms: 5_000 }) })
    const waiting = client.charges.retrieve({ id: 'chg_1' }).subscribe()
    runUntil(100)
    waiting.unsubscribe()
    runUntil(1_099)
    expect([logins().length, aborted()]).toEqual([1, 0])
    runUntil(1_100)
    expect(aborted()).toBe(1)
  })

  it('leaves no timer behind', () => {
    const { client, timer, run } = lab()
    run(client.charges.retrieve({ id: 'chg_1' }))
    expect(timer.now()).toBe(20) // the login, and the call
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

  it('that is repeated is reported', () => {
    const { client, sent, run } = lab({ play: () => expired })
    const out = run(client.charges.create(NEW_CHARGE))
    expect(out.map(({ value }) => value)).toEqual([
      E.left({
        _tag: 'Unauthorized',
        status: 401,
        endpoint: CREATE,
        attempts: 2,
        code: 'credentials_expired',
        message: `${CREATE}: 401 credentials_expired: no`,
      }),
    ])
    expect(sent.map(({ route }) => route)).toEqual([LOGIN, CREATE, LOGIN, CREATE])
  })

  describe('with queued requests', () => {
    const ids = Array.from({ length: 30 }, (_, n) => `chg_${n}`)

    /** All share a limit with the login, and wait longer for it than any other. */
    const revoked = (login: Parameters<typeof lab>[0]) =>
      lab({
        limits: { global: 1, endpoint: Number.POSITIVE_INFINITY },
        play: ({ at, request }) =>
          at >= 3_000 && request.headers.authorization === bearer(1) ? expired : { body: CHARGE },
        ...login,
      })

    it('does not send them with that token, and keeps their order', () => {
      const { client, calls, logins, run } = revoked({})
      const out = run(from(ids).pipe(mergeMap((id) => client.charges.retrieve({ id }))))
      expect(out.map(({ value }) => value)).toEqual(ids.map(() => E.right(CHARGE)))
      expect(logins()).toHaveLength(2)
      const route = (id: string) => `GET /api/v1/charges/${id}`
      const refused = 'chg_2' // it goes last, behind those who were there when it came back
      const others = ids.filter((id) => id !== refused)
      expect(calls().map(({ route }) => route)).toEqual(
        [...ids.slice(0, 3), ...others.slice(2), refused].map(route),
      )
    })

    it('does not send them with that token even if they may start in the same moment', () => {
      const { client, calls, run } = revoked({
        guard: 0,
        play: ({ at, request }) =>
          at >= 3_000 && request.headers.authorization === bearer(1)
            ? { ...expired, ms: 1_000 }
            : { body: CHARGE },
      })
      run(from(ids).pipe(mergeMap((id) => client.charges.retrieve({ id }))))
      expect(calls()).toHaveLength(ids.length + 1)
    })

    it('keeps their order if a source of tokens fails at once', () => {
      let asked = 0
      const { client, calls, run } = lab({
        credentials: {
          token: () => (++asked === 2 ? throwError(() => 1) : of({ token: `${asked}` })),
        },
        limits: { endpoint: 1 },
        play: ({ request }) =>
          request.headers.authorization === 'Bearer 1' ? expired : { body: CHARGE },
      })
      run(from(ids).pipe(mergeMap((id) => client.charges.retrieve({ id }))))
      const sent = calls().map(({ route }) => route.slice(route.lastIndexOf('/') + 1))
      expect(sent).toEqual([...ids, 'chg_0'])
    })

    it('takes them out of the queue at most one by one while logins fail', () => {
      const { client, logins, run } = revoked({
        login: (departure, nth) =>
          nth > 1 && nth < 5 ? problem(503, 'down') : tokens()(departure, nth),
      })
      const out = run(from(ids).pipe(mergeMap((id) => client.charges.retrieve({ id }))))
      expect(out.filter(({ value }) => E.isLeft(value))).toHaveLength(1)
      expect(out).toHaveLength(ids.length)
      expect(logins()).toHaveLength(5)
    })

    it('leaves them in the queue if a source of tokens fails, and does not call it for each', () => {
      let asked = 0
      const token = () => {
        asked++
        return asked > 1 && asked < 4
          ? throwError(() => new Error('down'))
          : of({ token: `${asked}` })
      }
      const { client, calls, run } = lab({
        credentials: { token },
        limits: { endpoint: 1 },
        play: ({ at, request }) =>
          at >= 3_000 && request.headers.authorization === 'Bearer 1' ? expired : { body: CHARGE },
      })
      const out = run(from(ids).pipe(mergeMap((id) => client.charges.retrieve({ id }))))
      expect(out.filter(({ value }) => E.isLeft(value))).toHaveLength(1)
      expect(out).toHaveLength(ids.length)
      expect([asked, calls().length]).toEqual([4, ids.length + 1])
    })

    it('fails them if the keys are wrong', () => {
      const { client, calls, run } = revoked({
        login: (departure, nth) =>
          nth > 1 ? problem(401, 'credentials_invalid') : tokens()(departure, nth),
      })
      const out = run(from(ids).pipe(mergeMap((id) => client.charges.retrieve({ id }))))
      const failed = out.flatMap(({ value }) => (E.isLeft(value) ? [value.left._tag] : []))
      expect(failed).toEqual(Array(ids.length - calls().length + 1).fill('Unauthorized'))
      expect(calls().length).toBeLessThan(6)
    })

    it('lets requests under way end, and sends none that was cancelled', () => {
      const { client, calls, timer, aborted, run } = lab({
        limits: { endpoint: 2 },
        play: ({ route, request }) => {
          if (route.endsWith('/slow')) return { body: CHARGE, ms: 500 }
          return request.headers.authorization === bearer(1) ? expired : { body: CHARGE }
        },
      })
      const retrieve = (id: string) => client.charges.retrieve({ id })
      timer.schedule(() => {
        const left = retrieve('left').subscribe()
        timer.schedule(() => left.unsubscribe(), 15)
      })
      run(from(['slow', 'refused', 'waits']).pipe(mergeMap(retrieve)))
      expect(aborted()).toBe(0)
      expect(calls().map(({ route }) => route.slice(route.lastIndexOf('/') + 1))).toEqual([
        'slow',
        'refused',
        'waits',
        'refused',
      ])
    })
  })

  it('that is late does not revoke a newer token', () => {
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

  it('leads to one new login for all requests under way, even if it returns the same token', () => {
    const { client, logins, calls, run } = lab({
      login: ({ at }) => ({
        status: 201,
        body: { token: 'the-same-token', expires_at: timeText(at + 1_800_000) },
      }),
      play: ({ at, query }) =>
        at < 30 ? { ...expired, ms: Number(query.get('page_size')) } : { body: { items: [] } },
    })
    const lists = range(2, 9).pipe(mergeMap((n) => client.charges.list({ page_size: n * 10 })))
    run(lists)
    expect(logins()).toHaveLength(2)
    expect(calls()).toHaveLength(18)
  })

  it('after a create that may have been done leaves it Ambiguous if no login succeeds', () => {
    const { client, run } = lab({
      login: (departure, nth) => (nth > 1 ? problem(503, 'down') : tokens()(departure, nth)),
      play: (_, nth) => (nth === 1 ? { outage: RESET } : expired),
    })
    const out = run(client.charges.create(NEW_CHARGE))
    expect(out).toMatchObject([{ value: { left: { _tag: 'Ambiguous', attempts: 2 } } }])
  })
})

describe('a login that failed', () => {
  it('fails each of several calls in sequence', () => {
    const { client, logins, run } = lab({ login: () => problem(403, 'forbidden') })
    const first = (id: string) => client.charges.retrieve({ id }).pipe(take(1))
    const out = run(of('a', 'b', 'c').pipe(concatMap(first)))
    expect(out).toHaveLength(3)
    expect(logins()).toHaveLength(3)
  })

  it('may lead to another call at once', () => {
    const { client, run } = lab({
      login: (departure, nth) => (nth === 1 ? problem(403, 'forbidden') : tokens()(departure, nth)),
    })
    const either = client.charges
      .retrieve({ id: 'a' })
      .pipe(orElse(() => client.charges.retrieve({ id: 'b' })))
    expect(run(either).map(({ value }) => value)).toEqual([E.right(CHARGE)])
  })
})

describe('logins', () => {
  it('have a limit of their own, per minute', () => {
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

describe('a token that was replaced', () => {
  it('is a secret like the one in its place', () => {
    const { client, events, run, sent } = lab({
      play: (_, nth) =>
        nth === 1 ? problem(401, 'x') : problem(400, 'y', `${tokenOf(1)}, ${tokenOf(2)}`),
    })
    const tokenOf = (n: number) => bearer(n).slice('Bearer '.length)
    const out = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(authorizations(sent).slice(1)).toContain(bearer(2))
    expect(out[0]?.value).toMatchObject(
      E.left({ message: expect.stringMatching(/400 y: \[secret\]$/) }),
    )
    expect(JSON.stringify([out, events])).not.toMatch(/token-\d/)
  })
})

describe('a token of the caller’s own', () => {
  it('is obtained once, and again after a 401', () => {
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

  it('has the time limit of headers, and is cancelled with the call', () => {
    let given = 0
    const never = new Observable<never>(() => () => given++)
    const { client, timer, run } = lab({
      credentials: { token: () => never },
      timeout: { headers: 700 },
    })
    const [out] = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(out).toMatchObject({
      at: 700,
      value: E.left({ message: expect.stringContaining('nothing within 700 ms') }),
    })
    expect(given).toBe(1)
    const waiting = client.charges.retrieve({ id: 'chg_1' }).subscribe()
    timer.schedule(() => waiting.unsubscribe(), 10)
    timer.flush()
    expect(given).toBe(2)
  })

  it('is the first of a source that emits several', () => {
    const { client, sent, run } = lab({
      credentials: { token: () => of({ token: 'first' }, { token: 'second' }) },
    })
    run(client.charges.create(NEW_CHARGE))
    expect(authorizations(sent)).toEqual(['Bearer first'])
  })

  it.each([
    ['throws', () => throwError(() => new RangeError('the secret is 12345'))],
    ['throws with code', () => throwError(() => Object.assign(new Error(), { code: 'is 12345' }))],
    ['gives nothing', () => EMPTY],
    ['never answers', () => NEVER],
    ['never resolves', () => new Promise<never>(() => {})],
    ['gives what fits no header', () => of({ token: 'two\nlines' })],
    ['gives one that has ended', () => of({ token: 'late', expiresAt: new Date(-1) })],
  ])('that a source cannot give, because it %s, ends the call as Unauthorized', (_, token) => {
    const { client, sent, run } = lab({ credentials: { token } })
    const out = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(out.map(({ value }) => value)).toEqual([
      E.left(expect.objectContaining({ _tag: 'Unauthorized', code: 'token_source_failed' })),
    ])
    expect(JSON.stringify(out)).not.toMatch(/12345|late|two|undefined/)
    expect(sent).toEqual([])
  })

  it.each<readonly [unknown, string]>([
    [new RangeError('the secret is 12345'), 'RangeError'],
    [
      new TypeError('fetch failed', {
        cause: Object.assign(new Error('connect 12345'), { code: 'ECONNREFUSED' }),
      }),
      'TypeError, ECONNREFUSED',
    ],
    [Object.assign(new Error('no'), { code: 'the secret is 12345' }), 'Error'],
    ['12345', 'an error'],
  ])('is told by the kind of the error, %s', (error, kind) => {
    const { client, run } = lab({ credentials: { token: () => throwError(() => error) } })
    expect(run(client.charges.retrieve({ id: 'chg_1' })).map(({ value }) => value)).toMatchObject([
      E.left({ message: `credentials.token should return a token, but returned ${kind}` }),
    ])
  })

  it.each(['2026-01-01T00:00:00Z', 1_767_225_600, null])('ends by no Date: %j', (expiresAt) => {
    const token = () => of(JSON.parse(JSON.stringify({ token: 'abc', expiresAt })))
    const { client, run } = lab({ credentials: { token } })
    expect(run(client.charges.retrieve({ id: 'chg_1' })).map(({ value }) => value)).toMatchObject([
      E.left({ message: expect.stringContaining('returned one whose expiresAt is not a Date') }),
    ])
  })
})

describe('a login that is not there (404)', () => {
  it.each([
    ['https://lab.test/api/v1', 'the base URL should not end with /api/v1'],
    ['https://lab.test/gateway/api/v1/', 'the base URL should not end with /gateway/api/v1'],
    ['https://lab.test/gateway', 'is this the base URL of the platform?'],
  ])('is told as a wrong base URL, and not as wrong keys: %s', (baseUrl, words) => {
    const { client, sent, run } = lab({ baseUrl, play: () => problem(404, 'not_found') })
    const [out] = run(client.charges.retrieve({ id: 'chg_1' }))
    expect(out?.value).toMatchObject({
      left: { _tag: 'Refused', status: 404, endpoint: LOGIN, attempts: 0 },
    })
    expect(JSON.stringify(out?.value)).toContain(words)
    expect(sent).toHaveLength(1)
  })
})
