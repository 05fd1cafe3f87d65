/** The result of a run as lines of text: what bound it, its figures, and who else ran. */
import { number, percent } from '../report/text.js'
import type { BenchResult } from './BenchResult.js'
import type { Change } from './compare.js'
import { changeRows, figures, percentileTexts } from './page.js'

type Row = ReadonlyArray<string>

export const benchText = (
  result: BenchResult,
  changes: ReadonlyArray<Change>,
): ReadonlyArray<string> => {
  const { verdict, answer, wait, total, arrivals, contenders } = result
  return [
    verdict,
    '',
    ...aligned(figures(result)),
    '',
    ...aligned([
      ['', '50 %', '95 %', '99 %'],
      ['Answer', ...percentileTexts(answer)],
      ['Wait in the queue', ...percentileTexts(wait)],
    ]),
    ...(arrivals === undefined
      ? []
      : [
          '',
          `Of ${number(total.requests)} requests in all, ${number(arrivals.requests)} arrived, at most ${number(arrivals.mostOfEndpoint)} of an endpoint and ${number(arrivals.mostOfAll)} of all in any second.`,
        ]),
    ...(contenders.length === 0 ? [] : ['', ...aligned(contenderRows(result))]),
    ...(changes.length === 0
      ? []
      : ['', ...aligned([['', 'Before', 'Now', 'Change', 'Spread', ''], ...changeRows(changes)])]),
  ]
}

const contenderRows = (result: BenchResult): ReadonlyArray<Row> => [
  ['', 'Rows/s', 'Requests/s', 'Of the quota', 'Refused', 'Most in a second'],
  [
    'payments-rx',
    number(result.rowsPerSecond),
    result.requestsPerSecond.toFixed(1),
    percent(Math.min(1, result.share)),
    number(result.refused),
    number(result.arrivals?.mostOfEndpoint ?? 0),
  ],
  ...result.contenders.map(
    ({ name, leftOut, rowsPerSecond, requestsPerSecond, share, arrivals }): Row =>
      leftOut !== undefined
        ? [`${name}: ${leftOut}`]
        : [
            name,
            number(rowsPerSecond),
            requestsPerSecond.toFixed(1),
            percent(Math.min(1, share)),
            number(arrivals.refused),
            number(arrivals.mostOfEndpoint),
          ],
  ),
]

/** Columns of equal width: the first one to the left, the others to the right. A row of one cell may be wider. */
const aligned = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const whole = rows.filter(({ length }) => length > 1)
  const widths = (whole[0] ?? []).map((_, i) =>
    Math.max(...whole.map((row) => row[i]?.length ?? 0)),
  )
  return rows.map((row) =>
    row.length === 1
      ? (row[0] ?? '')
      : row
          .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
          .join('   ')
          .trimEnd(),
  )
}
