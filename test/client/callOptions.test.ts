/** `with({ headers, retry, deadline })`, in virtual time. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E } from '../../src/fp.js'
import { type CallOptions, type ClientOptions, InvalidOption } from '../../src/index.js'
import {
  CHARGE,
  CREATE,
  LIST,
  lab,
  NEW_CHARGE,
  problem,
  RESET,
  type Reply,
  tokens,
} from '../support/lab.js'

const AUTHORIZED = { authorization: `Bearer token-1-${'x'.repeat(8)}` }

describe('headers', () => {
  it('go with each request of these calls, in addition to those of the client', () => {
    const { client, calls, logins, run } = lab({ headers: { 'X-Gateway': 'a' } })
    run(client.with({ headers: { 'x-team': 'b', 'X-GATEWAY': 'c' } }).charges.retrieve({ id: '1' }))
    run(client.charges.retrieve({ id: '2' }))
    expect(calls().map(({ request }) => request.headers)).toMatchObject([
      { 'x-gateway': 'c', 'x-team': 'b', ...AUTHORIZED },
      { 'x-gateway': 'a', ...AUTHORIZED },
    ])
    expect(calls()[1]?.request.headers).not.toHaveProperty('x-team')
    expect(logins()[0]?.request.headers).toMatchObject({ 'x-gateway': 'a' })
  })

  it.each([
    ['Authorization', 'omitted: the client sets it from the option credentials'],
    ['x-api-key', 'omitted: the client sets it from the option credentials'],
    ['X-On-Behalf-Of', 'omitted: the client sets it from the option onBehalfOf'],
    ['x-api-version', 'omitted: the client sets it from the option apiVersion'],
    ['Content-Type', 'omitted: the client sets it'],
    ['user-agent', 'omitted: the client sets it'],
    ['transfer-encoding', 'omitted: the client sets it'],
    ['x-pan', 'omitted: it is a parameter of a call'],
    ['x gateway', 'named as a header can be'],
  ])('refuses %s', (name, expected) => {
    const { client } = lab()
    const add = () => client.with({ headers: { [name]: 'hunter22' } })
    expect(add).toThrow(InvalidOption)
    expect(add).toThrow(`headers.${name} should be ${expected}`)
    expect(add).not.toThrow('hunter22')
    expect(() => lab({ headers: { [name]: 'hunter22' } })).toThrow(`headers.${name} should be`)
  })

  it('refuses a value that does not fit a header', () => {
    const { client } = lab()
    expect(() => client.with({ headers: { 'x-gateway': 'a\r\nb' } })).toThrow(
      'headers.x-gateway should be a valid header value',
    )
  })

  it('that are secrets by their name are not repeated by a failure', () => {
    const play = () =>
      problem(400, 'invalid_argument', 'no access with sesame-1234, team blue-5678')
    const { client, run } = lab({ play })
    const headers = { 'x-gateway-token': 'sesame-1234' }
    const out = run(client.with({ headers }).charges.retrieve({ id: '1' }))
    expect(JSON.stringify(out)).toContain('[secret]')
    expect(JSON.stringify(out)).not.toContain('sesame')
    const team = run(
      client.with({ headers: { 'x-team': 'blue-5678' } }).charges.retrieve({ id: '1' }),
    )
    expect(JSON.stringify(team)).toContain('blue-5678')
  })
})

describe('retry', () => {
  it.each<readonly [string, Reply, object, number]>([
    ['faults', problem(503, 'internal_error'), { faults: 0 }, 1],
    ['faults', problem(503, 'internal_error'), { faults: 4 }, 5],
    ['throttled', problem(429, 'too_many_requests'), { throttled: 0 }, 1],
    ['throttled', problem(429, 'too_many_requests'), { throttled: 9 }, 10],
    ['patience', problem(503, 'internal_error'), { patience: 1 }, 1],
  ])('%s of some calls differ from those of the client', (_, reply, retry, attempts) => {
    const play = () => reply
    const { client, calls, run } = lab({ play, retry: { throttled: 2, faults: 2, budget: 100 } })
    run(client.with({ retry }).charges.retrieve({ id: '1' }))
    expect(calls()).toHaveLength(attempts)
    run(client.charges.retrieve({ id: '1' }))
    expect(calls()).toHaveLength(attempts + 3)
  })

  it('throttled also holds with the scheduler of another client', () => {
    const play = () => problem(429, 'too_many_requests')
    const { scheduler } = lab().client
    const { client, calls, run } = lab({ play, scheduler, retry: { throttled: 0 } })
    const [out] = run(client.charges.retrieve({ id: '1' }))
    expect(out?.value).toMatchObject(E.left({ _tag: 'Throttled' }))
    expect(calls()).toHaveLength(1)
  })

  it('has no budget, which is that of the client', () => {
    type Names<Options> = keyof NonNullable<Options>
    expectTypeOf<Names<CallOptions['retry']>>().toEqualTypeOf<'throttled' | 'faults' | 'patience'>()
    expectTypeOf<Names<ClientOptions['retry']>>().toEqualTypeOf<
      Names<CallOptions['retry']> | 'budget'
    >()
    const { client } = lab()
    const retry: object = { budget: 1 }
    expect(() => client.with({ retry })).toThrow('retry.budget should be omitted')
  })
})

describe('deadline', () => {
  const timedOut = (limit: number, attempts: number) =>
    expect.objectContaining({ _tag: 'TimedOut', phase: 'deadline', limit, attempts })

  it('gives a request up that is not answered', () => {
    const { client, run, aborted } = lab({ play: () => ({ ms: 30_000, body: CHARGE }) })
    const out = run(client.with({ deadline: 5_000 }).charges.retrieve({ id: '1' }))
    expect(out).toEqual([{ at: 5_000, value: E.left(timedOut(5_000, 1)) }])
    expect(out[0]?.value).toMatchObject({
      left: {
        message:
          'GET /api/v1/charges/{id}: not done within the deadline of 5000 ms (after 1 attempt)',
      },
    })
    expect(aborted()).toBe(1)
  })

  it('ends a login, a pause between retries, and a pause after a 429', () => {
    const login = lab({ login: (...args) => ({ ...tokens()(...args), ms: 9_000 }) })
    const [out] = login.run(login.client.with({ deadline: 5_000 }).charges.retrieve({ id: '1' }))
    expect(out).toEqual({ at: 5_000, value: E.left(timedOut(5_000, 0)) })
    for (const [status, code] of [
      [503, 'internal_error'],
      [429, 'too_many_requests'],
    ] as const) {
      const { client, run } = lab({
        play: () => ({ ...problem(status, code), headers: { 'retry-after': '30' } }),
      })
      const [out, ...more] = run(client.with({ deadline: 5_000 }).charges.retrieve({ id: '1' }))
      expect(out?.at).toBe(5_000)
      expect(out?.value).toMatchObject(E.left({ _tag: 'TimedOut', phase: 'deadline' }))
      expect(more).toEqual([])
    }
  })

  it('ends the wait in the queue, which sends nothing', () => {
    const { client, calls, run } = lab({
      play: () => ({ ms: 60_000, body: CHARGE }),
      limits: { concurrency: 1 },
    })
    const first = client.charges.retrieve({ id: '1' }).subscribe()
    const out = run(client.with({ deadline: 5_000 }).charges.create(NEW_CHARGE))
    expect(out[0]).toMatchObject({ at: 5_000, value: E.left(timedOut(5_000, 0)) })
    expect(calls()).toHaveLength(1)
    first.unsubscribe()
  })

  it('leaves a write that may have arrived as ambiguous, with its request_id', () => {
    const play = ({ route }: { readonly route: string }): Reply =>
      route === CREATE ? { ms: 4_000, outage: RESET } : { ms: 30_000, body: CHARGE }
    const { client, calls, run } = lab({ play, retry: { faults: 0 } })
    // once during the request, and once during the look-up after it
    for (const [deadline, sent] of [
      [3_000, [CREATE]],
      [5_000, [CREATE, LIST]],
    ] as const) {
      const before = calls().length
      const [out] = run(client.with({ deadline }).charges.create(NEW_CHARGE))
      expect(out?.value).toMatchObject(
        E.left({ _tag: 'Ambiguous', requestId: expect.stringMatching(/^uuid-/), attempts: 1 }),
      )
      expect(
        calls()
          .slice(before)
          .map(({ route }) => route),
      ).toEqual(sent)
    }
  })

  it('is for each page of a list, and counts from the subscription', () => {
    const play = (_: unknown, nth: number): Reply => ({
      ms: 900,
      body: { has_more: nth < 3, items: [{ ...CHARGE, id: `chg_${nth}` }] },
    })
    const { client, run } = lab({ play })
    const out = run(client.with({ deadline: 1_000 }).charges.list())
    expect(out.map(({ value }) => value)).toEqual([1, 2, 3].map(() => E.right(expect.anything())))
  })

  it('is more than 0 milliseconds', () => {
    const { client } = lab()
    expect(() => client.with({ deadline: 0 })).toThrow(
      'deadline should be more than 0 milliseconds',
    )
  })
})
