/**
 * Cost of a task when no rate is used up: microseconds of CPU time, the part that a limiter adds to the task, and bytes while
 * the task waits for one of 50 permits. The limiters run in turn, each in a separate process, with a task that only responds
 * later. CPU time is that of the thread that runs the tasks, so other programs do not count.
 *
 *     npm run build && node bench/scheduler/overhead.ts [tasks]
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ALONE, COUNTS, runners } from './runners.ts'

const ROUNDS = 7
/** Number of processes for each limiter. */
const PASSES = 3

interface Cost {
  readonly micros: number
  /** Result for a tenth of the tasks. */
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

  /** Number of consecutive repetitions. They are needed because the system counts CPU time in steps of up to 10 ms. */
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

/** Contenders in which a task costs more if more tasks wait. */
const STEEP = ['bottleneck', 'effect']

const countOf = (name: string, tasks: number): number =>
  STEEP.includes(name) ? tasks / 100 : tasks

/** Runs in a separate process. */
const apart = (name: string, tasks: number): Cost => {
  const args = ['--expose-gc', fileURLToPath(import.meta.url), name, `${countOf(name, tasks)}`]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

/** Returns the median. All limiters run once per round, so other work on the machine affects all of them. */
const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const report = (tasks: number): void => {
  const names = Object.keys(runners)
  const rounds = Array.from({ length: PASSES }, () => names.map((name) => apart(name, tasks)))
  const results = names.map((name, i) => {
    const of = (part: keyof Cost): number => median(rounds.map((costs) => costs[i]?.[part] ?? NaN))
    return { name, micros: of('micros'), few: of('few'), bytes: of('bytes') }
  })
  const micros = (name: string): number =>
    results.find((result) => result.name === name)?.micros ?? Number.NaN
  const added = ({ name, micros: all }: (typeof results)[number]): number => {
    if (name === ALONE.rx || name === ALONE.promises) return Number.NaN
    return (
      all - micros(name.startsWith('payments-rx') || name === COUNTS ? ALONE.rx : ALONE.promises)
    )
  }
  const base = results.find(({ name }) => name === 'p-queue')
  const cell = (value: number, digits = 2): string =>
    Number.isNaN(value) ? '' : value.toFixed(digits)
  const of = (value: number, whole = Number.NaN): string => cell(value / whole)
  console.log(`\nA task of ${tasks.toLocaleString('en')} that wait, limits not binding\n`)
  console.log(
    '| limiter | µs | of p-queue | added | of p-queue | µs, of a tenth | bytes | of p-queue |',
  )
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|')
  for (const result of results) {
    const { name, micros, few, bytes } = result
    const cells = [
      STEEP.includes(name) ? `${name}, of ${countOf(name, tasks).toLocaleString('en')}` : name,
      micros.toFixed(2),
      of(micros, base?.micros),
      cell(added(result)),
      of(added(result), base && added(base)),
      few.toFixed(2),
      bytes.toFixed(0),
      of(bytes, base?.bytes),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
}

const [name, tasks] = process.argv.slice(2)
if (name !== undefined && tasks !== undefined) {
  console.log(JSON.stringify(await measure(name, Number(tasks))))
  process.exit(0)
} else {
  report(Number(name ?? 100_000))
}
