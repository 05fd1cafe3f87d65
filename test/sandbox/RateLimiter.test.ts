import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Arrival, RateLimiter, type SandboxTier } from '../../src/sandbox/RateLimiter.js'

const off = Number.POSITIVE_INFINITY
const none = { global: off, endpoint: off, concurrency: off, logins: off }

const call = (endpoint: string): Arrival => ({ _tag: 'Call', endpoint })
const login = (apiKey: string): Arrival => ({ _tag: 'Login', apiKey })

describe('a rolling window', () => {
  it('never lets in more than its limit, in any span that is looked at', () => {
    const arrivals = fc.array(fc.nat(400), { maxLength: 200 })
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 8 }), (pauses, endpoint) => {
        const limiter = new RateLimiter({ ...none, endpoint })
        const letIn: Array<number> = []
        let now = 0
        for (const pause of pauses) {
          now += pause
          const within = letIn.filter((at) => at > now - 1_000).length
          const refused = limiter.enter(call('a'), now)
          expect(refused).toBe(within >= endpoint ? 'endpoint' : undefined)
          if (refused === undefined) letIn.push(now)
        }
      }),
    )
  })

  it('forgets many arrivals', () => {
    const limiter = new RateLimiter({ ...none, global: 10_000 })
    for (let now = 0; now < 30_000; now++) expect(limiter.enter(call('a'), now)).toBeUndefined()
  })
})

describe('the rate limiter', () => {
  const entered = (
    limits: Partial<typeof none>,
    ...arrivals: ReadonlyArray<readonly [number, Arrival]>
  ): ReadonlyArray<SandboxTier | undefined> => {
    const limiter = new RateLimiter({ ...none, ...limits })
    return arrivals.map(([now, arrival]) => limiter.enter(arrival, now))
  }

  it('counts an endpoint over the last second, to the millisecond', () => {
    const arrivals = [0, 500, 999, 1_000, 1_499, 1_500].map((now) => [now, call('a')] as const)
    expect(entered({ endpoint: 2 }, ...arrivals)).toEqual([
      undefined,
      undefined,
      'endpoint',
      undefined,
      'endpoint',
      undefined,
    ])
  })

  it('counts each endpoint by itself, and all of them together', () => {
    const arrivals = ['a', 'a', 'b', 'c', 'c'].map((name) => [0, call(name)] as const)
    expect(entered({ endpoint: 1, global: 2 }, ...arrivals)).toEqual([
      undefined,
      'endpoint',
      undefined,
      'global',
      'global',
    ])
  })

  it('counts a request for an unknown route once, against the global limit', () => {
    const unknown = [0, { _tag: 'UnknownRoute' }] as const
    expect(entered({ endpoint: 1, global: 2 }, unknown, unknown, unknown)).toEqual([
      undefined,
      undefined,
      'global',
    ])
  })

  it('names concurrency first, then the limit of an endpoint, then that of all', () => {
    const twice = [[0, call('a')] as const, [0, call('a')] as const]
    expect(entered({ concurrency: 1, endpoint: 1, global: 1 }, ...twice)[1]).toBe('concurrency')
    expect(entered({ endpoint: 1, global: 1 }, ...twice)[1]).toBe('endpoint')
  })

  it('takes no permit for a request that it refuses', () => {
    const arrivals = [0, 600, 700, 1_000, 1_599, 1_600].map((now) => [now, call('a')] as const)
    expect(entered({ global: 1 }, ...arrivals)).toEqual([
      undefined,
      'global',
      'global',
      undefined,
      'global',
      'global',
    ])
    // refused by the endpoint at 0, so the global permit is still there for b
    expect(entered({ endpoint: 0, global: 1 }, [0, call('a')])).toEqual(['endpoint'])
  })

  it('counts logins by key and minute, with the global limit but without that of endpoints', () => {
    const limits = { endpoint: 1, global: 4, logins: 2 }
    const arrivals = [
      [0, login('k1')],
      [0, login('k1')],
      [30_000, login('k1')],
      [30_000, login('k2')],
      [59_999, login('k1')],
      [60_000, login('k1')],
    ] as const
    expect(entered(limits, ...arrivals)).toEqual([
      undefined,
      undefined,
      'logins',
      undefined,
      'logins',
      undefined,
    ])
    const many = ['k1', 'k2', 'k3', 'k4', 'k5'].map((key) => [0, login(key)] as const)
    expect(entered(limits, ...many)[4]).toBe('global')
  })

  it('counts requests toward concurrency until they leave', () => {
    const limiter = new RateLimiter({ ...none, concurrency: 2 })
    expect([0, 0, 0].map((now) => limiter.enter(call('a'), now))).toEqual([
      undefined,
      undefined,
      'concurrency',
    ])
    limiter.leave()
    expect(limiter.concurrency).toBe(1)
    expect(limiter.enter(call('b'), 5_000)).toBeUndefined()
    expect(limiter.enter(call('b'), 5_000)).toBe('concurrency')
  })
})
