/** Figures of a benchmark, as the tour collects them: a line of JSON each in the file that `BENCH_RESULTS` names. */
import { appendFileSync } from 'node:fs'

export interface BenchPeer {
  readonly name: string
  readonly role: 'ours' | 'floor' | 'peer'
  readonly value: number
}

export interface Result {
  /** The work that all contenders did: `2,000 charges`. */
  readonly subject: string
  /** `µs an item`. */
  readonly unit: string
  readonly better: 'lower' | 'higher'
  readonly contenders: ReadonlyArray<BenchPeer>
}

/** Adds a result to the file of the run. Does nothing where no file is asked for. */
export const report = (result: Result): void => {
  const file = process.env.BENCH_RESULTS
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`)
}

/** Returns how many times a contender takes what the first of another role takes; undefined without one. */
export const ratio = (
  { contenders }: Result,
  of: BenchPeer['role'],
  to: BenchPeer['role'],
): number | undefined => {
  const value = (role: BenchPeer['role']) => contenders.find((one) => one.role === role)?.value
  const [above, below] = [value(of), value(to)]
  return above === undefined || below === undefined ? undefined : above / below
}

/** Returns the peer that does best. */
export const bestPeer = ({ contenders, better }: Result): BenchPeer | undefined => {
  const sign = better === 'lower' ? 1 : -1
  const peers = contenders.filter(({ role }) => role === 'peer')
  return peers.toSorted((a, b) => sign * (a.value - b.value))[0]
}

/** Three digits that count. */
export const figure = (value: number): string =>
  Number.isNaN(value)
    ? '?'
    : value >= 1_000
      ? Math.round(value).toLocaleString('en-US')
      : String(Number(value.toPrecision(3)))

/** Reports how many of some runs that were killed are exact: all must be. */
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
