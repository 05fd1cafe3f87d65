/** Limits that are Observables: they change while the scheduler runs. */
import {
  BehaviorSubject,
  concat,
  defer,
  delay,
  EMPTY,
  ignoreElements,
  NEVER,
  Observable,
  of,
  ReplaySubject,
  retry,
  type SchedulerLike,
  Subject,
  throwError,
  timer as timerOf,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { marbleTest } from '../support/marbles.js'
import { sentAt, stateOf } from './world.js'

/** A scheduler of one rate over 100 ms, whose limit is given; records when requests are sent. */
const limitedBy = (limit: Observable<number>) => {
  const timer = virtualTimer()
  const scheduler = createScheduler<void>({
    tiers: [rate({ name: 'quota', limit, per: 100 })],
    guard: 0,
    timer,
  })
  const sent: Array<number> = []
  const errors: Array<unknown> = []
  const ask = (count: number, source: Observable<unknown> = of(1).pipe(delay(1, timer))) =>
    Array.from({ length: count }, () =>
      new Observable((subscriber) => {
        sent.push(timer.now())
        return source.subscribe(subscriber)
      })
        .pipe(schedule(scheduler, undefined))
        .subscribe({ error: (error: unknown) => errors.push(error) }),
    )
  return { timer, scheduler, sent, errors, ask }
}

/** A limit that records how often it was subscribed to, and how many subscriptions are left. */
const counted = (source: Observable<number>) => {
  const log = { subscribed: 0, open: 0 }
  const limit = new Observable<number>((subscriber) => {
    log.subscribed++
    log.open++
    subscriber.add(() => log.open--)
    return source.subscribe(subscriber)
  })
  return { limit, log }
}

describe('a limit that is an Observable', () => {
  it('sends nothing before its first value, and then as much as that allows', () => {
    const limit = new Subject<number>()
    const { timer, scheduler, sent, ask } = limitedBy(limit)
    ask(5)
    timer.flush(50)
    expect(sent).toEqual([])
    expect(stateOf(scheduler)).toMatchObject({ waiting: 5, tiers: [{ limit: 0, share: 0 }] })
    limit.next(2)
    timer.flush()
    expect(sent).toEqual([50, 50, 150, 150, 250])
  })

  it('is lowered and raised: that is no event, and a full window of before does not bring it back', () => {
    const limit = new BehaviorSubject(4)
    const { timer, scheduler, sent, ask } = limitedBy(limit)
    const events: Array<unknown> = []
    scheduler.events.subscribe((event) => events.push(event))
    ask(40)
    timer.flush(0)
    limit.next(2)
    timer.flush(450)
    expect(sent.filter((at) => at >= 100 && at < 450)).toHaveLength(8)
    limit.next(4)
    timer.flush(550)
    expect(sent.filter((at) => at >= 450)).toHaveLength(6)
    timer.flush()
    expect(events).toEqual([])
  })

  it('is raised: more is sent at once', () => {
    const limit = new BehaviorSubject(2)
    const { timer, scheduler, sent, ask } = limitedBy(limit)
    ask(8)
    timer.schedule(() => limit.next(5), 30)
    timer.flush()
    expect(sent).toEqual([0, 0, 30, 30, 30, 100, 100, 130])
    expect(stateOf(scheduler)?.tiers).toMatchObject([{ limit: 5, allowed: 5, lowered: undefined }])
  })

  it('is lowered: what was sent counts, and no more than the new limit is in any window', () => {
    const limit = new BehaviorSubject(4)
    const { timer, sent, ask } = limitedBy(limit)
    ask(8)
    timer.schedule(() => limit.next(1), 30)
    timer.flush()
    expect(sent).toEqual([0, 0, 0, 0, 100, 200, 300, 400])
  })

  it('makes all wait at 0 until it is more', () => {
    const limit = new BehaviorSubject(1)
    const { timer, sent, ask } = limitedBy(limit)
    ask(3)
    timer.schedule(() => limit.next(0), 30)
    timer.schedule(() => limit.next(1), 450)
    timer.flush()
    expect(sent).toEqual([0, 450, 550])
  })

  it('holds nothing back at Infinity', () => {
    const { sent, ask } = limitedBy(of(Number.POSITIVE_INFINITY))
    ask(1_000)
    expect(sent).toHaveLength(1_000)
  })

  it('stays at its last value when it completes', () => {
    const { timer, sent, ask } = limitedBy(of(1, 2))
    ask(4)
    timer.flush()
    expect(sent).toEqual([0, 0, 100, 100])
  })

  it('is shared like any other limit', () => {
    const timer = virtualTimer()
    const limit = new BehaviorSubject(10)
    const tiers = [rate<void>({ name: 'quota', limit, per: 100 })]
    const scheduler = createScheduler({ tiers, share: 0.29, timer, guard: 0 })
    let sent = 0
    for (let i = 0; i < 100; i++) {
      of(1)
        .pipe(schedule(scheduler, undefined))
        .subscribe(() => sent++)
    }
    expect(sent).toBe(2)
    limit.next(100)
    expect(sent).toBe(29)
  })

  it('is that of each key', () => {
    const timer = virtualTimer()
    const limit = new BehaviorSubject(1)
    const tiers = [rate<string>({ name: 'key', limit, per: 100, key: (key) => key })]
    const scheduler = createScheduler({ tiers, timer, guard: 0 })
    const sent: Array<string> = []
    for (const key of ['a', 'a', 'a', 'b', 'b', 'b']) {
      of(key)
        .pipe(schedule(scheduler, key))
        .subscribe(() => sent.push(`${key}${timer.now()}`))
    }
    timer.schedule(() => limit.next(2), 40)
    timer.flush()
    expect(sent.sort()).toEqual(['a0', 'a100', 'a40', 'b0', 'b100', 'b40'])
  })

  marbleTest('may limit how many are under way', (m) => {
    const limit = m.cold<number>('1----2-0-----1', { 0: 0, 1: 1, 2: 2 })
    const request = m.cold('      ---x|')
    const subs = [
      '                           ^---!',
      '                           ----^---!',
      '                           -----^---!',
      '                           -------------^---!',
      '                           -----------------^---!',
    ]
    const scheduler = createScheduler({ tiers: [concurrency({ name: 'all', limit })] })
    for (const _ of subs) request.pipe(schedule(scheduler, undefined)).subscribe()
    m.expectSubscriptions(request.subscriptions).toBe(subs)
  })

  it('is subscribed to when the first request comes, and left when the last one has ended', () => {
    const { limit, log } = counted(concat(of(1), NEVER))
    const { timer, ask } = limitedBy(limit)
    expect(log).toEqual({ subscribed: 0, open: 0 })
    const [, waiting] = ask(2)
    ask(1)
    expect(log).toEqual({ subscribed: 1, open: 1 })
    timer.flush(50)
    waiting?.unsubscribe()
    timer.flush(99)
    expect(log).toEqual({ subscribed: 1, open: 1 })
    timer.flush(1_000)
    expect(log).toEqual({ subscribed: 1, open: 0 })
    ask(1)
    expect(log).toEqual({ subscribed: 2, open: 1 })
    timer.flush()
    expect(log.open).toBe(0)
    expect(timer.pending()).toBe(0)
  })

  it('is left when all requests were cancelled', () => {
    const { limit, log } = counted(NEVER)
    const { timer, ask } = limitedBy(limit)
    for (const request of ask(3)) request.unsubscribe()
    expect(log).toEqual({ subscribed: 1, open: 0 })
    expect(timer.pending()).toBe(0)
  })

  it('fails: all that wait fail with it, and the next one subscribes to it again', () => {
    const first = new BehaviorSubject(1)
    const sources = [first, of(1)]
    const { limit, log } = counted(defer(() => sources.shift() ?? NEVER))
    const { timer, scheduler, sent, errors, ask } = limitedBy(limit)
    const [underWay] = ask(1, NEVER)
    ask(3)
    first.error(new Error('store is gone'))
    expect(errors).toEqual(Array.from({ length: 3 }, () => new Error('store is gone')))
    expect(log).toEqual({ subscribed: 1, open: 0 })
    expect(underWay?.closed).toBe(false)
    ask(2)
    timer.flush(350)
    expect(errors).toHaveLength(3)
    expect(sent).toEqual([0, 100, 200])
    underWay?.unsubscribe()
    expect(stateOf(scheduler)).toMatchObject({ waiting: 0, inFlight: 0 })
    expect(log).toEqual({ subscribed: 2, open: 0 })
    timer.flush()
    expect(timer.pending()).toBe(0)
  })

  it.each([1, 2, 50])(
    'fails while %d wait and retry: each subscribes twice, and is sent when the limit is well again',
    (count) => {
      const broken = new Subject<number>()
      const timer = virtualTimer()
      const sources: Array<Observable<number>> = [broken, of(10).pipe(delay(20, timer))]
      const { limit, log } = counted(defer(() => sources.shift() ?? NEVER))
      const scheduler = createScheduler<void>({
        tiers: [rate({ name: 'quota', limit, per: 100 })],
        timer,
      })
      let [subscriptions, done] = [0, 0]
      for (let i = 0; i < count; i++) {
        defer(() => {
          subscriptions++
          return of(i).pipe(schedule(scheduler, undefined))
        })
          .pipe(retry())
          .subscribe(() => done++)
      }
      timer.schedule(() => broken.error(new Error('store is gone')), 10)
      timer.flush()
      expect(done).toBe(count)
      expect(subscriptions).toBe(2 * count)
      expect(log).toEqual({ subscribed: 2, open: 0 })
    },
  )

  it('fails while a refused request backs off: that subscribes to it again', () => {
    const first = new BehaviorSubject(1)
    const sources: Array<Observable<number>> = [first, of(1)]
    const { limit, log } = counted(defer(() => sources.shift() ?? NEVER))
    const timer = virtualTimer()
    const scheduler = createScheduler<void>({
      tiers: [rate({ name: 'quota', limit, per: 100 })],
      refusals: { retryAtOnce: false, jitter: 0 },
      timer,
    })
    const answers = [429, 200]
    const seen: Array<number | undefined> = []
    defer(() => of(answers.shift()))
      .pipe(
        schedule(scheduler, undefined, {
          refused: (status) => (status === 429 ? O.some({}) : O.none),
        }),
      )
      .subscribe((status) => seen.push(status))
    first.next(0)
    first.error(new Error('store is gone'))
    timer.flush()
    expect(seen).toEqual([200])
    expect(log).toEqual({ subscribed: 2, open: 0 })
  })

  it.each<[string, (timer: SchedulerLike) => Observable<number>]>([
    ['at once', () => EMPTY],
    ['after a while', (timer) => timerOf(30, timer).pipe(ignoreElements())],
  ])('that completes %s without a value fails all that wait', (_, limitOf) => {
    const timer = virtualTimer()
    const tiers = [rate<void>({ name: 'quota', limit: limitOf(timer), per: 100 })]
    const scheduler = createScheduler({ tiers, timer })
    const errors: Array<unknown> = []
    for (let i = 0; i < 3; i++) {
      of(i)
        .pipe(schedule(scheduler, undefined))
        .subscribe({ error: (error: unknown) => errors.push(String(error)) })
    }
    timer.flush()
    const expected = /'quota': limit should be an Observable that emits a limit before it completes/
    expect(errors).toEqual([1, 2, 3].map(() => expect.stringMatching(expected)))
  })

  it('that has completed stays at its last value for requests that come later', () => {
    const limit = new ReplaySubject<number>(1)
    const { timer, sent, errors, ask } = limitedBy(defer(() => (sent.length === 0 ? limit : EMPTY)))
    limit.next(2)
    limit.complete()
    ask(1)
    timer.flush(1_000)
    ask(3)
    timer.flush()
    expect(errors).toEqual([])
    expect(sent).toEqual([0, 1_000, 1_000, 1_100])
  })

  it.each([
    [3, 0.1],
    [1, 0.5],
    [10, 0.25],
  ])('at %d is divided by a share of %d as a number is', (limit, share) => {
    const sentWith = (given: number | Observable<number>, guard: 'learned' | 'safe' | number) => {
      const timer = virtualTimer()
      const tiers = [rate<void>({ name: 'quota', limit: given, per: 1_000 })]
      const scheduler = createScheduler({ tiers, share, timer, guard })
      const sent = sentAt(timer, scheduler, 30, undefined)
      const [tier] = stateOf(scheduler)?.tiers ?? []
      timer.flush()
      return { sent, tier }
    }
    for (const guard of ['safe', 0] as const) {
      const { sent, tier } = sentWith(new BehaviorSubject(limit), guard)
      expect(sent).toEqual(sentWith(limit, guard).sent)
      expect(tier).toMatchObject({
        limit: Math.max(1, Math.floor(limit * share)),
        per: Math.max(1_000, 1_000 / (limit * share)),
      })
    }
  })

  it('shared by ten with less than a request each is not exceeded, whatever it changes to', () => {
    const timer = virtualTimer()
    const limit = new BehaviorSubject(20)
    const sent: Array<number> = []
    for (let process = 0; process < 10; process++) {
      const tiers = [rate<void>({ name: 'quota', limit, per: 1_000 })]
      const scheduler = createScheduler({ tiers, share: 0.1, timer, guard: 0 })
      for (let i = 0; i < 200; i++) {
        of(i)
          .pipe(schedule(scheduler, undefined))
          .subscribe(() => sent.push(timer.now()))
      }
    }
    timer.schedule(() => limit.next(3), 10_000)
    timer.schedule(() => limit.next(20), 40_000)
    timer.flush(50_000)
    const between = (from: number, to: number) =>
      sent.filter((at) => at >= from && at < to).length / ((to - from) / 1_000)
    expect(between(0, 10_000)).toBeCloseTo(20, 0)
    expect(between(15_000, 40_000)).toBeLessThanOrEqual(3 * 1.1)
    expect(between(15_000, 40_000)).toBeGreaterThanOrEqual(3 * 0.9)
    expect(between(41_000, 50_000)).toBeCloseTo(20, 0)
  })

  it('that fails at once fails the request that came first', () => {
    const { errors, ask, timer } = limitedBy(throwError(() => new Error('no store')))
    ask(2)
    expect(errors).toEqual([new Error('no store'), new Error('no store')])
    timer.flush()
  })

  it.each([-1, 1.5, Number.NaN, '5', undefined])('that emits %j fails', (value) => {
    const { errors, ask } = limitedBy(of(value as number))
    ask(1)
    expect(errors).toMatchObject([{ name: 'InvalidOption', option: 'limit' }])
    expect(String(errors[0])).toMatch(/'quota': limit should be 0 or a whole number of at least 1/)
  })
})
