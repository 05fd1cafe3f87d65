/** Clocks that are set while requests wait, timers that are early, and turns that take long. */
import fc from 'fast-check'
import {
  Observable,
  of,
  type SchedulerAction,
  type SchedulerLike,
  type Subscription,
  VirtualTimeScheduler,
} from 'rxjs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { createScheduler, type Guard, rate, schedule } from '../../src/scheduler/index.js'
import { runs } from '../support/runs.js'
import { sentAt } from './world.js'

/** A timer whose clock can be set to another time; its delays stay as they are. */
const jumping = () => {
  const timer = virtualTimer()
  let offset = 0
  const set: SchedulerLike = {
    now: () => timer.now() + offset,
    schedule: timer.schedule,
  }
  return {
    timer,
    set,
    jump: (by: number) => {
      offset += by
    },
  }
}

const HOUR = 3_600_000
const at = fc.integer({ min: 1, max: 5_000 })

/** The clock is set back, by a little or by days. */
const setBack = fc.array(
  fc.record({
    at,
    by: fc.oneof(fc.integer({ min: -1_000, max: -1 }), fc.integer({ min: -8e7, max: -1e4 })),
  }),
  { maxLength: 6 },
)

it('a wait that is shorter than the resolution of the clock ends', () => {
  const timer = new VirtualTimeScheduler()
  timer.frame = Date.parse('2026-01-01T00:00:00Z')
  const tiers = [rate({ name: 'all', limit: 1, per: 1_000, guard: 0.7 })]
  const scheduler = createScheduler({ timer, tiers })
  const went: Array<number> = []
  for (const n of [1, 2, 3]) {
    of(n)
      .pipe(schedule(scheduler, n))
      .subscribe(() => went.push(n))
  }
  timer.flush()
  expect(went).toEqual([1, 2, 3])
})

it('a timer that fires early is set again', () => {
  const timer = virtualTimer()
  const tiers = [rate({ name: 'all', limit: 1, per: 1_000, guard: 0 })]
  const early: SchedulerLike = {
    now: timer.now,
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T) =>
      timer.schedule(work, delay > 10 ? delay - 2 : delay, state),
  }
  const scheduler = createScheduler({ timer: early, tiers })
  const went: Array<number> = []
  for (const n of [1, 2]) {
    of(n)
      .pipe(schedule(scheduler, n))
      .subscribe(() => went.push(timer.now()))
  }
  timer.flush()
  expect(went).toEqual([0, 1_000])
})

