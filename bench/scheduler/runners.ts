/** The limiters whose overhead is measured. Each runs a task the given number of times, all started at once. */
import Bottleneck from 'bottleneck'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import * as EffectLimiter from 'effect/persistence/RateLimiter'
import * as Semaphore from 'effect/Semaphore'
import pQueue from 'p-queue'
import pThrottle from 'p-throttle'
import { concurrency, createScheduler, rate, schedule } from 'payments-rx/scheduler'
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible'
import { defer, Observable } from 'rxjs'

const CONCURRENT = 50
const MANY = 1e9

type Task = () => Promise<number>
export type Runner = (task: Task, tasks: number) => Promise<unknown>

const all = (tasks: number, one: (i: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: tasks }, (_, i) => one(i)))

/** Does not use mergeMap, which without a bound takes time that grows with the square of the number of waiting items. */
const subscribed = (tasks: number, one: (i: number) => Observable<number>): Promise<void> =>
  new Promise((resolve) => {
    let left = tasks
    const complete = (): void => {
      left--
      if (left === 0) resolve()
    }
    for (let i = 0; i < tasks; i++) one(i).subscribe({ complete })
  })

const scheduled = (keys: number, watched = false): Runner => {
  const names = Array.from({ length: keys }, (_, i) => `key ${i}`)
  const scheduler = createScheduler<number>({
    tiers: [
      rate({ name: 'rate', limit: MANY, per: 1_000 }),
      ...(keys > 0
        ? [rate<number>({ name: 'key', limit: MANY, per: 1_000, key: (i) => names[i % keys] })]
        : []),
      concurrency({ name: 'concurrency', limit: CONCURRENT }),
    ],
  })
  if (watched) scheduler.state.subscribe()
  return (task, tasks) => {
    const source = defer(task)
    return subscribed(tasks, (i) => source.pipe(schedule(scheduler, i)))
  }
}

/** The simplest operator that can hold back tasks: it counts permits, first in, first out. */
const semaphore = (): Runner => {
  let waiting: Array<() => void> = []
  let next = 0
  let inside = 0
  const pump = (): void => {
    while (inside < CONCURRENT && next < waiting.length) {
      inside++
      waiting[next++]?.()
    }
    if (next < waiting.length) return
    waiting = []
    next = 0
  }
  const held = (source: Observable<number>): Observable<number> =>
    new Observable((subscriber) => {
      const left = (): void => {
        inside--
        pump()
      }
      waiting.push(() => {
        subscriber.add(left)
        source.subscribe(subscriber)
      })
      pump()
    })
  return (task, tasks) => {
    const source = defer(task)
    return subscribed(tasks, () => source.pipe(held))
  }
}

const queue = (strict = false) =>
  new pQueue({ concurrency: CONCURRENT, intervalCap: MANY, interval: 1_000, strict })

const queued =
  (strict: boolean): Runner =>
  (task, tasks) => {
    const one = queue(strict)
    return all(tasks, () => one.add(task))
  }

/** The usual solution for limits by key: one queue for each key, inside one queue for all. */
const queuedByKey = (keys: number): Runner => {
  const total = queue()
  const each = Array.from({ length: keys }, () => queue())
  return (task, tasks) => all(tasks, async (i) => each[i % keys]?.add(() => total.add(task)))
}

/** Without `all`, takes the next task when a permit is free, so no task waits. */
const effected =
  (waiting: 'all' | 'none'): Runner =>
  (task, tasks) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const limit = yield* EffectLimiter.makeWithRateLimiter
        const permits = yield* Semaphore.make(CONCURRENT)
        const limited = limit({
          algorithm: 'token-bucket',
          onExceeded: 'delay',
          window: '1 second',
          limit: MANY,
          key: 'rate',
        })(Effect.promise(task))
        const one = waiting === 'all' ? permits.withPermits(1)(limited) : limited
        yield* Effect.forEach(Array.from({ length: tasks }), () => one, {
          concurrency: waiting === 'all' ? 'unbounded' : CONCURRENT,
          discard: true,
        })
      }).pipe(
        Effect.provide(EffectLimiter.layer.pipe(Layer.provide(EffectLimiter.layerStoreMemory))),
      ),
    )

/** Runs the task without any limiter: as an Observable, and as a Promise. */
export const ALONE = {
  rx: 'not scheduled: defer alone',
  promises: 'not scheduled: promises alone',
}
/** An operator that only counts permits. */
export const COUNTS = 'not limited: counts permits'

export const runners: Readonly<Record<string, () => Runner>> = {
  [ALONE.rx]: () => (task, tasks) => {
    const source = defer(task)
    return subscribed(tasks, () => source)
  },
  [ALONE.promises]: () => (task, tasks) => all(tasks, task),
  [COUNTS]: semaphore,
  'payments-rx': () => scheduled(0),
  'payments-rx, state watched': () => scheduled(0, true),
  'payments-rx, 1 key': () => scheduled(1),
  'payments-rx, 1,000 keys': () => scheduled(1_000),
  'p-queue': () => queued(false),
  'p-queue (strict)': () => queued(true),
  'p-queue, 1 key': () => queuedByKey(1),
  'p-queue, 1,000 keys': () => queuedByKey(1_000),
  effect: () => effected('all'),
  'effect (none waits)': () => effected('none'),
  bottleneck: () => (task, tasks) => {
    const limiter = new Bottleneck({
      maxConcurrent: CONCURRENT,
      reservoir: MANY,
      reservoirRefreshAmount: MANY,
      reservoirRefreshInterval: 1_000,
    })
    return all(tasks, () => limiter.schedule(task))
  },
  'p-throttle (rate only)': () => (task, tasks) => {
    const throttled = pThrottle({ limit: MANY, interval: 1_000 })(task)
    return all(tasks, throttled)
  },
  'rate-limiter-flexible (rate only)': () => (task, tasks) => {
    const limiter = new RateLimiterMemory({ points: MANY, duration: 1 })
    const queue = new RateLimiterQueue(limiter, { maxQueueSize: MANY })
    return all(tasks, () => queue.removeTokens(1).then(task))
  },
}
