/** The charts of a report, and the table of the numbers behind them. */
import { withoutUndefined } from '../../fp.js'
import { histogram, mergeHistograms, quantile } from '../../report/histogram.js'
import { type Html, html, scrollable } from '../../report/html.js'
import { type Chart, clockTime, type Measure } from '../../report/svgChart.js'
import { duration, number, plural } from '../../report/text.js'
import type { Interval, Pauses, Recording } from './recorder.js'

// measures

const seconds = ({ from, to }: Interval): number => (to - from) / 1_000

/** Counts written and rejected rows. */
const rowsPerSecond = (interval: Interval): number =>
  (interval.stats.rows + interval.stats.rejects) / seconds(interval)

/** At most the busiest second: the last interval may be shorter than a second of the clock. */
const requestsPerSecond = (interval: Interval): number =>
  Math.min(interval.stats.sent / seconds(interval), interval.stats.busiest)

const busiest = ({ stats }: Interval): number => stats.busiest

const latency =
  (share: number): Measure<Interval> =>
  ({ stats }) =>
    quantile(stats.latency, share)

const averageConcurrency =
  (which: 'inFlightMs' | 'waitingMs' | 'pausedMs'): Measure<Interval> =>
  ({ stats }) =>
    stats.observedMs === 0 ? undefined : stats[which] / stats.observedMs

/** The limit in force, where it was below the configured one. */
const loweredLimit =
  (limit: Recording['limit']): Measure<Interval> =>
  ({ stats }) =>
    limit !== undefined && stats.allowed < limit.perSecond ? stats.allowed : undefined

const sum = (
  intervals: ReadonlyArray<Interval>,
  field: 'rows' | 'rejects' | 'sent' | 'refused' | 'failed',
): number => intervals.reduce((all, { stats }) => all + stats[field], 0)

/** Formats `1.5` or `23`. */
const decimal = (n: number): string =>
  n.toLocaleString('en-US', { maximumFractionDigits: n < 10 ? 1 : 0 })

/** Formats `146 ms` or `12.3 s`. */
const milliseconds = (ms: number): string => (ms < 10_000 ? `${number(ms)} ms` : duration(ms))

// charts

export const charts = (recording: Recording): ReadonlyArray<Chart<Interval>> => [
  rows(recording),
  requests(recording),
  latencies(recording),
  failures(recording),
  concurrency(recording),
]

const rows = ({ intervals }: Recording): Chart<Interval> => {
  const most = Math.max(0, ...intervals.map(rowsPerSecond))
  const idle = intervals
    .filter(({ stats }) => stats.rows + stats.rejects === 0)
    .reduce((sum, { from, to }) => sum + to - from, 0)
  const rejects = sum(intervals, 'rejects')
  return {
    id: 'rows',
    title: 'Rows a second',
    summary: `${plural(sum(intervals, 'rows') + rejects, 'row')} read, ${number(rejects)} of them rejected. At most ${number(most)} a second, ${idle === 0 ? 'without a break' : `and none for ${duration(idle)}`}.`,
    format: number,
    lines: [{ name: 'rows read', form: 'area', of: rowsPerSecond }],
  }
}

const requests = ({ intervals, limit, logins }: Recording): Chart<Interval> => {
  const most = Math.max(0, ...intervals.map(busiest))
  const line = limit && {
    name: `${limit.name} limit, ${number(limit.perSecond)} a second`,
    value: limit.perSecond,
  }
  const lowered = loweredLimit(limit)
  const isLowered = intervals.some((interval) => lowered(interval) !== undefined)
  return {
    id: 'requests',
    title: 'Requests a second',
    summary: `${plural(sum(intervals, 'sent'), 'request')}, at most ${number(most)} in a second of this clock${line === undefined ? '' : ` (${line.name})`}. Requests that were refused or broke off are drawn each time they were sent; ${plural(logins, 'login')} ${logins === 1 ? 'is' : 'are'} not drawn.`,
    format: decimal,
    lines: [
      { name: 'on average', form: 'area', of: requestsPerSecond },
      { name: 'in the busiest second', form: 'solid', of: busiest },
      ...(isLowered
        ? [{ name: 'limit lowered after refusals', form: 'dotted', of: lowered } as const]
        : []),
    ],
    ...withoutUndefined({ limit: line }),
  }
}

