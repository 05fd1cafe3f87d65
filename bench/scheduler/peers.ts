/** Public limiters, each in the way one would use it with this API. They need nothing from Node. */
import Bottleneck from 'bottleneck'
import pQueue from 'p-queue'
import pThrottle from 'p-throttle'
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible'

const PER = 1_000

/** Runs a task when its own limit allows. */
export type Limit = (task: () => Promise<number>) => Promise<number>

/** Creates a limit on requests per second and on concurrent requests. */
export type MakeLimit = (limit: number, concurrent: number) => Limit

/** Returns the pause after the given number of refusals of one request, in ms: the backoff that the API recommends. */
export const backoff = (refusals: number, random: () => number): number =>
  Math.min(16, 2 ** refusals) * 1_000 * (1 + random() / 2)

export const peers = {
  'p-throttle (strict)': (limit) => {
    const throttle = pThrottle({ limit, interval: PER, strict: true })
    const run = throttle((task: () => Promise<number>) => task())
    return (task) => run(task)
  },
  'p-queue': (limit, concurrent) => {
    const queue = new pQueue({ concurrency: concurrent, intervalCap: limit, interval: PER })
    return (task) => queue.add(task)
  },
  'p-queue (strict)': (limit, concurrent) => {
    const queue = new pQueue({
      concurrency: concurrent,
      intervalCap: limit,
      interval: PER,
      strict: true,
    })
    return (task) => queue.add(task)
  },
  bottleneck: (limit, concurrent) => {
    const limiter = new Bottleneck({ minTime: PER / limit, maxConcurrent: concurrent })
    return (task) => limiter.schedule(task)
  },
  'rate-limiter-flexible': (limit) => {
    const limiter = new RateLimiterMemory({ points: limit, duration: PER / 1_000 })
    const queue = new RateLimiterQueue(limiter, { maxQueueSize: 1e9 })
    return async (task) => {
      await queue.removeTokens(1)
      return task()
    }
  },
} satisfies Readonly<Record<string, MakeLimit>>
