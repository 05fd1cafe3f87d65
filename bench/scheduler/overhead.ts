/**
 * What a task costs when no rate is used up: microseconds of processor time, and bytes while it waits
 * for one of 50 places. Each limiter runs in a process of its own, in turn, with a task that does
 * nothing but answer later. Processor time, of the thread that runs them: other programs do not count.
 *
 *     npm run build && node bench/scheduler/overhead.ts [tasks]
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runners } from './runners.ts'

const ROUNDS = 7

interface Cost {
  readonly micros: number
  /** The same with a tenth of the tasks. */
  readonly few: number
  readonly bytes: number
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    globalThis.gc?.()
  }
}

const measure = async (name: string, tasks: number): Promise<Cost> => {
  const make = runners[name]
  if (make === undefined) throw new Error(`no limiter ${name}`)
  const run = make()

  /** So many times one after the other: the system counts processor time in steps of up to 10 ms. */
  const cheapest = async (count: number, times: number): Promise<number> => {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.threadCpuUsage()
      for (let time = 0; time < times; time++) await run(async () => 1, count)
      const { user, system } = process.threadCpuUsage(before)
      least = Math.min(least, (user + system) / (count * times))
    }
    return least
  }

  const micros = await cheapest(tasks, 1)
  const few = await cheapest(tasks / 10, 10)
  await settle()
  const before = process.memoryUsage().heapUsed
  let release = (): void => {}
  const gate = new Promise<number>((resolve) => {
    release = () => resolve(1)
  })
  const done = run(() => gate, tasks)
  await settle()
  const bytes = (process.memoryUsage().heapUsed - before) / tasks
  release()
  await done
  return { micros, few, bytes }
}

/** In a process of its own. Bottleneck takes time by the hundred. */
const apart = (name: string, tasks: number): Cost => {
  const count = name === 'bottleneck' ? tasks / 100 : tasks
  const args = ['--expose-gc', fileURLToPath(import.meta.url), name, `${count}`]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

const report = (tasks: number): void => {
  const results = Object.keys(runners).map((name) => ({ name, ...apart(name, tasks) }))
  const base = results.find(({ name }) => name === 'p-queue')
  const of = (value: number, whole = Number.NaN): string => (value / whole).toFixed(2)
  console.log(`\nA task of ${tasks.toLocaleString('en')} that wait, limits not binding\n`)
  console.log(
    '| limiter                           | µs | of p-queue | µs, of a tenth | bytes | of p-queue |',
  )
  console.log(
    '|-----------------------------------|---:|-----------:|---------------:|------:|-----------:|',
  )
  for (const { name, micros, few, bytes } of results) {
    const cells = [
      micros.toFixed(2),
      of(micros, base?.micros),
      few.toFixed(2),
      bytes.toFixed(0),
      of(bytes, base?.bytes),
    ]
    console.log(`| ${name.padEnd(33)} | ${cells.join(' | ')} |`)
  }
}

const [name, tasks] = process.argv.slice(2)
if (name !== undefined && tasks !== undefined) {
  console.log(JSON.stringify(await measure(name, Number(tasks))))
  process.exit(0)
} else {
  report(Number(name ?? 100_000))
}
