/** The state of a scheduler, and its memory after requests are gone. */
import fc from 'fast-check'
import { NEVER, of, timer as rxTimer, type Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { judge, type Limits } from '../../bench/simulated/judge.js'
import { networks } from '../../bench/simulated/network.js'
import { seeded } from '../../bench/simulated/random.js'
import { stallsUntil } from '../../bench/simulated/stalls.js'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  rate,
  type SchedulerState,
  schedule,
} from '../../src/scheduler/index.js'
import { runs } from '../support/runs.js'
import { refused, stateOf, world } from './world.js'

describe('the state', () => {
  it('is emitted at once, and then every 250 ms while something happens', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler({
      tiers: [rate({ name: 'r', limit: 2, per: 1_000 })],
      guard: 0,
      timer,
    })
    const seen: Array<SchedulerState> = []
    const subscription = scheduler.state.subscribe((state) => seen.push(state))
    expect(seen.length).toBe(1)
    expect(timer.pending()).toBe(0)
    for (let i = 0; i < 3; i++) of(i).pipe(schedule(scheduler, undefined)).subscribe()
    timer.flush(250)
    expect(seen.length).toBe(2)
    expect(seen[1]).toMatchObject({ waiting: 1, inFlight: 0, started: 2, refused: 0 })
    expect(seen[1]?.tiers[0]).toMatchObject({ name: 'r', limit: 2, used: 2, waiting: 1, share: 1 })
    subscription.unsubscribe()
    timer.flush()
    expect(seen.length).toBe(2)
    expect(timer.pending()).toBe(0)
  })
})

describe('the requests under way of each tier', () => {
  const threeTiers = () => {
    const timer = virtualTimer()
    const scheduler = createScheduler<string>({
      tiers: [
        rate({ name: 'all', limit: 10, per: 1_000 }),
        rate({ name: 'some', limit: 3, per: 1_000, key: (key) => key || undefined }),
        concurrency({ name: 'concurrency', limit: 20, key: (key) => key }),
      ],
      timer,
      random: () => 0,
    })
    const start = (key: string): Subscription => NEVER.pipe(schedule(scheduler, key)).subscribe()
    const tiers = () => stateOf(scheduler)?.tiers
    const inFlight = () => tiers()?.map(({ inFlight }) => inFlight)
    return { inFlight, scheduler, start, tiers, timer }
  }

  it('are those that it counts, of all keys, without those that wait', () => {
    const { inFlight, start } = threeTiers()
    expect(inFlight()).toEqual([0, 0, 0])
    for (const key of ['', '', 'a', 'a', 'a', 'a', 'b']) start(key)
    expect(inFlight()).toEqual([6, 4, 6])
  })

  it('are not those that have ended, though their permits are still held', () => {
    const { inFlight, start, tiers } = threeTiers()
    const first = start('a')
    start('b')
    first.unsubscribe()
    expect(inFlight()).toEqual([1, 1, 1])
    expect(tiers()?.map(({ used }) => used)).toEqual([2, 2, 2])
  })

  it('are not those that back off', () => {
    const { inFlight, scheduler, timer } = threeTiers()
    let sent = 0
    of(1)
      .pipe(schedule(scheduler, 'a', { refused: () => (++sent > 2 ? O.none : O.some({})) }))
      .subscribe()
    expect(stateOf(scheduler)).toMatchObject({ backingOff: 1, inFlight: 0 })
    expect(inFlight()).toEqual([0, 0, 0])
    timer.flush()
    expect(sent).toBe(3)
  })

  it('are told for each key, with those that wait and the permits held', () => {
    const { start, tiers } = threeTiers()
    for (const key of ['a', 'a', 'a', 'a', 'b']) start(key)
    expect(tiers()?.[1]?.perKey).toEqual([
      { key: 'a', waiting: 1, used: 3, allowed: 3 },
      { key: 'b', waiting: 0, used: 1, allowed: 3 },
    ])
    expect(tiers()?.[0]?.perKey).toEqual([{ key: undefined, waiting: 1, used: 4, allowed: 10 }])
  })
})

