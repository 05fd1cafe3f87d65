/** Numbers of a stretch, as charts and their table tell them. */
import { duration, number } from '../progress/words.js'
import { quantile } from './Histogram.js'
import type { Stretch } from './Series.js'

// model

/** Nothing where there is nothing to measure. */
export type Measure = (stretch: Stretch) => number | undefined

// constructors

const seconds = ({ from, to }: Stretch): number => (to - from) / 1_000

/** Of all that came, whether it was written or put aside. */
export const rowsPerSecond: Measure = (one) => (one.bucket.rows + one.bucket.rejects) / seconds(one)

/** In the last stretch the clock's second may be longer than what is left of the run. */
export const requestsPerSecond: Measure = (one) =>
  Math.min(one.bucket.sent / seconds(one), one.bucket.busiest)

/** The most requests in a second of the clock. */
export const busiest: Measure = ({ bucket }) => bucket.busiest

/** The time in ms that this share of answers did not exceed. */
export const latency =
  (share: number): Measure =>
  ({ bucket }) =>
    quantile(bucket.latency, share)

/** How many there were at a time. */
export const atATime =
  (which: 'flying' | 'waiting' | 'pausing'): Measure =>
  ({ bucket }) =>
    bucket.seen === 0 ? undefined : bucket[which] / bucket.seen

// interop

/** `1.5`, `23`. */
export const decimal = (n: number): string =>
  n.toLocaleString('en-US', { maximumFractionDigits: n < 10 ? 1 : 0 })

/** `146 ms`, `12.3 s`. */
export const milliseconds = (ms: number): string =>
  ms < 10_000 ? `${number(ms)} ms` : duration(ms)
