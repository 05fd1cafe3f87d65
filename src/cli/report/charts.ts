/** What a report draws of a run. */
import { defined } from '../../fp.js'
import { duration, number, plural } from '../progress/words.js'
import type { Bucket } from './Bucket.js'
import type { Chart } from './chart.js'
import { histogram, plus, quantile } from './Histogram.js'
import {
  atATime,
  busiest,
  decimal,
  latency,
  type Measure,
  milliseconds,
  requestsPerSecond,
  rowsPerSecond,
} from './measures.js'
import type { Pauses, Recording } from './Recording.js'
import type { Stretch } from './Series.js'

export const charts = (recording: Recording): ReadonlyArray<Chart> => [
  rows(recording),
  requests(recording),
  answers(recording),
  trouble(recording),
  places(recording),
]

const rows = ({ stretches }: Recording): Chart => {
  const most = Math.max(0, ...stretches.map((one) => rowsPerSecond(one) ?? 0))
  const without = stretches.filter(({ bucket }) => bucket.rows + bucket.rejects === 0)
  const rejects = sum(stretches, 'rejects')
  const idle = without.reduce((sum, { from, to }) => sum + to - from, 0)
  return {
    id: 'rows',
    title: 'Rows a second',
    summary: `${plural(sum(stretches, 'rows') + rejects, 'row')} read, ${number(rejects)} of them rejected. At most ${number(most)} a second, ${idle === 0 ? 'without a break' : `and none for ${duration(idle)}`}.`,
    show: number,
    lines: [{ name: 'rows read', form: 'area', of: rowsPerSecond }],
  }
}

const requests = ({ stretches, limit, logins }: Recording): Chart => {
  const most = Math.max(0, ...stretches.map(({ bucket }) => bucket.busiest))
  const kept = limit && {
    name: `${limit.name} limit, ${number(limit.perSecond)} a second`,
    value: limit.perSecond,
  }
  const below = lowered(limit)
  return {
    id: 'requests',
    title: 'Requests a second',
    summary: `${plural(sum(stretches, 'sent'), 'request')}, at most ${number(most)} in a second of this clock${kept === undefined ? '' : ` (${kept.name})`}. Those that were refused or broke off are drawn each time that they were sent; ${plural(logins, 'login')} ${logins === 1 ? 'is' : 'are'} not drawn.`,
    show: decimal,
    lines: [
      { name: 'on average', form: 'area', of: requestsPerSecond },
      { name: 'in the busiest second', form: 'solid', of: busiest },
      ...(stretches.some((one) => below(one) !== undefined)
        ? [{ name: 'limit lowered after refusals', form: 'dotted', of: below } as const]
        : []),
    ],
    ...defined({ limit: kept }),
  }
}

/** The limit in force, where it was below the one that was given. */
const lowered =
  (limit: Recording['limit']): Measure =>
  ({ bucket }) =>
    limit !== undefined && bucket.allowed < limit.perSecond ? bucket.allowed : undefined

const answers = ({ stretches }: Recording): Chart => {
  const all = stretches.reduce((sum, { bucket }) => plus(sum, bucket.latency), histogram())
  const slowest = Math.max(0, ...stretches.map(({ bucket }) => bucket.slowest))
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

const trouble = ({ stretches }: Recording): Chart => ({
  id: 'trouble',
  title: 'Refused and failed requests',
  summary: `${plural(sum(stretches, 'refused'), 'request')} refused for the limits (429); ${plural(sum(stretches, 'failed'), 'request')} without an answer, or with a 5xx.`,
  show: number,
  lines: [
    { name: 'refused or failed', form: 'bars', of: ({ bucket }) => bucket.refused + bucket.failed },
    { name: 'of them refused', form: 'bars', of: ({ bucket }) => bucket.refused },
  ],
})

const places = ({ pauses }: Recording): Chart => ({
  id: 'places',
  title: 'Requests at a time',
  summary: `${putOff(pauses)}. Requests wait behind a limit when the quota is used up.`,
  show: decimal,
  lines: [
    { name: 'under way', form: 'area', of: atATime('flying') },
    { name: 'behind a limit', form: 'dashed', of: atATime('waiting') },
    { name: 'after a refusal or a fault', form: 'dotted', of: atATime('pausing') },
  ],
})

const putOff = ({ count, ms }: Pauses): string =>
  count === 0
    ? 'None was put off for a fault to pass'
    : `${plural(count, 'request')} ${count === 1 ? 'was' : 'were'} put off for a fault to pass, for ${duration(ms)} in all`

const sum = (
  stretches: ReadonlyArray<Stretch>,
  what: keyof Pick<Bucket, 'rows' | 'rejects' | 'sent' | 'refused' | 'failed'>,
): number => stretches.reduce((all, { bucket }) => all + bucket[what], 0)
