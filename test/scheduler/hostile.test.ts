import { asyncScheduler, NEVER, of, timer as rxTimer } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { virtualTimer } from '../../bench/scheduler/timer.ts'
import { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  rate,
  type Scheduler,
  type SchedulerState,
  schedule,
  type Tier,
} from '../../src/scheduler/index.js'
import { stateOf } from './world.js'

describe('numbers that make no sense', () => {
  it.each([0, -1, Number.NaN, 1.5, Number.NEGATIVE_INFINITY])('limit %d', (limit) => {
    expect(() => rate({ name: 'r', limit, per: 1 })).toThrow(/rate 'r': limit must be/)
    expect(() => concurrency({ name: 'c', limit })).toThrow(/concurrency 'c': limit must be/)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('window %d', (per) => {
    expect(() => rate({ name: 'r', limit: 1, per })).toThrow(/per must be/)
  })

  it.each([0, -1, Number.NaN, 1.1])('share %d', (share) => {
    expect(() => createScheduler({ tiers: [], share })).toThrow(/share must be/)
    expect(() => rate({ name: 'r', limit: 1, per: 1, share })).toThrow(/share must be/)
  })

  it.each([-1, Number.NaN])('patience %d', (patience) => {
    expect(() => createScheduler({ tiers: [], patience })).toThrow(/patience must be/)
  })

  it('of a tier that was not made by its constructor', () => {
    const made = rate({ name: 'r', limit: 1, per: 1 })
    expect(() => createScheduler({ tiers: [{ ...made, limit: 0 }] })).toThrow(/rate 'r': limit/)
    expect(() => createScheduler({ tiers: [{ ...made, per: Number.NaN }] })).toThrow(/per must be/)
  })

  it.each([0, Number.NaN])('attempts %d', (attempts) => {
    const errors: Array<unknown> = []
    const scheduler = createScheduler({ tiers: [] })
    of(1)
      .pipe(schedule(scheduler, undefined, { attempts }))
      .subscribe({ error: (error: unknown) => errors.push(error) })
    expect(errors.map(String)).toEqual([`RangeError: attempts must be at least 1, got ${attempts}`])
  })

  it('the lane of those that name none', () => {
    expect(() => createScheduler({ tiers: [], lane: 'none' })).toThrow(/there is no lane 'none'/)
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('guard %d', (value) => {
    expect(() => createScheduler({ tiers: [], guard: value })).toThrow(/guard must be/)
    expect(() => rate({ name: 'r', limit: 1, per: 1, guard: value })).toThrow(/guard must be/)
  })

  it.each([0, -1, Number.NaN])('weight %d', (weight) => {
    expect(() => createScheduler({ tiers: [], lanes: { a: weight } })).toThrow(/lane 'a'/)
  })

  it.each([
    [{ attempts: 0 }, 'attempts must be at least 1, got 0'],
    [{ attempts: Number.NaN }, 'attempts must be at least 1, got NaN'],
    [{ backoff: -1 }, 'backoff must be milliseconds, got -1'],
    [{ maxBackoff: Number.NaN }, 'maxBackoff must be milliseconds, got NaN'],
    [{ maxRetryAfter: -1 }, 'maxRetryAfter must be milliseconds, got -1'],
    [{ jitter: Number.NaN }, 'jitter must be at least 0, got NaN'],
    [{ jitter: Number.POSITIVE_INFINITY }, 'jitter must be at least 0, got Infinity'],
    [JSON.parse('{ "lone": "never" }'), "lone must be 'resend' or 'backoff', got never"],
  ])('refusals %o', (refusals, text) => {
    expect(() => createScheduler({ tiers: [], refusals })).toThrow(
      new RangeError(`refusals: ${text}`),
    )
  })

  it('no lanes', () => {
    expect(() => createScheduler({ tiers: [], lanes: {} })).toThrow(/at least one lane/)
  })

  it('no limit at all is no tier', () => {
    const scheduler = createScheduler({
      tiers: [rate({ name: 'r', limit: Number.POSITIVE_INFINITY, per: 1 })],
    })
    let seen = 0
    for (let i = 0; i < 100; i++)
      of(i)
        .pipe(schedule(scheduler, undefined))
        .subscribe(() => seen++)
    expect(seen).toBe(100)
  })

  it('a lane that does not exist', () => {
    const errors: Array<unknown> = []
    of(1)
      .pipe(schedule(createScheduler({ tiers: [] }), undefined, { lane: 'fast' }))
      .subscribe({ error: (error) => errors.push(error) })
    expect(errors).toEqual([new RangeError("there is no lane 'fast', only interactive, bulk")])
  })
})

describe('what stays behind', () => {
  it('is no timer of the state, when its last subscriber has left', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler({ tiers: [], timer })
    const watching = [scheduler.state.subscribe(), scheduler.state.subscribe()]
    of(1).pipe(schedule(scheduler, undefined)).subscribe()
    watching[0]?.unsubscribe()
    expect(timer.pending()).toBe(1)
    watching[1]?.unsubscribe()
    expect(timer.pending()).toBe(0)
  })

  it('is no timer, when all have left, in whatever way', () => {
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

  it('is nothing of keys of which one threw', () => {
    const scheduler = createScheduler<number>({
      tiers: [
        rate({ name: 'r', limit: 1, per: 10, key: (n) => `${n}` }),
        rate({
          name: 'broken',
          limit: 1,
          per: 10,
          key: () => {
            throw new Error('key')
          },
        }),
      ],
      timer: virtualTimer(),
    })
    let failed = 0
    for (let n = 0; n < 1_000; n++) {
      of(n)
        .pipe(schedule(scheduler, n))
        .subscribe({ error: () => failed++ })
    }
    const state = stateOf(scheduler)
    expect(failed).toBe(1_000)
    expect(state?.tiers[0]?.keys).toBe(0)
  })

  it('is nothing of keys that were refused long ago', () => {
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

  it('is nothing of keys that are no longer used', () => {
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

describe('the state', () => {
  it('shows itself at once, and then now and then while something happens', () => {
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

describe('types', () => {
  it('follow the request and the value', () => {
    const byNumber = rate({ name: 'r', limit: 1, per: 1, key: (n: number) => `${n}` })
    expectTypeOf(byNumber).toExtend<Tier<number>>()
    const scheduler = createScheduler({ tiers: [byNumber], timer: asyncScheduler })
    expectTypeOf(scheduler).toEqualTypeOf<Scheduler<number>>()
    const run = of('a').pipe(
      schedule(scheduler, 1, {
        refused: (value) => {
          expectTypeOf(value).toEqualTypeOf<string>()
          const none: O.Option<{ retryAfter: number }> = { _tag: 'None' }
          return none
        },
      }),
    )
    expectTypeOf(run).toEqualTypeOf<import('rxjs').Observable<string>>()
    // @ts-expect-error a request of another type
    schedule(scheduler, 'a')
  })
})
