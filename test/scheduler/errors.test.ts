/** Errors of sources, teardowns, `refused` and keys: none of them keeps a permit, or stops another request. */
import { none, some } from 'fp-ts/lib/Option.js'
import {
  config,
  defer,
  finalize,
  from,
  map,
  mergeMap,
  Observable,
  type OperatorFunction,
  of,
  timer as rxTimer,
  type Subscription,
  throwError,
} from 'rxjs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import type { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  rate,
  schedule,
  scheduleMap,
} from '../../src/scheduler/index.js'
import { marbleTest } from '../support/marbles.js'
import { seenOf } from '../support/seen.js'
import { stateOf } from './world.js'

const boom = (): never => {
  throw new Error('boom')
}

/** One permit, and sources that answer after 10 ms; records what their subscribers throw. */
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
  /** Returns when the next request starts. */
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

describe('the permit of a request whose subscriber throws when it ends', () => {
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
  ])('%s, is released', (_, subscribe) => {
    const world = oneAtOnce()
    subscribe(world)
    expect(world.next()).toBe(10)
    expect(stateOf(world.scheduler)).toMatchObject({ waiting: 0, inFlight: 0 })
    expect(world.thrown.join()).toContain('boom')
    expect(world.torn()).toBe(1)
  })

  it('is released when `refused` throws, and then the teardown of the source', () => {
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
    expect(next()).toBe(1_000) // as for any request that is cancelled before its answer
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

  it('in a teardown after its end stops no other request, and is reported', () => {
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

  it('before it has begun fails alone', () => {
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

describe('an error', () => {
  const oneAtATime = () =>
    createScheduler({ tiers: [concurrency({ name: 'one at a time', limit: 1 })] })

  it('from a source that throws when it is subscribed to goes to its subscriber', () => {
    const scheduler = createScheduler({ tiers: [rate({ name: 'r', limit: 2, per: 10 })], guard: 0 })
    for (const source of [new Observable<never>(boom), throwError(() => new Error('boom'))]) {
      expect(seenOf(source.pipe(schedule(scheduler, undefined)))).toEqual([new Error('boom')])
    }
  })

  marbleTest('from `refused` goes to the subscriber, and the permit is released', (m) => {
    const scheduler = oneAtATime()
    const run = m.cold('--a--').pipe(schedule(scheduler, undefined, { refused: () => boom() }))
    m.expectObservable(run).toBe('--#', undefined, new Error('boom'))
    m.expectObservable(m.cold('a|').pipe(schedule(scheduler, undefined))).toBe('1000ms a|')
  })

  it('from `refused` for a value that comes at once goes to the subscriber', () => {
    const run = of(1).pipe(schedule(oneAtATime(), undefined, { refused: () => boom() }))
    expect(seenOf(run)).toEqual([new Error('boom')])
  })
})

describe('a key function that throws', () => {
  const told: Array<string> = []

  beforeEach(() => {
    told.length = 0
    vi.spyOn(console, 'warn').mockImplementation((line) => told.push(String(line)))
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('ends no request: those without a key share one limit, and it is reported once', () => {
    const timer = virtualTimer()
    const perKey = rate({
      ...{ name: 'path', limit: 1, per: 10, guard: 0 },
      key: (n: number) => {
        if (n < 0) throw new Error('no path')
        return `${n}`
      },
    })
    const scheduler = createScheduler<number>({ tiers: [perKey], timer })
    const seen: Array<readonly [number, number]> = []
    for (const n of [-1, 1, -2, -3]) {
      of(n)
        .pipe(schedule(scheduler, n))
        .subscribe((a) => seen.push([a, timer.now()]))
    }
    timer.flush(100)
    expect(seen).toEqual([
      [-1, 0],
      [1, 0],
      [-2, 10],
      [-3, 20],
    ])
    expect(told).toEqual([expect.stringContaining("the key of tier 'path' failed")])
  })

  it('ends nothing as the key of scheduleMap', () => {
    const timer = virtualTimer()
    const perKey = rate({ name: 'path', limit: 1, per: 10, guard: 0, key: (n: number) => `${n}` })
    const scheduler = createScheduler<number>({ tiers: [perKey], timer })
    const seen: Array<readonly [number, number]> = []
    const key = (n: number): number => {
      if (n < 0) throw new Error('no key')
      return n
    }
    scheduleMap(scheduler, (n: number) => of(n), { key })([-1, 1, -2]).subscribe((a) =>
      seen.push([a, timer.now()]),
    )
    timer.flush(100)
    expect(seen).toEqual([
      [-1, 0],
      [1, 0],
      [-2, 10],
    ])
    expect(told).toEqual([expect.stringContaining('the option key of scheduleMap failed')])
  })

  it('ends nothing in a subscriber of the events or the state of a scheduler', async () => {
    const unhandled = vi.fn()
    config.onUnhandledError = unhandled
    try {
      const timer = virtualTimer()
      const scheduler = createScheduler<number>({
        tiers: [rate({ name: 'r', limit: 5, per: 1_000, guard: 0 })],
        timer,
      })
      scheduler.state.subscribe(boom)
      scheduler.events.subscribe(boom)
      let arrived = 0
      let done = 0
      for (let n = 0; n < 20; n++) {
        defer(() => {
          const isRefused = arrived++ % 5 >= 2 && arrived < 20
          return rxTimer(10, timer).pipe(map(() => isRefused))
        })
          .pipe(schedule(scheduler, n, { refused: (is) => (is ? some({}) : none) }))
          .subscribe(() => done++)
      }
      timer.flush(120_000)
      await new Promise((resolve) => setTimeout(resolve)) // after the timer of RxJS that would throw the error
      expect(done).toBe(20)
      expect(unhandled).not.toHaveBeenCalled()
      expect(told.sort()).toEqual([
        expect.stringContaining("a subscriber of a scheduler's events failed"),
        expect.stringContaining("a subscriber of a scheduler's state failed"),
      ])
    } finally {
      config.onUnhandledError = null
    }
  })

  it('ends nothing as the option resources', () => {
    const scheduler = createScheduler<number>({
      tiers: [concurrency({ name: 'c', limit: 9 })],
      resources: () => {
        throw new Error('no resource')
      },
      refusals: { attempts: 1 },
    })
    const seen: Array<number> = []
    for (const n of [1, 2]) {
      of(n)
        .pipe(schedule(scheduler, n))
        .subscribe((a) => seen.push(a))
    }
    expect(seen).toEqual([1, 2])
  })
})