describe('a clock that is set back while requests wait', () => {
  it('neither lets more through in any window, nor stops them', () => {
    fc.assert(
      fc.property(setBack, fc.integer({ min: 1, max: 5 }), (changes, limit) => {
        const { timer, set, jump } = jumping()
        const scheduler = createScheduler({
          tiers: [rate({ name: 'r', limit, per: 1_000 })],
          guard: 0,
          timer: set,
        })
        const windows = 6
        const seen = sentAt(timer, scheduler, windows * limit, undefined)
        for (const { at, by } of changes) timer.schedule(() => jump(by), at)
        timer.flush(60_000)
        expect(seen.length).toBe(windows * limit)
        seen.forEach((at, i) => {
          expect(at - (seen[i - limit] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(999)
        })
        // The time since the clock was last read is not known, and waited for again: one window each time.
        expect(seen.at(-1)).toBeLessThanOrEqual((windows + changes.length) * 1_001)
      }),
      { numRuns: runs(300) },
    )
  })

  it('lets nothing through before its window is over, when answers come later', () => {
    const trips = fc.array(fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 100 })), {
      minLength: 10,
      maxLength: 30,
    })
    fc.assert(
      fc.property(setBack, trips, fc.integer({ min: 1, max: 5 }), (changes, delays, limit) => {
        const { timer, set, jump } = jumping()
        const scheduler = createScheduler({
          tiers: [rate({ name: 'r', limit, per: 1_000 })],
          guard: 'safe',
          timer: set,
        })
        const arrived: Array<number> = []
        for (const [up, down] of delays) {
          new Observable<number>((subscriber) => {
            timer.schedule(() => {
              arrived.push(timer.now())
              timer.schedule(() => {
                subscriber.next(1)
                subscriber.complete()
              }, down)
            }, up)
          })
            .pipe(schedule(scheduler, undefined))
            .subscribe()
        }
        for (const { at, by } of changes) timer.schedule(() => jump(by), at)
        timer.flush(120_000)
        expect(arrived.length).toBe(delays.length)
        arrived.sort((a, b) => a - b)
        arrived.forEach((at, i) => {
          expect(at - (arrived[i - limit] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(
            1_000,
          )
        })
        // The time since the clock was last read is not known, and waited for again.
        const windows = Math.ceil(delays.length / limit) + changes.length
        expect(arrived.at(-1)).toBeLessThanOrEqual(windows * 1_200)
      }),
      { numRuns: runs(1_000) },
    )
  })

  it('ends backoffs after their time', () => {
    fc.assert(
      fc.property(setBack, (changes) => {
        const { timer, set, jump } = jumping()
        const scheduler = createScheduler({
          tiers: [rate({ name: 'r', limit: 1, per: 10 })],
          refusals: { retryAtOnce: false, backoff: 2_000, jitter: 0 },
          timer: set,
        })
        let [asked, end] = [0, 0]
        of(1)
          .pipe(
            schedule(scheduler, undefined, {
              refused: () => (++asked === 1 ? { _tag: 'Some', value: {} } : { _tag: 'None' }),
            }),
          )
          .subscribe(() => {
            end = timer.now()
          })
        for (const { at, by } of changes) timer.schedule(() => jump(by), at)
        timer.flush()
        expect(end).toBeGreaterThanOrEqual(2_000)
        expect(end).toBeLessThan(3_500)
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('a clock that returns no time for once', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'but %d, stops nothing, and lets nothing through early',
    (wrong) => {
      for (let at = 0; at < 12; at++) {
        const timer = virtualTimer()
        let asked = 0
        const set: SchedulerLike = {
          now: () => (asked++ === at ? wrong : timer.now()),
          schedule: timer.schedule,
        }
        const tiers = [rate({ name: 'all', limit: 1, per: 1_000, guard: 0 })]
        const scheduler = createScheduler({ timer: set, tiers })
        const went: Array<number> = []
        for (let n = 0; n < 4; n++) {
          of(n)
            .pipe(schedule(scheduler, n))
            .subscribe(() => went.push(timer.now()))
        }
        timer.flush()
        expect(went).toEqual([0, 1_000, 2_000, 3_000])
      }
    },
  )
})

describe('a window of weeks', () => {
  it('sets no timer for longer than the platform can wait', () => {
    const timer = virtualTimer()
    const asked: Array<number> = []
    const recorded: SchedulerLike = {
      now: timer.now,
      schedule: <T>(
        work: (this: SchedulerAction<T>, state?: T) => void,
        delay = 0,
        state?: T,
      ): Subscription => {
        asked.push(delay)
        return timer.schedule(work, delay, state)
      },
    }
    const month = 30 * 24 * HOUR
    const scheduler = createScheduler({
      tiers: [rate({ name: 'r', limit: 1, per: month })],
      guard: 0,
      timer: recorded,
    })
    const seen = sentAt(timer, scheduler, 2, undefined)
    timer.flush()
    expect(seen).toEqual([0, month])
    expect(Math.max(...asked)).toBeLessThan(2 ** 31)
  })
})

describe('with the timer of the platform, setting the system time', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    ['an hour forward', HOUR],
    ['an hour back', -HOUR],
    ['a second forward', 1_000],
    ['a second back', -1_000],
  ])('%s neither lets more requests through nor stops them', (_, by) => {
    const scheduler = createScheduler<void>({
      tiers: [rate({ name: 'all', limit: 2, per: 1_000 })],
      guard: 0,
    })
    const start = performance.now()
    const sent: Array<number> = []
    for (let i = 0; i < 8; i++) {
      of(i)
        .pipe(schedule(scheduler, undefined))
        .subscribe(() => sent.push(Math.round((performance.now() - start) / 10) * 10))
    }
    for (const at of [500, 1_000, 1_700]) {
      vi.advanceTimersByTime(at - (performance.now() - start))
      vi.setSystemTime(Date.now() + by)
    }
    vi.advanceTimersByTime(10_000)
    expect(sent).toEqual([0, 0, 1_000, 1_000, 2_000, 2_000, 3_000, 3_000])
  })
})

const LIMIT = 5
/** Requests that were answered before. */
const LEARNED = 50

/** Returns how many requests start in each turn. Many are asked for `busy` ms after one of them begins; a start takes `cost` ms. */
const startedInTurns = (guard: Guard, per: number, busy: number, cost: number) => {
  const timer = virtualTimer()
  let computing = 0 // in all turns so far
  const scheduler = createScheduler<void>({
    tiers: [rate({ name: 'rate', limit: LIMIT, per, guard })],
    timer: { now: () => timer.now() + computing, schedule: timer.schedule },
  })
  const turns = new Map<number, number>()
  const ask = (costs: number) =>
    new Observable<void>((subscriber) => {
      turns.set(timer.now(), (turns.get(timer.now()) ?? 0) + 1)
      computing += costs
      timer.schedule(() => {
        subscriber.next()
        subscriber.complete()
      }, 20)
    })
      .pipe(schedule(scheduler, undefined))
      .subscribe()
  for (let i = 0; i < LEARNED; i++) ask(0)
  timer.flush(60_000)
  ask(cost)
  computing += busy
  for (let i = 0; i < 4 * LIMIT; i++) ask(cost)
  timer.flush(120_000)
  return [...turns.values()]
}

describe('a turn of the event loop that takes longer than a window', () => {
  it.each([
    ['learned', 200, 300, 0],
    ['learned', 50, 100, 0],
    ['learned', 200, 0, 60],
    [10, 200, 300, 0],
    [0, 50, 10, 20],
    ['safe', 200, 300, 0],
  ] as const)(
    'starts no more than the limit: guard %s, window %d ms, busy for %d ms, %d ms a start',
    (guard, per, busy, cost) => {
      const turns = startedInTurns(guard, per, busy, cost)
      expect(Math.max(...turns)).toBeLessThanOrEqual(LIMIT)
      expect(turns.reduce((sum, count) => sum + count, 0)).toBe(LEARNED + 1 + 4 * LIMIT)
    },
  )
})
