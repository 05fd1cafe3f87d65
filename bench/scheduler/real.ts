/**
 * Limiters side by side on the real clock, against the sandbox or against windows that know nothing of
 * this package; with the delays of a network.
 *
 *     npm run build && node bench/scheduler/real.ts [requests to one endpoint] [sandbox | judge] [only these]
 */
import { fork } from 'node:child_process'
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
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
import type { Verdict } from './accounts.ts'

const WEIGHTS = [180, 180, 140, 120, 120, 100, 80, 80]
const PER = 1_000

type Send = (endpoint: string) => Promise<number>
type Client = (requests: ReadonlyArray<string>, send: Send) => Promise<unknown>
/** Runs a task when its own limit allows. */
type Limit = (task: () => Promise<number>) => Promise<number>

const ours =
  (guard: Guard): Client =>
  (requests, send) => {
    const scheduler = createScheduler<string>({
      tiers: [
        rate({ name: 'global', limit: 100, per: PER }),
        rate({ name: 'endpoint', limit: 20, per: PER, key: (endpoint) => endpoint }),
        concurrency({ name: 'places', limit: 50 }),
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

/** One limiter for every endpoint, inside of one for all; 50 at once; backoff after a refusal. */
const peer =
  (make: (limit: number, places: number) => Limit): Client =>
  (requests, send) => {
    const all = make(100, 50)
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

const clients: Readonly<Record<string, Client>> = {
  learned: ours('learned'),
  safe: ours('safe'),
  'p-throttle (strict)': peer((limit) => {
    const throttle = pThrottle({ limit, interval: PER, strict: true })
    const run = throttle((task: () => Promise<number>) => task())
    return (task) => run(task)
  }),
  'p-queue': peer((limit, places) => {
    const queue = new pQueue({ concurrency: places, intervalCap: limit, interval: PER })
    return (task) => queue.add(task)
  }),
  'p-queue (strict)': peer((limit, places) => {
    const queue = new pQueue({
      concurrency: places,
      intervalCap: limit,
      interval: PER,
      strict: true,
    })
    return (task) => queue.add(task)
  }),
  bottleneck: peer((limit, places) => {
    const limiter = new Bottleneck({ minTime: PER / limit, maxConcurrent: places })
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

const agent = new Agent({ keepAlive: true, maxSockets: 4_000, timeout: 60_000 })

/** A connection may just have been closed by the server: then once more, but not for ever. */
const get = (port: number, path: string, left = 5): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    httpRequest({ port, path, agent }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
      .on('error', (error) => {
        if (left > 0) get(port, path, left - 1).then(resolve, reject)
        else reject(error)
      })
      .end()
  })

interface Case {
  readonly port: number
  readonly by: string
  readonly only: string
  readonly network: string
  readonly requests: ReadonlyArray<string>
  /** Milliseconds from the first to the last arrival, when nothing is wasted. */
  readonly best: number
}

const chosen = (only: string): ReadonlyArray<readonly [string, Client]> =>
  Object.entries(clients).filter(([name]) => name.startsWith(only))

const row = (cells: ReadonlyArray<string>): void => console.log(`| ${cells.join(' | ')} |`)

/** One row: share of the quota, and how many were refused, of every limiter. */
const run = async ({ port, by, only, network, requests, best }: Case): Promise<void> => {
  const measured = chosen(only)
  await get(port, `/reset?network=${network}&by=${by}&accounts=${measured.length}`)
  await wait(2 * PER) // logins are counted, too
  const cells = await Promise.all(
    measured.map(async ([, client], i) => {
      await client(requests, async (endpoint) => (await get(port, `/${i}/${endpoint}`)).status)
      const { body } = await get(port, `/${i}?verdict`)
      const { first, last, refused }: Verdict = JSON.parse(body)
      return `${((100 * best) / (last - first)).toFixed(1)} %, ${refused}`
    }),
  )
  row([network, ...cells])
}

const main = async (one: number, by: string, only: string): Promise<void> => {
  const server = fork(fileURLToPath(new URL('./server.ts', import.meta.url)))
  const port = await new Promise<number>((resolve) => {
    server.once('message', (address: { readonly port: number }) => resolve(address.port))
  })
  const eight = Array.from({ length: 180 }, (_, turn) =>
    WEIGHTS.flatMap((weight, i) => (turn < weight ? [`${i}`] : [])),
  ).flat()
  const cases = [
    [`one endpoint, ${one}`, Array.from({ length: one }, () => '0'), (one / 20 - 1) * PER],
    ['eight endpoints, 1,000', eight, 9 * PER],
  ] as const
  for (const [title, requests, best] of cases) {
    const names = chosen(only).map(([name]) => name)
    console.log(`\nShare of the quota, and refused, judged by the ${by}\n`)
    row([title, ...names])
    row([title, ...names].map(() => '---'))
    for (const network of ['loopback', 'steady', 'wan', 'jittery']) {
      await run({ port, by, only, network, requests, best })
    }
  }
  server.kill()
  process.exit(0)
}

const [one = '400', by = 'sandbox', only = ''] = process.argv.slice(2)
await main(Number(one), by, only)
