/** The limiters that are run side by side, each as it would be used against this API. */
import { setTimeout as wait } from 'node:timers/promises'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import * as EffectLimiter from 'effect/persistence/RateLimiter'
import * as O from 'fp-ts/lib/Option.js'
import * as R from 'fp-ts/lib/Record.js'
import { concurrency, createScheduler, type Guard, rate, schedule } from 'payments-rx/scheduler'
import { defer, from, lastValueFrom, mergeMap, toArray } from 'rxjs'
import { backoff, type Limit, type MakeLimit, peers } from './peers.ts'

const PER = 1_000

/** Answers with the status. */
export type Send = (endpoint: string) => Promise<number>
export type Client = (
  requests: ReadonlyArray<string>,
  send: Send,
  atOnce: number,
) => Promise<unknown>

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
  (make: MakeLimit): Client =>
  (requests, send, atOnce) => {
    const all = make(100, atOnce)
    const each = new Map([...new Set(requests)].map((endpoint) => [endpoint, make(20, 1_000)]))
    const attempt = async (endpoint: string, n: number): Promise<number> => {
      const own = each.get(endpoint)
      if (own === undefined) throw new Error(endpoint)
      const status = await own(() => all(() => send(endpoint)))
      if (status !== 429) return status
      await wait(backoff(n, Math.random))
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
  ...R.map(peer)(peers),
  effect: peer(effectLimit),
}