const latencies = ({ intervals }: Recording): Chart<Interval> => {
  const all = intervals.reduce((sum, { stats }) => mergeHistograms(sum, stats.latency), histogram())
  const slowest = Math.max(0, ...intervals.map(({ stats }) => stats.slowest))
  const half = quantile(all, 0.5)
  const most = quantile(all, 0.95)
  return {
    id: 'latency',
    title: 'Time to the answer',
    summary:
      half === undefined || most === undefined
        ? 'No answer came.'
        : `Half of the answers came within ${milliseconds(half)}, 95 % within ${milliseconds(most)}, the slowest after ${milliseconds(slowest)}.`,
    format: milliseconds,
    lines: [
      { name: 'half of them', form: 'solid', of: latency(0.5) },
      { name: '95 %', form: 'dashed', of: latency(0.95) },
      { name: '99 %', form: 'dotted', of: latency(0.99) },
    ],
  }
}

const failures = ({ intervals }: Recording): Chart<Interval> => ({
  id: 'trouble',
  title: 'Refused and failed requests',
  summary: `${plural(sum(intervals, 'refused'), 'request')} refused for the limits (429); ${plural(sum(intervals, 'failed'), 'request')} without an answer, or with a 5xx.`,
  format: number,
  lines: [
    { name: 'refused or failed', form: 'bars', of: ({ stats }) => stats.refused + stats.failed },
    { name: 'of them refused', form: 'bars', of: ({ stats }) => stats.refused },
  ],
})

const concurrency = ({ pauses }: Recording): Chart<Interval> => ({
  id: 'concurrency',
  title: 'Concurrent requests',
  summary: `${describePauses(pauses)}. Requests wait behind a limit when the quota is used up.`,
  format: decimal,
  lines: [
    { name: 'under way', form: 'area', of: averageConcurrency('inFlightMs') },
    { name: 'behind a limit', form: 'dashed', of: averageConcurrency('waitingMs') },
    { name: 'after a refusal or a fault', form: 'dotted', of: averageConcurrency('pausedMs') },
  ],
})

const describePauses = ({ count, ms }: Pauses): string =>
  count === 0
    ? 'None was put off for a fault to pass'
    : `${plural(count, 'request')} ${count === 1 ? 'was' : 'were'} put off for a fault to pass, for ${duration(ms)} in all`

// table

interface ChartColumn {
  readonly name: string
  readonly of: Measure<Interval>
  readonly format: (value: number) => string
}

const COLUMNS: ReadonlyArray<ChartColumn> = [
  { name: 'Rows/s', of: rowsPerSecond, format: number },
  { name: 'Rejected', of: ({ stats }) => stats.rejects, format: number },
  { name: 'Requests/s', of: requestsPerSecond, format: decimal },
  { name: 'Busiest second', of: busiest, format: number },
  { name: '50 %', of: latency(0.5), format: milliseconds },
  { name: '95 %', of: latency(0.95), format: milliseconds },
  { name: '99 %', of: latency(0.99), format: milliseconds },
  { name: 'Slowest', of: ({ stats }) => stats.slowest, format: milliseconds },
  { name: 'Refused', of: ({ stats }) => stats.refused, format: number },
  { name: 'Failed', of: ({ stats }) => stats.failed, format: number },
  { name: 'Under way', of: averageConcurrency('inFlightMs'), format: decimal },
  { name: 'Behind a limit', of: averageConcurrency('waitingMs'), format: decimal },
  { name: 'Put off', of: averageConcurrency('pausedMs'), format: decimal },
]

export const table = (intervals: ReadonlyArray<Interval>): Html =>
  html`<details><summary>Show ${plural(intervals.length, 'row')}</summary>
${scrollable(
  'numbers',
  html`<table>
<caption>Percentages are of answers, with the time that so many of them did not exceed; the last three columns are concurrent requests.</caption>
<thead><tr><th scope="col">From, to</th>${COLUMNS.map(({ name }) => html`<th scope="col" class="n">${name}</th>`)}</tr></thead>
<tbody>
${intervals.map(tableRow)}
</tbody>
</table>`,
)}</details>`

const tableRow = (interval: Interval): Html => {
  const cells = COLUMNS.map(({ of, format }) => {
    const value = of(interval)
    return html`<td class="n">${value === undefined ? '' : format(value)}</td>`
  })
  const { from, to } = interval
  return html`<tr><th scope="row">${clockTime(from)}–${clockTime(to)}</th>${cells}</tr>
`
}
