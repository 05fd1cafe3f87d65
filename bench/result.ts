/** Figures of a benchmark, as the tour collects them: one line of JSON each in the file named by `BENCH_RESULTS`. */
import { appendFileSync } from 'node:fs'

export interface BenchPeer {
  readonly name: string
  readonly role: 'ours' | 'floor' | 'peer'
  readonly value: number
}

export interface Result {
  /** The work that all contenders did, such as `2,000 charges`. */
  readonly subject: string
  /** The unit, such as `µs an item`. */
  readonly unit: string
  readonly better: 'lower' | 'higher'
  readonly contenders: ReadonlyArray<BenchPeer>
}

/** Adds a result to the file of the run. Does nothing if no file was requested. */
export const report = (result: Result): void => {
  const file = process.env.BENCH_RESULTS
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`)
}

/** Returns the ratio of a contender to the first one of another role; undefined if there is none. */
export const ratio = (
  { contenders }: Result,
  of: BenchPeer['role'],
  to: BenchPeer['role'],
): number | undefined => {
  const value = (role: BenchPeer['role']) => contenders.find((one) => one.role === role)?.value
  const [above, below] = [value(of), value(to)]
  return above === undefined || below === undefined ? undefined : above / below
}

/** Returns the best peer. */
export const bestPeer = ({ contenders, better }: Result): BenchPeer | undefined => {
  const sign = better === 'lower' ? 1 : -1
  const peers = contenders.filter(({ role }) => role === 'peer')
  return peers.toSorted((a, b) => sign * (a.value - b.value))[0]
}

/** Formats three significant digits. */
export const figure = (value: number): string =>
  Number.isNaN(value)
    ? '?'
    : value >= 1_000
      ? Math.round(value).toLocaleString('en-US')
      : String(Number(value.toPrecision(3)))

/** Reports how many of the killed runs are exact. All of them must be. */
export const reportExact = (subject: string, exact: number, of: number): void =>
  report({
    subject,
    unit: '% exact',
    better: 'higher',
    contenders: [
      { name: 'payments-rx', role: 'ours', value: (100 * exact) / of },
      { name: 'every row once', role: 'floor', value: 100 },
    ],
  })
