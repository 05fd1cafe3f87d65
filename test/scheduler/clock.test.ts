import fc from 'fast-check'
import {
  Observable,
  of,
  type SchedulerAction,
  type SchedulerLike,
  type Subscription,
  VirtualTimeScheduler,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'

/** A timer whose clock is set to another time; its delays are real. */
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

/** Several of them make no time, or one that differs from the real one by more than any wait. */
const jumps = fc.array(
  fc.record({
    at,
    by: fc
      .oneof(fc.integer({ min: -8_640, max: -1 }), fc.integer({ min: 360, max: 8_640 }))
      .map((tens) => tens * 10_000),
  }),
  { maxLength: 6 },
)

/** Back by less than may have passed since somebody looked: nothing shows it. */
const slips = fc.array(fc.record({ at, by: fc.integer({ min: -1_000, max: -1 }) }), {
  maxLength: 6,
})

it('a wait of less than a clock since 1970 tells apart ends', () => {
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

it('a timer that rings early is set again', () => {
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

describe('a clock that is set while requests wait', () => {
  it('neither lets more through in any window, nor stops them', () => {
    fc.assert(
      fc.property(jumps, fc.integer({ min: 1, max: 5 }), (changes, limit) => {
        const { timer, set, jump } = jumping()
        const scheduler = createScheduler({
          tiers: [rate({ name: 'r', limit, per: 1_000 })],
          guard: 0,
          timer: set,
        })
        const seen: Array<number> = []
        const windows = 6
        for (let i = 0; i < windows * limit; i++) {
          of(i)
            .pipe(schedule(scheduler, undefined))
            .subscribe(() => seen.push(timer.now()))
        }
        for (const { at, by } of changes) timer.schedule(() => jump(by), at)
        timer.flush(60_000)
        expect(seen.length).toBe(windows * limit)
        seen.forEach((at, i) => {
          expect(at - (seen[i - limit] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(999)
        })
        // A clock that is set back stands still until a timer shows how long: one window each time.
        expect(seen.at(-1)).toBeLessThanOrEqual((windows + changes.length) * 1_001)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['to another time', jumps],
    ['back by little', slips],
  ])('%s lets nothing through before its window is over, when answers come later', (_, sets) => {
    const trips = fc.array(fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 100 })), {
      minLength: 10,
      maxLength: 30,
    })
    fc.assert(
      fc.property(sets, trips, fc.integer({ min: 1, max: 5 }), (changes, delays, limit) => {
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
        // What has passed since the clock was last looked at is not known, and waited for again.
        const windows = Math.ceil(delays.length / limit) + changes.length
        expect(arrived.at(-1)).toBeLessThanOrEqual(windows * 1_200)
      }),
      { numRuns: 1_000 },
    )
  })

  it('lets nothing through early when it is set forward between two answers', () => {
    const { timer, set, jump } = jumping()
    const scheduler = createScheduler({
      tiers: [rate({ name: 'r', limit: 2, per: 1_000 }), concurrency({ name: 'c', limit: 2 })],
      guard: 0,
      timer: set,
    })
    const started: Array<number> = []
    for (const took of [20, 30, 20, 20]) {
      new Observable<number>((subscriber) => {
        started.push(timer.now())
        timer.schedule(() => {
          subscriber.next(1)
          subscriber.complete()
        }, took)
      })
        .pipe(schedule(scheduler, undefined))
        .subscribe()
    }
    timer.schedule(() => jump(HOUR), 25)
    timer.flush(60_000)
    expect(started).toEqual([0, 0, 1_010, 1_010])
  })

  it('ends backoffs after their time', () => {
    fc.assert(
      fc.property(jumps, (changes) => {
        const { timer, set, jump } = jumping()
        const scheduler = createScheduler({
          tiers: [rate({ name: 'r', limit: 1, per: 10 })],
          refusals: { lone: 'backoff', backoff: 2_000, jitter: 0 },
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
      { numRuns: 100 },
    )
  })
})

describe('a clock that says no time for once', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'such as %d, stops nothing, and lets nothing through early',
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
  it('asks no timer for more than the platform can wait', () => {
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
    const seen: Array<number> = []
    for (let i = 0; i < 2; i++) {
      of(i)
        .pipe(schedule(scheduler, undefined))
        .subscribe(() => seen.push(timer.now()))
    }
    timer.flush()
    expect(seen).toEqual([0, month])
    expect(Math.max(...asked)).toBeLessThan(2 ** 31)
  })
})