describe('nothing stays behind', () => {
  it('no timer of the state, when its last subscriber has left', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler({ tiers: [], timer })
    const watching = [scheduler.state.subscribe(), scheduler.state.subscribe()]
    of(1).pipe(schedule(scheduler, undefined)).subscribe()
    timer.flush(0) // the turn in which the request left is over
    watching[0]?.unsubscribe()
    expect(timer.pending()).toBe(1)
    watching[1]?.unsubscribe()
    expect(timer.pending()).toBe(0)
  })

  it('no timer, when all requests have ended or were cancelled', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler({
      tiers: [rate({ name: 'r', limit: 1, per: 1_000_000 }), concurrency({ name: 'c', limit: 1 })],
      timer,
    })
    of(1).pipe(schedule(scheduler, undefined)).subscribe()
    const waiting = [NEVER, NEVER].map((s) => s.pipe(schedule(scheduler, undefined)).subscribe())
    timer.flush(10)
    expect(timer.pending()).toBe(1)
    for (const subscription of waiting) subscription.unsubscribe()
    expect(timer.pending()).toBe(0)
  })

  it('after keys whose requests were refused long ago', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler<string>({
      tiers: [rate({ name: 'r', limit: 4, per: 100, key: (key) => key })],
      timer,
      guard: 0,
      refusals: { attempts: 1 },
    })
    const ask = (key: string, times: number, refused: () => O.Option<object>): void => {
      for (let i = 0; i < times; i++) {
        rxTimer(5, timer)
          .pipe(schedule(scheduler, key, { refused }))
          .subscribe()
      }
      timer.flush(timer.now() + 200)
    }
    for (let n = 0; n < 1_000; n++) ask(`bad ${n}`, 20, () => O.some({}))
    timer.flush(timer.now() + 3_600_000)
    for (let n = 0; n < 3_000; n++) ask(`good ${n}`, 1, () => O.none)
    const state = stateOf(scheduler)
    expect(state?.tiers[0]?.keys).toBeLessThan(1_000)
  })

  it('after keys that are no longer used', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler<number>({
      tiers: [rate({ name: 'r', limit: 1, per: 10, key: (n) => `${n}` })],
      timer,
    })
    for (let n = 0; n < 20_000; n++) {
      of(n).pipe(schedule(scheduler, n)).subscribe()
      timer.flush(n)
    }
    const state = stateOf(scheduler)
    expect(state?.tiers[0]?.keys).toBeLessThan(2_000)
    expect(state).toMatchObject({ started: 20_000, waiting: 0 })
  })
})

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

interface Batch {
  readonly endpoint: string
  readonly count: number
  /** In ms. */
  readonly at: number
}

interface Run {
  readonly batches: ReadonlyArray<Batch>
  /** The limit that the server really has for one endpoint. */
  readonly real: number
  readonly watched: boolean
  /** From when to when the machine of the client stalls. */
  readonly stalls?: ReadonlyArray<readonly [number, number]>
}

/** When each request had its answer. */
const run = ({ batches, real, watched, stalls = [] }: Run): ReadonlyArray<number> => {
  const w = world(limits, {}, { here: stalls, there: [] })
  w.server = judge({ ...limits, endpoint: real })
  const random = seeded(1)
  const ended: Array<number> = []
  const send = (endpoint: string): void => {
    const { uplink, processing, downlink } = networks.steady ?? {}
    w.send('', endpoint, {
      up: uplink?.(random) ?? 0,
      work: processing?.(random) ?? 0,
      down: downlink?.(random) ?? 0,
    })
      .pipe(schedule(w.scheduler, endpoint, { refused, attempts: 1_000 }))
      .subscribe(() => ended.push(w.timer.now()))
  }
  if (watched) w.scheduler.state.subscribe()
  for (const { endpoint, count, at } of batches) {
    w.timer.schedule(() => {
      for (let i = 0; i < count; i++) send(endpoint)
    }, at)
  }
  w.timer.flush()
  return ended
}

describe('subscribing to the state', () => {
  it('makes no higher limit be tried that is not used', () => {
    const batches = [
      { endpoint: 'a', count: 100, at: 0 },
      { endpoint: 'b', count: 600, at: 0 },
      { endpoint: 'a', count: 60, at: 40_000 },
    ]
    const unwatched = run({ batches, real: 10, watched: false })
    expect(unwatched).toHaveLength(760)
    expect(run({ batches, real: 10, watched: true })).toEqual(unwatched)
  })

  it('never changes when a request is sent', () => {
    const batch = fc.record({
      endpoint: fc.constantFrom('a', 'b', 'c'),
      count: fc.integer({ min: 1, max: 150 }),
      at: fc.integer({ min: 0, max: 40_000 }),
    })
    const many = fc.array(batch, { minLength: 1, maxLength: 6 })
    const busy = fc
      .tuple(fc.integer({ min: 1, max: 1_000 }), fc.nat())
      .map(([ms, seed]) => stallsUntil(60_000, { perSecond: 1 / 3, ms }, seeded(seed)))
    fc.assert(
      fc.property(many, fc.integer({ min: 2, max: 20 }), busy, (batches, real, stalls) => {
        const unwatched = run({ batches, real, stalls, watched: false })
        expect(unwatched).toHaveLength(batches.reduce((sum, { count }) => sum + count, 0))
        expect(run({ batches, real, stalls, watched: true })).toEqual(unwatched)
      }),
      { numRuns: runs(40) },
    )
  })
})
