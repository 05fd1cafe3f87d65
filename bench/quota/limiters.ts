/**
 * Ways in which processes share 20 requests per second at each endpoint and 100 in total through a Redis. A library is loaded
 * only by the processes that use it.
 */
import type Bottleneck from 'bottleneck'
import { Redis } from 'ioredis'
import type { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { firstValueFrom, from } from 'rxjs'
import { redisQuota } from '../../dist/quota/index.js'
import { concurrency, createScheduler, rate, schedule } from '../../dist/scheduler/index.js'

export const PER_ENDPOINT = 20
export const IN_ALL = 100
const WINDOW = 1_000
const UNDER_WAY = 50

/** Sends a request to this endpoint once it may be sent, and returns its status. */
type Limiter = (endpoint: string, send: () => Promise<number>) => Promise<number>

export interface LimiterOptions {
  readonly redisPort: number
  /** Called for each command that is sent to Redis. */
  readonly onCommand: () => void
  /** Returns the current delay of each command, in ms. */
  readonly delay: () => number
}

const connect = ({ redisPort, onCommand, delay }: LimiterOptions): Redis => {
  const redis = new Redis({ port: redisPort, enableOfflineQueue: false, maxRetriesPerRequest: 1 })
  redis.on('error', () => {})
  const send = redis.sendCommand.bind(redis)
  redis.sendCommand = (...args) => {
    onCommand()
    const ms = delay()
    if (ms > 0) return new Promise((resolve) => setTimeout(resolve, ms)).then(() => send(...args))
    return send(...args)
  }
  return redis
}

const NONE = { _tag: 'None' } as const
const REFUSED = { _tag: 'Some', value: {} } as const
const refused = (status: number) => (status === 429 ? REFUSED : NONE)

const divided = (options: LimiterOptions | undefined): Limiter => {
  const redis = options && connect(options)
  const scheduler = createScheduler<string>({
    tiers: [
      concurrency({ name: 'concurrency', limit: UNDER_WAY }),
      rate({ name: 'global', limit: IN_ALL, per: WINDOW }),
      rate({ name: 'endpoint', limit: PER_ENDPOINT, per: WINDOW, key: (endpoint) => endpoint }),
    ],
    ...(redis
      ? {
          quota: redisQuota({
            send: ([name = '', ...args]) => redis.call(name, ...args),
            account: 'bench',
          }),
        }
      : {}),
  })
  return (endpoint, send) =>
    firstValueFrom(from(defer(send)).pipe(schedule(scheduler, endpoint, { refused })))
}

/** Returns an observable that sends on subscription. */
const defer = (send: () => Promise<number>): AsyncIterable<number> => ({
  async *[Symbol.asyncIterator]() {
    yield await send()
  },
})

/** Requests at even intervals. The reservoir is refilled at fixed times, so twice the limit would fit into one window. */
const bottleneck = async (options: LimiterOptions): Promise<Limiter> => {
  const { default: Bottleneck } = await import('bottleneck')
  const connection = new Bottleneck.IORedisConnection({ client: connect(options) })
  const limiter = (id: string, limit: number) =>
    new Bottleneck({ id, datastore: 'ioredis', connection, minTime: WINDOW / limit })
  const all = limiter('all', IN_ALL)
  const endpoints = new Map<string, Bottleneck>()
  return (endpoint, send) => {
    const known = endpoints.get(endpoint) ?? limiter(endpoint, PER_ENDPOINT).chain(all)
    endpoints.set(endpoint, known)
    return known.schedule(send)
  }
}

const rateLimiterFlexible = async (options: LimiterOptions): Promise<Limiter> => {
  const { RateLimiterRedis } = await import('rate-limiter-flexible')
  const storeClient = connect(options)
  const limiter = (keyPrefix: string, points: number) =>
    new RateLimiterRedis({ storeClient, keyPrefix, points, duration: WINDOW / 1_000 })
  const [all, each] = [limiter('all', IN_ALL), limiter('each', PER_ENDPOINT)]
  const consumed = async (from: RateLimiterRedis, key: string): Promise<void> => {
    for (;;) {
      try {
        await from.consume(key)
        return
      } catch (refusal) {
        if (refusal instanceof Error) throw refusal
        const { msBeforeNext } = refusal as RateLimiterRes
        await new Promise((resolve) => setTimeout(resolve, msBeforeNext))
      }
    }
  }
  return async (endpoint, send) => {
    await consumed(each, endpoint)
    await consumed(all, 'all')
    return await send()
  }
}

const effect = async (options: LimiterOptions): Promise<Limiter> => {
  const { Effect, Layer } = await import('effect')
  const { RateLimiter, Redis: EffectRedis } = await import('effect/persistence')
  const redis = connect(options)
  const send = <A>(name: string, ...args: ReadonlyArray<string>) =>
    Effect.tryPromise({
      try: () => redis.call(name, ...args) as Promise<A>,
      catch: (cause) => new EffectRedis.RedisError({ cause }),
    })
  const store = RateLimiter.layerStoreRedis().pipe(
    Layer.provide(
      Layer.effect(
        EffectRedis.Redis,
        EffectRedis.make({
          send,
          subscribe: () => Effect.never,
          connect: Effect.succeed({ send, close: Effect.void }),
        }),
      ),
    ),
  )
  const withLimiter = await Effect.runPromise(
    RateLimiter.makeWithRateLimiter.pipe(
      Effect.provide(RateLimiter.layer.pipe(Layer.provide(store))),
    ),
  )
  const spec = { window: WINDOW, algorithm: 'token-bucket', onExceeded: 'delay' } as const
  return (endpoint, request) =>
    Effect.runPromise(
      Effect.promise(request).pipe(
        withLimiter({ ...spec, key: 'all', limit: IN_ALL }),
        withLimiter({ ...spec, key: endpoint, limit: PER_ENDPOINT }),
      ),
    )
}

export const limiters = {
  /** One process that has all limits to itself. */
  alone: async () => divided(undefined),
  'payments-rx': async (options: LimiterOptions) => divided(options),
  bottleneck,
  'rate-limiter-flexible': rateLimiterFlexible,
  effect,
}

export type Kind = keyof typeof limiters
