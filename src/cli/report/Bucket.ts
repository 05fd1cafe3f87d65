/** What happened in a stretch of a run. Counted in place: there are thousands of requests a minute. */
import { type Histogram, histogram, plus } from './Histogram.js'

// model

export interface Bucket {
  rows: number
  rejects: number
  /** Requests that left, logins apart. */
  sent: number
  /** The most of them in any one second of the clock. */
  busiest: number
  refused: number
  failed: number
  readonly latency: Histogram
  /** The longest, in ms. */
  slowest: number
  /** Requests under way, behind a limit, and after a refusal or a fault: each times ms. */
  flying: number
  waiting: number
  pausing: number
  /** How long it was looked at, in ms. */
  seen: number
  /** The lowest limit in force, of requests a second. */
  allowed: number
}

// constructors

export const bucket = (): Bucket => ({
  rows: 0,
  rejects: 0,
  sent: 0,
  busiest: 0,
  refused: 0,
  failed: 0,
  latency: histogram(),
  slowest: 0,
  flying: 0,
  waiting: 0,
  pausing: 0,
  seen: 0,
  allowed: Number.POSITIVE_INFINITY,
})

// combinators

/** Two stretches as one. */
export const merge = (a: Bucket, b: Bucket): Bucket => ({
  rows: a.rows + b.rows,
  rejects: a.rejects + b.rejects,
  sent: a.sent + b.sent,
  busiest: Math.max(a.busiest, b.busiest),
  refused: a.refused + b.refused,
  failed: a.failed + b.failed,
  latency: plus(a.latency, b.latency),
  slowest: Math.max(a.slowest, b.slowest),
  flying: a.flying + b.flying,
  waiting: a.waiting + b.waiting,
  pausing: a.pausing + b.pausing,
  seen: a.seen + b.seen,
  allowed: Math.min(a.allowed, b.allowed),
})
