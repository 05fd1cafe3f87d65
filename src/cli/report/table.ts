/** What the charts are drawn from, as a table. */
import { number, plural } from '../text.js'
import { type Html, html } from './html.js'
import {
  averageConcurrency,
  busiest,
  decimal,
  latency,
  type Measure,
  milliseconds,
  requestsPerSecond,
  rowsPerSecond,
} from './measures.js'
import { clockTime } from './scale.js'
import { scrolled } from './section.js'
import type { Interval } from './Timeline.js'

interface Column {
  readonly name: string
  readonly of: Measure
  readonly show: (value: number) => string
}

const COLUMNS: ReadonlyArray<Column> = [
  { name: 'Rows/s', of: rowsPerSecond, show: number },
  { name: 'Rejected', of: ({ stats }) => stats.rejects, show: number },
  { name: 'Requests/s', of: requestsPerSecond, show: decimal },
  { name: 'Busiest second', of: busiest, show: number },
  { name: '50 %', of: latency(0.5), show: milliseconds },
  { name: '95 %', of: latency(0.95), show: milliseconds },
  { name: '99 %', of: latency(0.99), show: milliseconds },
  { name: 'Slowest', of: ({ stats }) => stats.slowest, show: milliseconds },
  { name: 'Refused', of: ({ stats }) => stats.refused, show: number },
  { name: 'Failed', of: ({ stats }) => stats.failed, show: number },
  { name: 'Under way', of: averageConcurrency('inFlightMs'), show: decimal },
  { name: 'Behind a limit', of: averageConcurrency('waitingMs'), show: decimal },
  { name: 'Put off', of: averageConcurrency('pausedMs'), show: decimal },
]

export const table = (intervals: ReadonlyArray<Interval>): Html =>
  html`<details><summary>Show ${plural(intervals.length, 'row')}</summary>
${scrolled(
  'numbers',
  html`<table>
<caption>Percentages are of answers, with the time that so many of them did not exceed; the last three columns are requests at a time.</caption>
<thead><tr><th scope="col">From, to</th>${COLUMNS.map(({ name }) => html`<th scope="col" class="n">${name}</th>`)}</tr></thead>
<tbody>
${intervals.map((one) => row(one))}
</tbody>
</table>`,
)}</details>`

const row = (one: Interval): Html =>
  html`<tr><th scope="row">${clockTime(one.from)}–${clockTime(one.to)}</th>${COLUMNS.map(
    ({ of, show }) => {
      const value = of(one)
      return html`<td class="n">${value === undefined ? '' : show(value)}</td>`
    },
  )}</tr>
`
