/** What throws where RxJS has nobody to tell, a teardown above all: it keeps no place, and stops nobody else. */
import {
  config,
  finalize,
  from,
  map,
  mergeMap,
  Observable,
  type OperatorFunction,
  of,
  type Subscription,
} from 'rxjs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { O } from '../../src/fp.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'
import { stateOf } from './world.js'

const boom = (): never => {
  throw new Error('boom')
}

/** One place, and sources that answer after 10 ms, with what they are thrown by those who listen. */
const oneAtOnce = () => {
  const timer = virtualTimer()
  const thrown: Array<string> = []
  let torn = 0
  const scheduler = createScheduler<void>({
    tiers: [concurrency({ name: 'at once', limit: 1 })],
    timer,
  })
  const answering = (fails = false) =>
    new Observable<number>((subscriber) => {
      timer.schedule(() => {
        try {
          subscriber.next(1)
          if (fails) subscriber.error(new Error('500'))
          else subscriber.complete()
        } catch (error) {
          thrown.push(String(error))
        }
      }, 10)
      return () => {
        torn++
      }
    })
  /** When the next one starts. */
  const next = (): number => {
    let at = Number.NaN
    new Observable<never>((subscriber) => {
      at = timer.now()
      subscriber.complete()
    })
      .pipe(schedule(scheduler, undefined))
      .subscribe()
    timer.flush(60_000)
    return at
  }
  return { answering, next, scheduler, thrown, timer, torn: () => torn }
}

type World = ReturnType<typeof oneAtOnce>
const scheduled = ({ answering, scheduler }: World, fails = false) =>
  answering(fails).pipe(schedule(scheduler, undefined))

describe('a place of one whose consumer throws when it ends', () => {
  const throwing: OperatorFunction<number, number> = finalize(boom)
  const quiet = { error: () => {} }

  it.each<[string, (world: World) => Subscription]>([
    ['in finalize', (w) => scheduled(w).pipe(throwing).subscribe()],
    ['in finalize, after a failure', (w) => scheduled(w, true).pipe(throwing).subscribe(quiet)],
    [
      'in finalize, behind another operator',
      (w) =>
        scheduled(w)
          .pipe(
            map((n) => n),
            throwing,
          )
          .subscribe(),
    ],
    [
      'in finalize, inside mergeMap',
      (w) =>
        from([1])
          .pipe(mergeMap(() => scheduled(w).pipe(throwing)))
          .subscribe(quiet),
    ],
    [
      'in finalize, behind another scheduler',
      (w) =>
        scheduled(w)
          .pipe(schedule(createScheduler({ tiers: [], timer: w.timer }), undefined), throwing)
          .subscribe(),
    ],
    [
      'in what was added to the subscription',
      (w) => {
        const subscription = scheduled(w).subscribe()
        subscription.add(boom)
        return subscription
      },
    ],
  ])('%s, is free', (_, subscribe) => {
    const world = oneAtOnce()
    subscribe(world)
    expect(world.next()).toBe(10)
    expect(stateOf(world.scheduler)).toMatchObject({ waiting: 0, inFlight: 0 })
    expect(world.thrown.join()).toContain('boom')
    expect(world.torn()).toBe(1)
  })

  it('is free when `refused` throws, and then the teardown of the source', () => {
    const { next, scheduler, timer } = oneAtOnce()
    const errors: Array<string> = []
    new Observable<number>((subscriber) => {
      const answer = timer.schedule(() => {
        expect(() => subscriber.next(1)).toThrow('teardown')
      }, 10)
      return () => {
        answer.unsubscribe()
        throw new Error('teardown')
      }
    })
      .pipe(schedule(scheduler, undefined, { refused: (): O.Option<object> => boom() }))
      .subscribe({ error: (error: unknown) => errors.push(String(error)) })
    expect(next()).toBe(1_000) // as of any that is left before it has answered
    expect(errors).toEqual(['Error: boom'])
  })
})

describe('a source that throws while it is subscribed to', () => {
  const reported: Array<string> = []
  beforeEach(() => {
    vi.useFakeTimers()
    config.onUnhandledError = (error) => reported.push(String(error))
  })
  afterEach(() => {
    vi.useRealTimers()
    config.onUnhandledError = null
    reported.length = 0
  })

  const run = (source: Observable<number>) => {
    const timer = virtualTimer()
    const scheduler = createScheduler<void>({
      tiers: [
        rate({ name: 'rate', limit: 1, per: 1_000 }),
        concurrency({ name: 'at once', limit: 1 }),
      ],
      guard: 0,
      timer,
    })
    const out: Array<[at: number, what: unknown]> = []
    const told = (what: unknown): void => {
      out.push([timer.now(), what])
    }
    for (const each of [of(0), source, of(2), of(3)]) {
      each.pipe(schedule(scheduler, undefined)).subscribe({
        next: told,
        error: (error: unknown) => told(String(error)),
      })
    }
    timer.flush(60_000)
    vi.runAllTimers()
    expect(stateOf(scheduler)).toMatchObject({ waiting: 0, inFlight: 0, tiers: [{ used: 0 }, {}] })
    expect(timer.pending()).toBe(0)
    return out
  }

  it('by a teardown after its end stops nobody else, and is reported', () => {
    const source = new Observable<number>((subscriber) => {
      subscriber.next(1)
      subscriber.complete()
      return boom
    })
    expect(run(source)).toEqual([
      [0, 0],
      [1_000, 1],
      [2_000, 2],
      [3_000, 3],
    ])
    expect(reported).toEqual([expect.stringContaining('boom')])
  })

  it('before it has begun fails by itself', () => {
    class Broken extends Observable<number> {
      override subscribe = boom
    }
    expect(run(new Broken())).toEqual([
      [0, 0],
      [1_000, 'Error: boom'],
      [2_000, 2],
      [3_000, 3],
    ])
    expect(reported).toEqual([])
  })
})
