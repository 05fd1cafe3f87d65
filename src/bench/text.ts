/** The result of a run as text: the limiting factor, the figures, the peers. */
import { bytes, number, percent } from '../report/text.js'
import type { BenchResult, Percentiles } from './BenchResult.js'

type TextRow = ReadonlyArray<string>

// tables

/** Returns names and values, most important first. */
export const figures = (result: BenchResult): ReadonlyArray<readonly [string, string]> => {
  const { ceiling, bestWidth, cpuSecondsPerMillionRows: cpu } = result
  return [
    ['Rows per second', number(result.rowsPerSecond)],
    ['Requests per second', result.requestsPerSecond.toFixed(1)],
    [
      `Rate limit used (${number(ceiling.perSecond)} requests/s)`,
      percent(Math.min(1, result.share)),
    ],
    ['Refused by the service (429)', number(result.refused)],
    ['Retried requests', number(result.retries)],
    ['Failed requests', number(result.failed)],
    ['Concurrent requests used', number(result.width)],
    [
      bestWidth.share === null
        ? 'Concurrent requests needed (estimate)'
        : `Concurrent requests for ${percent(Math.min(1, bestWidth.share))} of the limit`,
      number(bestWidth.width),
    ],
    ['CPU time per million rows', cpu === null ? '' : `${cpu.toFixed(2)} s`],
    ['Peak memory', bytes(result.peakMemory)],
  ]
}

/** Returns percentiles of response and waiting times. */
export const timeRows = ({ answer, wait }: BenchResult): ReadonlyArray<TextRow> => [
  ['', 'median', '95th percentile', '99th percentile'],
  ['Response time', ...times(answer)],
  ['Wait in the queue', ...times(wait)],
]

const times = ({ p50, p95, p99 }: Percentiles): TextRow =>
  [p50, p95, p99].map((ms) => (ms === null ? '' : `${number(ms)} ms`))

const peerRows = (result: BenchResult): ReadonlyArray<TextRow> => [
  ['', 'Rows/s', 'Requests/s', 'Limit used', 'Refused', 'Peak per second'],
  contenderRow('payments-rx', result, result.refused, result.arrivals?.mostOfEndpoint ?? 0),
  ...result.peers.map(({ leftOut, ...one }) =>
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

export const benchText = (result: BenchResult): ReadonlyArray<string> => {
  const { verdict, total, arrivals, peers } = result
  const counted =
    arrivals &&
    `${number(arrivals.requests)} of ${number(total.requests)} requests arrived. In the busiest second, ${number(arrivals.mostOfEndpoint)} arrived at one endpoint and ${number(arrivals.mostOfAll)} in total.`
  return [
    [verdict],
    aligned(figures(result)),
    aligned(timeRows(result)),
    counted === undefined ? [] : [counted],
    peers.length === 0 ? [] : aligned(peerRows(result)),
  ]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]))
}

/** Aligns columns, the first to the left and the others to the right. A row with a single cell may be wider. */
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
