import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Arrival, rateLimiter, type SandboxTier } from '../../src/sandbox/RateLimiter.js'
import { rollingWindow } from '../../src/sandbox/RollingWindow.js'

const off = Number.POSITIVE_INFINITY
const none = { global: off, endpoint: off, concurrency: off, logins: off }

const call = (endpoint: string): Arrival => ({ _tag: 'Call', endpoint })
const login = (apiKey: string): Arrival => ({ _tag: 'Login', apiKey })

describe('a rolling window', () => {
  it('never lets more in than it has places, whatever span is looked at', () => {
    const arrivals = fc.array(fc.nat(400), { maxLength: 200 })
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 8 }), (pauses, places) => {
        const window = rollingWindow(places, 1_000)
        const inside: Array<number> = []
        let now = 0
        for (const pause of pauses) {
          now += pause
          const within = inside.filter((at) => at > now - 1_000).length
          expect(window.isFull(now)).toBe(within >= places)
          if (window.isFull(now)) continue
          window.enter(now)
          inside.push(now)
        }
      }),
    )
  })

  it('keeps up with many arrivals', () => {
    const window = rollingWindow(10_000, 1_000)
    for (let now = 0; now < 30_000; now++) window.enter(now)
    expect(window.isFull(30_000)).toBe(false)
  })
})

describe('the rate limiter', () => {
  const entered = (
    limits: Partial<typeof none>,
    ...arrivals: ReadonlyArray<readonly [number, Arrival]>
  ): ReadonlyArray<SandboxTier | undefined> => {
    const { enter } = rateLimiter({ ...none, ...limits })
    return arrivals.map(([now, arrival]) => enter(arrival, now))
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

  it('counts what is astray once, against the global limit', () => {
    const astray = [0, { _tag: 'Astray' }] as const
    expect(entered({ endpoint: 1, global: 2 }, astray, astray, astray)).toEqual([
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

  it('gives no place to what it refuses', () => {
    const arrivals = [0, 600, 700, 1_000, 1_599, 1_600].map((now) => [now, call('a')] as const)
    expect(entered({ global: 1 }, ...arrivals)).toEqual([
      undefined,
      'global',
      'global',
      undefined,
      'global',
      'global',
    ])
    // refused by the endpoint at 0, so the global place is still there for b
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

  it('counts who is inside until they leave', () => {
    const { enter, leave, inside } = rateLimiter({ ...none, concurrency: 2 })
    expect([0, 0, 0].map((now) => enter(call('a'), now))).toEqual([
      undefined,
      undefined,
      'concurrency',
    ])
    leave()
    expect(inside()).toBe(1)
    expect(enter(call('b'), 5_000)).toBeUndefined()
    expect(enter(call('b'), 5_000)).toBe('concurrency')
  })
})
