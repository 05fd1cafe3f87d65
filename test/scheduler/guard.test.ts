import { defer, Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Limits } from '../../bench/simulated/judge.js'
import { type Network, networks } from '../../bench/simulated/network.js'
import { seeded, uniform } from '../../bench/simulated/random.js'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import {
  createScheduler,
  type Guard,
  rate,
  type SchedulerState,
  schedule,
} from '../../src/scheduler/index.js'
import { refused, world } from './world.js'

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

/** Sends so many requests to one endpoint, through one network after the other. */
const send = (guard: Guard, requests: number, ...through: ReadonlyArray<Network | undefined>) => {
  const w = world(limits, { guard })
  const random = seeded(11)
  let done = 0
  for (let i = 0; i < requests; i++) {
    const network = (): Network | undefined =>
      through[Math.min(through.length - 1, Math.floor((done * through.length) / requests))]
    const delays = {
      up: () => network()?.uplink(random) ?? 0,
      work: () => network()?.processing(random) ?? 0,
      down: () => network()?.downlink(random) ?? 0,
    }
    w.send(`${i}`, 'a', delays)
      .pipe(schedule(w.scheduler, 'a', { refused, attempts: 100 }))
      .subscribe(() => done++)
  }
  let state: SchedulerState | undefined
  w.scheduler.state.subscribe((now) => {
    state = now
  })
  w.timer.flush()
  const { first, last } = w.server.arrivals()
  return {
    done,
    share: ((requests / limits.endpoint - 1) * limits.per) / (last - first),
    refused: (w.server.refused() * 1_000) / requests,
    guard: state?.tiers.find(({ name }) => name === 'endpoint')?.guard,
  }
}

describe('the learned guard', () => {
  it.each([
    ['loopback', 0.995, 0],
    ['steady', 0.985, 1],
    ['wan', 0.955, 4],
    ['jittery', 0.92, 7],
  ])('on %s uses %d of the quota with %d refused of 1,000', (name, share, most) => {
    const result = send('learned', 2_000, networks[name])
    expect(result.done).toBe(2_000)
    expect(result.share).toBeGreaterThan(share)
    expect(result.refused).toBeLessThanOrEqual(most)
  })

  it('is wide at first, and as wide as the network afterwards', () => {
    expect(send('learned', 400, networks.loopback).guard).toBeLessThan(4)
    const { guard } = send('learned', 400, networks.jittery)
    expect(guard).toBeGreaterThan(20)
    expect(guard).toBeLessThan(150)
  })

  it('survives a change of network, for the worse and for the better', () => {
    const worse = send('learned', 2_000, networks.loopback, networks.jittery)
    expect(worse.done).toBe(2_000)
    expect(worse.refused).toBeLessThan(20)
    const better = send('learned', 3_000, networks.jittery, networks.loopback, networks.loopback)
    expect(better.done).toBe(3_000)
    expect(better.guard).toBeLessThan(10)
  })

  it('is never wider than half a window', () => {
    const wild: Network = {
      uplink: uniform(0, 3_000),
      processing: uniform(0, 3_000),
      downlink: uniform(0, 10),
    }
    expect(send('learned', 300, wild).guard).toBeLessThanOrEqual(500)
  })
})

describe('the first batch', () => {
  /** Returns when the second window began, and how many were refused, if the first fifty took so long to connect. */
  const secondWindow = (opening: number) => {
    const w = world({ ...limits, endpoint: 100 })
    const starts: Array<number> = []
    const random = seeded(3)
    const trip = uniform(38, 42)
    for (let i = 0; i < 300; i++) {
      defer(() => {
        const up = trip(random) + (starts.length < limits.concurrent ? opening : 0)
        starts.push(w.timer.now())
        return w.send(`${i}`, 'a', { up, work: 10, down: trip(random) })
      })
        .pipe(schedule(w.scheduler, 'a', { refused }))
        .subscribe()
    }
    w.timer.flush()
    return { after: (starts[limits.global] ?? 0) - (starts[0] ?? 0), refused: w.server.refused() }
  }

  it('is known to have found open connections, by the round trips of those that follow on them', () => {
    const { after, refused } = secondWindow(0)
    expect(after).toBeGreaterThan(1_000)
    expect(after).toBeLessThan(1_015)
    expect(refused).toBe(0)
  })

  it('is known to have opened its connections in turn, when no request follows on them', () => {
    const w = world({ ...limits, endpoint: 100, concurrent: 100 })
    const random = seeded(3)
    const trip = uniform(0.1, 0.4)
    const starts: Array<number> = []
    for (let i = 0; i < 200; i++) {
      defer(() => {
        const up = trip(random) + (starts.length < 100 ? 0.8 * starts.length : 0)
        starts.push(w.timer.now())
        return w.send(`${i}`, 'a', { up, work: 0.5, down: trip(random) })
      })
        .pipe(schedule(w.scheduler, 'a', { refused }))
        .subscribe()
    }
    w.timer.flush()
    const after = (starts[limits.global] ?? 0) - (starts[0] ?? 0)
    expect(after).toBeGreaterThan(1_079)
    expect(after).toBeLessThan(1_110)
    expect(w.server.refused()).toBe(0)
  })

  it.each([20, 60, 120, 400])('is known to have opened its connections for %d ms', (opening) => {
    const { after, refused } = secondWindow(opening)
    expect(after).toBeGreaterThan(1_000 + opening)
    expect(after).toBeLessThan(1_015 + opening)
    expect(refused).toBe(0)
  })
})

