/**
 * What a task costs when no rate is used up: microseconds, and bytes while it waits for one of 50 places.
 * Each limiter runs in a process of its own, in turn, with tasks that do nothing but answer later.
 *
 *     npm run build && node bench/scheduler/overhead.ts [tasks]
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import Bottleneck from 'bottleneck'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import * as EffectLimiter from 'effect/persistence/RateLimiter'
import pQueue from 'p-queue'
import pThrottle from 'p-throttle'
import { concurrency, createScheduler, rate, schedule } from 'payments-rx/scheduler'
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible'
import { defer } from 'rxjs'

const PLACES = 50
const MANY = 1e9

type Task = () => Promise<number>
/** Runs `task` so many times at once; done when all are. */
type Runner = (task: Task, tasks: number) => Promise<unknown>

const all = (tasks: number, one: (i: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: tasks }, (_, i) => one(i)))

const scheduled =
  (keys: number, places: number): Runner =>
  (task, tasks) => {
    const scheduler = createScheduler<number>({
      tiers: [
        rate({ name: 'rate', limit: MANY, per: 1_000 }),
        ...(keys > 0
          ? [rate<number>({ name: 'key', limit: MANY, per: 1_000, key: (i) => `${i % keys}` })]
          : []),
        concurrency({ name: 'places', limit: places }),
      ],
    })
    // Not through mergeMap: without a bound, that takes time by the square of what waits in it.
    return new Promise<void>((resolve) => {
      let left = tasks
      const complete = (): void => {
        left--
        if (left === 0) resolve()
      }
      for (let i = 0; i < tasks; i++) {
        defer(task).pipe(schedule(scheduler, i)).subscribe({ complete })
      }
    })
  }

const runners: Readonly<Record<string, () => Runner>> = {
  'payments-rx': () => scheduled(0, PLACES),
  'payments-rx, 1 key': () => scheduled(1, PLACES),
  'payments-rx, 1,000 keys': () => scheduled(1_000, PLACES),
  'p-queue': () => (task, tasks) => {
    const queue = new pQueue({ concurrency: PLACES, intervalCap: MANY, interval: 1_000 })
    return all(tasks, () => queue.add(task))
  },
  'p-throttle (rate only)': () => (task, tasks) => {
    const throttled = pThrottle({ limit: MANY, interval: 1_000 })(task)
    return all(tasks, throttled)
  },
  effect: () => (task, tasks) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const limit = yield* EffectLimiter.makeWithRateLimiter
        const limited = limit({
          algorithm: 'token-bucket',
          onExceeded: 'delay',
          window: '1 second',
          limit: MANY,
          key: 'rate',
        })(Effect.promise(task))
        yield* Effect.forEach(Array.from({ length: tasks }), () => limited, {
          concurrency: PLACES,
          discard: true,
        })
      }).pipe(
        Effect.provide(EffectLimiter.layer.pipe(Layer.provide(EffectLimiter.layerStoreMemory))),
      ),
    ),
  'rate-limiter-flexible (rate only)': () => (task, tasks) => {
    const limiter = new RateLimiterMemory({ points: MANY, duration: 1 })
    const queue = new RateLimiterQueue(limiter, { maxQueueSize: MANY })
    return all(tasks, () => queue.removeTokens(1).then(task))
  },
  bottleneck: () => (task, tasks) => {
    const limiter = new Bottleneck({
      maxConcurrent: PLACES,
      reservoir: MANY,
      reservoirRefreshAmount: MANY,
      reservoirRefreshInterval: 1_000,
    })
    return all(tasks, () => limiter.schedule(task))
  },
}

const measure = async (name: string, tasks: number): Promise<void> => {
  const runner = runners[name]
  if (runner === undefined) throw new Error(`no limiter ${name}`)
  const times: Array<number> = []
  for (let round = 0; round < 5; round++) {
    const start = performance.now()
    await runner()(async () => 1, tasks)
    times.push(performance.now() - start)
  }
  const { gc } = globalThis
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) {
      await new Promise((resolve) => setTimeout(resolve, 300))
      gc?.()
    }
  }
  await settle()
  const before = process.memoryUsage().heapUsed
  let release = (): void => {}
  const gate = new Promise<number>((resolve) => {
    release = () => resolve(1)
  })
  const done = runner()(() => gate, tasks)
  await settle()
  const bytes = process.memoryUsage().heapUsed - before
  release()
  await done
  console.log(
    JSON.stringify({ micros: (Math.min(...times) * 1_000) / tasks, bytes: bytes / tasks }),
  )
  process.exit(0)
}

const report = (tasks: number): void => {
  console.log(`\nA task of ${tasks.toLocaleString('en')} that wait, limits not binding\n`)
  console.log('| limiter                           | µs a task | of p-queue | bytes waiting |')
  console.log('|-----------------------------------|----------:|-----------:|--------------:|')
  const results = Object.keys(runners).map((name) => {
    const slow = name === 'bottleneck'
    const args = [
      '--expose-gc',
      fileURLToPath(import.meta.url),
      name,
      `${slow ? tasks / 10 : tasks}`,
    ]
    const result: { micros: number; bytes: number } = JSON.parse(
      execFileSync(process.execPath, args, { encoding: 'utf8' }),
    )
    return { name, ...result }
  })
  const base = results.find(({ name }) => name === 'p-queue')?.micros ?? Number.NaN
  for (const { name, micros, bytes } of results) {
    console.log(
      `| ${name.padEnd(33)} | ${micros.toFixed(2).padStart(9)} | ${(micros / base).toFixed(2).padStart(10)} | ${bytes.toFixed(0).padStart(13)} |`,
    )
  }
}

const [name, tasks] = process.argv.slice(2)
if (name !== undefined && tasks !== undefined) await measure(name, Number(tasks))
else report(Number(name ?? 100_000))
