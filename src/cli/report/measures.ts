/** Numbers of a stretch, as charts and their table tell them. */
import { duration, number } from '../text.js'
import { quantile } from './Histogram.js'
import type { Interval } from './Timeline.js'

// model

/** Nothing where there is nothing to measure. */
export type Measure = (stretch: Interval) => number | undefined

// constructors

const seconds = ({ from, to }: Interval): number => (to - from) / 1_000

/** Of all that came, whether it was written or put aside. */
export const rowsPerSecond: Measure = (one) => (one.stats.rows + one.stats.rejects) / seconds(one)

/** In the last stretch the clock's second may be longer than what is left of the run. */
export const requestsPerSecond: Measure = (one) =>
  Math.min(one.stats.sent / seconds(one), one.stats.busiest)

/** The most requests in a second of the clock. */
export const busiest: Measure = ({ stats }) => stats.busiest

/** The time in ms that this share of answers did not exceed. */
export const latency =
  (share: number): Measure =>
  ({ stats }) =>
    quantile(stats.latency, share)

/** How many there were at a time. */
export const averageConcurrency =
  (which: 'inFlightMs' | 'waitingMs' | 'pausedMs'): Measure =>
  ({ stats }) =>
    stats.observedMs === 0 ? undefined : stats[which] / stats.observedMs

// interop

/** `1.5`, `23`. */
export const decimal = (n: number): string =>
  n.toLocaleString('en-US', { maximumFractionDigits: n < 10 ? 1 : 0 })

/** `146 ms`, `12.3 s`. */
export const milliseconds = (ms: number): string =>
  ms < 10_000 ? `${number(ms)} ms` : duration(ms)