describe('an endpoint that waits for its own permits', () => {
  const weights = [180, 180, 140, 120, 120, 100, 80, 80]
  const requests = Array.from({ length: 180 }, (_, turn) =>
    weights.flatMap((weight, i) => (turn < weight ? [`${i}`] : [])),
  ).flat()

  const shareOf = (seed: number): number => {
    const w = world({ ...limits, concurrent: 1_000 })
    const random = seeded(seed)
    const { uplink, processing, downlink } = networks.jittery ?? {}
    requests.forEach((endpoint, i) => {
      const delays = {
        up: () => uplink?.(random) ?? 0,
        work: () => processing?.(random) ?? 0,
        down: () => downlink?.(random) ?? 0,
      }
      w.send(`${i}`, endpoint, delays)
        .pipe(schedule(w.scheduler, endpoint, { refused, attempts: 100 }))
        .subscribe()
    })
    w.timer.flush()
    const { first, last, accepted } = w.server.arrivals()
    expect(accepted).toBe(requests.length)
    return 9_000 / (last - first)
  }

  it('is served when they are released sooner than expected, and misses no window', () => {
    const shares = Array.from({ length: 30 }, (_, seed) => shareOf(seed + 1))
    expect(Math.min(...shares)).toBeGreaterThan(0.79) // one window more at the end is 0.08
  })
})

describe('the safe guard', () => {
  it.each(Object.keys(networks))('gets nothing refused on %s', (name) => {
    const result = send('safe', 500, networks[name])
    expect(result.done).toBe(500)
    expect(result.refused).toBe(0)
  })
})

describe('a low limit', () => {
  it.each([1, 2, 4])(
    'such as %d is used again a window after its answers, before there are enough to learn from',
    (limit) => {
      const w = world({ ...limits, endpoint: limit })
      const starts: Array<number> = []
      for (let i = 0; i < 3 * limit; i++) {
        defer(() => {
          starts.push(w.timer.now())
          return w.send(`${i}`, 'a', { up: 20, work: 10, down: 20 })
        })
          .pipe(schedule(w.scheduler, 'a', { refused }))
          .subscribe()
      }
      w.timer.flush()
      expect(starts[limit]).toBeGreaterThan(1_049)
      expect(starts[limit]).toBeLessThan(1_056)
      expect(w.server.refused()).toBe(0)
    },
  )
})

describe('a first batch that fails without an answer', () => {
  it.each([
    [20, 1_000],
    [30, 60_000],
    [1_000, 86_400_000],
  ])('delays the next one no longer than the safe guard does: %d in %d ms', (limit, per) => {
    const next = (guard: Guard): number => {
      const timer = virtualTimer()
      const tiers = [rate<void>({ name: 'all', limit, per })]
      const scheduler = createScheduler({ timer, guard, tiers })
      let started = Number.NaN
      const lost = new Observable<never>((subscriber) => {
        started = timer.now()
        return timer.schedule(() => subscriber.error(new Error('ECONNREFUSED')), 5)
      })
      for (let i = 0; i <= limit; i++) {
        lost.pipe(schedule(scheduler, undefined)).subscribe({ error: () => {} })
      }
      timer.flush()
      return started
    }
    expect(next('learned')).toBeGreaterThanOrEqual(per + 1_000) // it may still be under way
    expect(next('learned')).toBeLessThanOrEqual(next('safe'))
  })
})
