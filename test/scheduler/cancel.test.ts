/** A request that is cancelled or fails, at whatever moment, keeps no permit, and releases none twice. */
import { finalize, forkJoin, Observable, Subject, takeUntil, throwError } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type VirtualTimer, virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { stateOf } from './world.js'

const world = () => {
  const timer = virtualTimer()
  const scheduler = createScheduler<void>({
    tiers: [
      rate({ name: 'rate', limit: 2, per: 1_000 }),
      concurrency({ name: 'at once', limit: 2 }),
    ],
    guard: 'safe',
    timer,
  })
  return { timer, scheduler }
}

/** Emits a value after 10 ms, and completes. */
const answering = (timer: VirtualTimer, started: () => void = () => {}) =>
  new Observable<number>((subscriber) => {
    started()
    return timer.schedule(() => {
      subscriber.next(1)
      subscriber.complete()
    }, 10)
  })

/** Expects all permits to be free: two requests start at once, the next ones a window after their answers. */
const expectUntouched = ({ timer, scheduler }: ReturnType<typeof world>): void => {
  timer.flush(100_000)
  expect(stateOf(scheduler)).toMatchObject({
    waiting: 0,
    inFlight: 0,
    backingOff: 0,
    tiers: [{ used: 0 }, { used: 0 }],
  })
  const at: Array<number> = []
  for (let i = 0; i < 5; i++) {
    answering(timer, () => at.push(timer.now() - 100_000))
      .pipe(schedule(scheduler, undefined))
      .subscribe()
  }
  timer.flush()
  expect(at).toEqual([0, 0, 1_011, 1_011, 2_022])
}

describe('a request that is cancelled', () => {
  it('by its own teardown, after `refused` threw, releases its permit once', () => {
    const timer = virtualTimer()
    const tiers = [concurrency({ name: 'at once', limit: 2 })]
    const scheduler = createScheduler<void>({ tiers, timer })
    const stop = new Subject<void>()
    const errors: Array<unknown> = []
    for (let i = 0; i < 4; i++) {
      answering(timer)
        .pipe(
          finalize(() => stop.next()),
          schedule(scheduler, undefined, {
            refused: () => {
              throw new TypeError('no header')
            },
          }),
          takeUntil(stop),
        )
        .subscribe({ error: (error) => errors.push(error) })
    }
    timer.flush(60_000)
    expect(stateOf(scheduler)).toMatchObject({ waiting: 0, inFlight: 0, tiers: [{ used: 0 }] })
    expect(errors).toEqual([])
    const at: Array<number> = []
    for (let i = 0; i < 4; i++) {
      answering(timer, () => at.push(timer.now() - 60_000))
        .pipe(schedule(scheduler, undefined))
        .subscribe()
    }
    timer.flush()
    expect(at).toEqual([0, 0, 10, 10])
  })

  it('before it is subscribed to, as RxJS itself does, never starts', () => {
    const w = world()
    let begun = 0
    const asked = answering(w.timer, () => begun++).pipe(schedule(w.scheduler, undefined))
    forkJoin([throwError(() => new Error('first')), asked]).subscribe({ error: () => {} })
    expectUntouched(w)
    expect(begun).toBe(0)
  })

  it.each([O.none, O.some({})])('in `refused`, which returns %j, is not sent again', (verdict) => {
    const w = world()
    const stop = new Subject<void>()
    let begun = 0
    const refused = () => {
      stop.next()
      return verdict
    }
    answering(w.timer, () => begun++)
      .pipe(schedule(w.scheduler, undefined, { refused }), takeUntil(stop))
      .subscribe()
    expectUntouched(w)
    expect(begun).toBe(1)
  })

  it('by the teardown of its refused attempt is not sent again', () => {
    const w = world()
    const stop = new Subject<void>()
    let begun = 0
    answering(w.timer, () => begun++)
      .pipe(
        finalize(() => stop.next()),
        schedule(w.scheduler, undefined, { refused: () => O.some({}) }),
        takeUntil(stop),
      )
      .subscribe()
    expectUntouched(w)
    expect(begun).toBe(1)
  })

  it('and throws in its teardown releases its permit all the same', () => {
    const w = world()
    const throwing = new Observable<number>(() => () => {
      throw new Error('teardown')
    })
    const subscription = throwing.pipe(schedule(w.scheduler, undefined)).subscribe()
    expect(() => subscription.unsubscribe()).toThrow('teardown')
    expectUntouched(w)
  })
})

describe('a concurrency limit that was lowered', () => {
  it('is raised again in time, though one request never ends', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler<void>({
      tiers: [concurrency({ name: 'at once', limit: 4 })],
      timer,
    })
    const staying = new Observable<number>((subscriber) => subscriber.next(1))
    staying.pipe(schedule(scheduler, undefined)).subscribe()
    let done = 0
    const strict = new Observable<boolean>((subscriber) => {
      const isIn = timer.now() >= 500
      return timer.schedule(() => {
        subscriber.next(isIn)
        subscriber.complete()
      }, 5)
    })
    for (let i = 0; i < 12; i++) {
      const refused = (isIn: boolean) => (isIn ? O.none : O.some({}))
      strict
        .pipe(schedule(scheduler, undefined, { refused, attempts: 1_000 }))
        .subscribe(() => done++)
    }
    timer.flush(60_000)
    expect(done).toBe(12)
  })
})
