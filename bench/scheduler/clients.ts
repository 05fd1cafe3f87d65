/** The limiters that are run side by side, each as it would be used against this API. */
import { setTimeout as wait } from 'node:timers/promises'
import Bottleneck from 'bottleneck'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import * as EffectLimiter from 'effect/persistence/RateLimiter'
import * as O from 'fp-ts/lib/Option.js'
import pQueue from 'p-queue'
import pThrottle from 'p-throttle'
import { concurrency, createScheduler, type Guard, rate, schedule } from 'payments-rx/scheduler'
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible'
import { defer, from, lastValueFrom, mergeMap, toArray } from 'rxjs'

const PER = 1_000

/** Answers with the status. */
export type Send = (endpoint: string) => Promise<number>
export type Client = (
  requests: ReadonlyArray<string>,
  send: Send,
  atOnce: number,
) => Promise<unknown>
/** Runs a task when its own limit allows. */
type Limit = (task: () => Promise<number>) => Promise<number>

const ours =
  (guard: Guard): Client =>
  (requests, send, atOnce) => {
    const scheduler = createScheduler<string>({
      tiers: [
        rate({ name: 'global', limit: 100, per: PER }),
        rate({ name: 'endpoint', limit: 20, per: PER, key: (endpoint) => endpoint }),
        concurrency({ name: 'concurrency', limit: atOnce }),
      ],
      guard,
    })
    return lastValueFrom(
      from(requests).pipe(
        mergeMap((endpoint) =>
          defer(() => send(endpoint)).pipe(
            schedule<string, number>(scheduler, endpoint, {
              attempts: 50,
              refused: (status) => (status === 429 ? O.some({}) : O.none),
            }),
          ),
        ),
        toArray(),
      ),
    )
  }

/** One limiter for every endpoint, inside of one for all; so many at once; backoff after a refusal. */
const peer =
  (make: (limit: number, concurrent: number) => Limit): Client =>
  (requests, send, atOnce) => {
    const all = make(100, atOnce)
    const each = new Map([...new Set(requests)].map((endpoint) => [endpoint, make(20, 1_000)]))
    const attempt = async (endpoint: string, n: number): Promise<number> => {
      const own = each.get(endpoint)
      if (own === undefined) throw new Error(endpoint)
      const status = await own(() => all(() => send(endpoint)))
      if (status !== 429) return status
      await wait(Math.min(16, 2 ** n) * 1_000 * (1 + Math.random() / 2))
      return attempt(endpoint, n + 1)
    }
    return Promise.all(requests.map((endpoint) => attempt(endpoint, 0)))
  }

const effectLimit = (limit: number): Limit => {
  const runtime = Effect.runSync(
    Effect.gen(function* () {
      const limiter = yield* EffectLimiter.makeWithRateLimiter
      return limiter({
        algorithm: 'fixed-window',
        onExceeded: 'delay',
        window: '1 second',
        limit,
        key: 'rate',
      })
    }).pipe(
      Effect.provide(EffectLimiter.layer.pipe(Layer.provide(EffectLimiter.layerStoreMemory))),
    ),
  )
  return (task) => Effect.runPromise(runtime(Effect.promise(task)))
}

export const clients: Readonly<Record<string, Client>> = {
  learned: ours('learned'),
  safe: ours('safe'),
  'p-throttle (strict)': peer((limit) => {
    const throttle = pThrottle({ limit, interval: PER, strict: true })
    const run = throttle((task: () => Promise<number>) => task())
    return (task) => run(task)
  }),
  'p-queue': peer((limit, concurrent) => {
    const queue = new pQueue({ concurrency: concurrent, intervalCap: limit, interval: PER })
    return (task) => queue.add(task)
  }),
  'p-queue (strict)': peer((limit, concurrent) => {
    const queue = new pQueue({
      concurrency: concurrent,
      intervalCap: limit,
      interval: PER,
      strict: true,
    })
    return (task) => queue.add(task)
  }),
  bottleneck: peer((limit, concurrent) => {
    const limiter = new Bottleneck({ minTime: PER / limit, maxConcurrent: concurrent })
    return (task) => limiter.schedule(task)
  }),
  'rate-limiter-flexible': peer((limit) => {
    const limiter = new RateLimiterMemory({ points: limit, duration: PER / 1_000 })
    const queue = new RateLimiterQueue(limiter, { maxQueueSize: 1e9 })
    return async (task) => {
      await queue.removeTokens(1)
      return task()
    }
  }),
  effect: peer(effectLimit),
}
