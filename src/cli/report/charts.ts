/** What a report draws of a run. */
import { defined } from '../../fp.js'
import { duration, number, plural } from '../text.js'
import type { Chart } from './chart.js'
import { histogram, plus, quantile } from './Histogram.js'
import type { IntervalStats } from './IntervalStats.js'
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
import type { Pauses, Recording } from './Recording.js'
import type { Interval } from './Timeline.js'

export const charts = (recording: Recording): ReadonlyArray<Chart> => [
  rows(recording),
  requests(recording),
  latencies(recording),
  failures(recording),
  concurrency(recording),
]

const rows = ({ intervals }: Recording): Chart => {
  const most = Math.max(0, ...intervals.map((one) => rowsPerSecond(one) ?? 0))
  const without = intervals.filter(({ stats }) => stats.rows + stats.rejects === 0)
  const rejects = sum(intervals, 'rejects')
  const idle = without.reduce((sum, { from, to }) => sum + to - from, 0)
  return {
    id: 'rows',
    title: 'Rows a second',
    summary: `${plural(sum(intervals, 'rows') + rejects, 'row')} read, ${number(rejects)} of them rejected. At most ${number(most)} a second, ${idle === 0 ? 'without a break' : `and none for ${duration(idle)}`}.`,
    show: number,
    lines: [{ name: 'rows read', form: 'area', of: rowsPerSecond }],
  }
}

const requests = ({ intervals, limit, logins }: Recording): Chart => {
  const most = Math.max(0, ...intervals.map(({ stats }) => stats.busiest))
  const kept = limit && {
    name: `${limit.name} limit, ${number(limit.perSecond)} a second`,
    value: limit.perSecond,
  }
  const below = lowered(limit)
  return {
    id: 'requests',
    title: 'Requests a second',
    summary: `${plural(sum(intervals, 'sent'), 'request')}, at most ${number(most)} in a second of this clock${kept === undefined ? '' : ` (${kept.name})`}. Those that were refused or broke off are drawn each time that they were sent; ${plural(logins, 'login')} ${logins === 1 ? 'is' : 'are'} not drawn.`,
    show: decimal,
    lines: [
      { name: 'on average', form: 'area', of: requestsPerSecond },
      { name: 'in the busiest second', form: 'solid', of: busiest },
      ...(intervals.some((one) => below(one) !== undefined)
        ? [{ name: 'limit lowered after refusals', form: 'dotted', of: below } as const]
        : []),
    ],
    ...defined({ limit: kept }),
  }
}

/** The limit in force, where it was below the one that was given. */
const lowered =
  (limit: Recording['limit']): Measure =>
  ({ stats }) =>
    limit !== undefined && stats.allowed < limit.perSecond ? stats.allowed : undefined

const latencies = ({ intervals }: Recording): Chart => {
  const all = intervals.reduce((sum, { stats }) => plus(sum, stats.latency), histogram())
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
    show: milliseconds,
    lines: [
      { name: 'half of them', form: 'solid', of: latency(0.5) },
      { name: '95 %', form: 'dashed', of: latency(0.95) },
      { name: '99 %', form: 'dotted', of: latency(0.99) },
    ],
  }
}

const failures = ({ intervals }: Recording): Chart => ({
  id: 'trouble',
  title: 'Refused and failed requests',
  summary: `${plural(sum(intervals, 'refused'), 'request')} refused for the limits (429); ${plural(sum(intervals, 'failed'), 'request')} without an answer, or with a 5xx.`,
  show: number,
  lines: [
    { name: 'refused or failed', form: 'bars', of: ({ stats }) => stats.refused + stats.failed },
    { name: 'of them refused', form: 'bars', of: ({ stats }) => stats.refused },
  ],
})

const concurrency = ({ pauses }: Recording): Chart => ({
  id: 'places',
  title: 'Requests at a time',
  summary: `${describePauses(pauses)}. Requests wait behind a limit when the quota is used up.`,
  show: decimal,
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

const sum = (
  intervals: ReadonlyArray<Interval>,
  what: keyof Pick<IntervalStats, 'rows' | 'rejects' | 'sent' | 'refused' | 'failed'>,
): number => intervals.reduce((all, { stats }) => all + stats[what], 0)
