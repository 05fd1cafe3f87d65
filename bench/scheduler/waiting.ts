/**
 * Cost of waiting calls, none of which may start: bytes of heap, and microseconds of CPU time to begin each. Compares a call of
 * the client with a task of its scheduler and of other limiters, each in a separate process.
 *
 *     npm run build && node bench/scheduler/waiting.ts [calls]
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import Bottleneck from 'bottleneck'
import pQueue from 'p-queue'
import pThrottle from 'p-throttle'
import { createClient } from 'payments-rx'
import { concurrency, createScheduler, schedule } from 'payments-rx/scheduler'
import { from, mergeMap, NEVER } from 'rxjs'
import { report } from '../result.ts'

const ROUNDS = 3
const WARM_UP = 2_000

interface Cost {
  readonly bytes: number
  readonly micros: number
}

/** Begins calls that never end. Returns what must be kept alive. */
type Begin = (calls: number) => unknown

const never = (): Promise<never> => new Promise(() => {})

const retrieves = (): Begin => {
  const token = async () => ({ token: 'token', validFor: 3_600_000 })
  const transport = () => NEVER
  const payments = createClient({ baseUrl: 'https://sandbox', credentials: { token }, transport })
  return (calls) =>
    from(Array.from({ length: calls }, (_, i) => ({ id: `chg_${i}` })))
      .pipe(mergeMap((params) => payments.charges.retrieve(params)))
      .subscribe()
}

const tasks = (): Begin => {
  const scheduler = createScheduler({ tiers: [concurrency({ name: 'one', limit: 1 })] })
  return (calls) =>
    from(Array.from({ length: calls }, (_, i) => i))
      .pipe(mergeMap((i) => NEVER.pipe(schedule(scheduler, i))))
      .subscribe()
}

const promised =
  (limit: (task: () => Promise<never>) => unknown): Begin =>
  (calls) =>
    Array.from({ length: calls }, () => limit(never))

const contenders: Readonly<Record<string, () => Begin>> = {
  'payments-rx, retrieve': retrieves,
  'payments-rx, task': tasks,
  'p-queue': () => {
    const queue = new pQueue({ concurrency: 1 })
    return promised((task) => queue.add(task))
  },
  bottleneck: () => {
    const limiter = new Bottleneck({ maxConcurrent: 1 })
    return promised((task) => limiter.schedule(task))
  },
  'p-throttle': () => promised(pThrottle({ limit: 1, interval: 10_000 })(never)),
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    globalThis.gc?.()
  }
}

const measure = async (name: string, calls: number): Promise<Cost> => {
  const make = contenders[name]
  if (make === undefined) throw new Error(`no limiter ${name}`)
  const kept: Array<unknown> = [make()(WARM_UP)]
  const begin = make()
  kept.push(begin(1)) // the client has a token by that time
  await settle()
  const { heapUsed } = process.memoryUsage()
  const before = process.threadCpuUsage()
  kept.push(begin(calls))
  await new Promise((resolve) => setImmediate(resolve)) // bottleneck queues later
  const { user, system } = process.threadCpuUsage(before)
  await settle()
  const bytes = (process.memoryUsage().heapUsed - heapUsed) / calls
  return { bytes: kept.length > 0 ? bytes : 0, micros: (user + system) / calls }
}

const apart = (name: string, calls: number): Cost => {
  const args = ['--expose-gc', '--max-old-space-size=4096']
  const script = fileURLToPath(import.meta.url)
  return JSON.parse(
    execFileSync(process.execPath, [...args, script, `${calls}`, name], { encoding: 'utf8' }),
  )
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const main = (calls: number): void => {
  const names = Object.keys(contenders)
  const rounds = Array.from({ length: ROUNDS }, () => names.map((name) => apart(name, calls)))
  console.log(`\n${calls.toLocaleString('en')} calls that wait\n`)
  console.log('| limiter | bytes | µs to begin, median | least |\n|---|--:|--:|--:|')
  const costs = names.map((name, i) => {
    const of = (part: keyof Cost) => rounds.map((round) => round[i]?.[part] ?? Number.NaN)
    const [bytes, micros] = [median(of('bytes')), median(of('micros'))]
    const least = Math.min(...of('micros'))
    console.log(`| ${name} | ${bytes.toFixed(0)} | ${micros.toFixed(1)} | ${least.toFixed(1)} |`)
    return { name, bytes, micros }
  })
  for (const [part, unit] of [
    ['bytes', 'bytes a call that waits'],
    ['micros', 'µs to begin one'],
  ] as const) {
    const measured = costs.map(({ name, [part]: value }) => {
      return { name, role: name.startsWith('payments-rx') ? 'ours' : 'peer', value } as const
    })
    report({ subject: 'a call that waits', unit, better: 'lower', contenders: measured })
  }
}

const [calls = '100000', name] = process.argv.slice(2)
if (name === undefined) {
  main(Number(calls))
} else {
  console.log(JSON.stringify(await measure(name, Number(calls))))
  process.exit(0)
}
