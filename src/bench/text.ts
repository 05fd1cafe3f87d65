/** The result of a run in words: the bound, the figures, the contenders. */
import { bytes, number, percent } from '../report/text.js'
import type { BenchResult, Percentiles } from './BenchResult.js'
import type { BenchChange } from './compare.js'

type TextRow = ReadonlyArray<string>

// tables

/** Names and values, the most important first. */
export const figures = (result: BenchResult): ReadonlyArray<readonly [string, string]> => {
  const { ceiling, bestWidth, cpuSecondsPerMillionRows: cpu } = result
  return [
    ['Rows a second', number(result.rowsPerSecond)],
    ['Requests a second', result.requestsPerSecond.toFixed(1)],
    [`Share of ${number(ceiling.perSecond)} requests a second`, percent(Math.min(1, result.share))],
    ['Refused (429)', number(result.refused)],
    ['Sent again', number(result.retries)],
    ['Failed', number(result.failed)],
    ['Concurrent requests', number(result.width)],
    bestWidth.share === null
      ? ['Best width, computed', number(bestWidth.width)]
      : [
          'Best width: its share',
          `${number(bestWidth.width)}: ${percent(Math.min(1, bestWidth.share))}`,
        ],
    ['CPU a million rows', cpu === null ? '' : `${cpu.toFixed(2)} s`],
    ['Peak memory', bytes(result.peakMemory)],
  ]
}

/** Quantiles of answers and of waiting. */
export const timeRows = ({ answer, wait }: BenchResult): ReadonlyArray<TextRow> => [
  ['', '50 %', '95 %', '99 %'],
  ['Answer', ...times(answer)],
  ['Wait in the queue', ...times(wait)],
]

const times = ({ p50, p95, p99 }: Percentiles): TextRow =>
  [p50, p95, p99].map((ms) => (ms === null ? '' : `${number(ms)} ms`))

const CHANGED: Readonly<Record<BenchChange['name'], string>> = {
  rowsPerSecond: 'Rows a second',
  requestsPerSecond: 'Requests a second',
  cpuSecondsPerMillionRows: 'CPU s a million rows',
}

/** Changes; one within the spread of the parts of a run is none. */
export const changeRows = (changes: ReadonlyArray<BenchChange>): ReadonlyArray<TextRow> => [
  ['', 'Before', 'Now', 'Change', 'Spread', 'That is'],
  ...changes.map(({ name, before, after, change, noise, verdict }) => [
    CHANGED[name],
    decimal(before),
    decimal(after),
    `${change < 0 ? '-' : '+'}${percent(Math.abs(change))}`,
    percent(noise),
    verdict === 'none' ? 'no change' : verdict,
  ]),
]

const decimal = (n: number): string =>
  n.toLocaleString('en-US', { maximumFractionDigits: n < 100 ? 2 : 0 })

const contenderRows = (result: BenchResult): ReadonlyArray<TextRow> => [
  ['', 'Rows/s', 'Requests/s', 'Of the quota', 'Refused', 'Most in a second'],
  contenderRow('payments-rx', result, result.refused, result.arrivals?.mostOfEndpoint ?? 0),
  ...result.contenders.map(({ leftOut, ...one }) =>
    leftOut === undefined
      ? contenderRow(one.name, one, one.arrivals.refused, one.arrivals.mostOfEndpoint)
      : [`${one.name}: ${leftOut}`],
  ),
]

const contenderRow = (
  name: string,
  one: Pick<BenchResult, 'rowsPerSecond' | 'requestsPerSecond' | 'share'>,
  refused: number,
  most: number,
): TextRow => [
  name,
  number(one.rowsPerSecond),
  one.requestsPerSecond.toFixed(1),
  percent(Math.min(1, one.share)),
  number(refused),
  number(most),
]

// lines

export const benchText = (
  result: BenchResult,
  changes: ReadonlyArray<BenchChange>,
): ReadonlyArray<string> => {
  const { verdict, total, arrivals, contenders } = result
  const counted =
    arrivals &&
    `Of ${number(total.requests)} requests in all, ${number(arrivals.requests)} arrived, at most ${number(arrivals.mostOfEndpoint)} of an endpoint and ${number(arrivals.mostOfAll)} of all in any second.`
  return [
    [verdict],
    aligned(figures(result)),
    aligned(timeRows(result)),
    counted === undefined ? [] : [counted],
    contenders.length === 0 ? [] : aligned(contenderRows(result)),
    changes.length === 0 ? [] : aligned(changeRows(changes)),
  ]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]))
}

/** Columns of equal width: the first one to the left, the others to the right. A row of one cell may be wider. */
const aligned = (rows: ReadonlyArray<TextRow>): ReadonlyArray<string> => {
  const whole = rows.filter(({ length }) => length > 1)
  const widths = (whole[0] ?? []).map((_, i) =>
    Math.max(...whole.map((row) => row[i]?.length ?? 0)),
  )
  return rows.map((row) => {
    if (row.length === 1) return row.join('')
    const cells = row.map((cell, i) =>
      i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
    )
    return cells.join('   ').trimEnd()
  })
}
