/** What happened in a stretch of a run. Counted in place: there are thousands of requests a minute. */
import { type Histogram, histogram, plus } from './Histogram.js'

// model

export interface IntervalStats {
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
  inFlightMs: number
  waitingMs: number
  pausedMs: number
  /** How long it was looked at, in ms. */
  observedMs: number
  /** The lowest limit in force, of requests a second. */
  allowed: number
}

// constructors

export const emptyStats = (): IntervalStats => ({
  rows: 0,
  rejects: 0,
  sent: 0,
  busiest: 0,
  refused: 0,
  failed: 0,
  latency: histogram(),
  slowest: 0,
  inFlightMs: 0,
  waitingMs: 0,
  pausedMs: 0,
  observedMs: 0,
  allowed: Number.POSITIVE_INFINITY,
})

// combinators

/** Two intervals as one. */
export const mergeStats = (a: IntervalStats, b: IntervalStats): IntervalStats => ({
  rows: a.rows + b.rows,
  rejects: a.rejects + b.rejects,
  sent: a.sent + b.sent,
  busiest: Math.max(a.busiest, b.busiest),
  refused: a.refused + b.refused,
  failed: a.failed + b.failed,
  latency: plus(a.latency, b.latency),
  slowest: Math.max(a.slowest, b.slowest),
  inFlightMs: a.inFlightMs + b.inFlightMs,
  waitingMs: a.waitingMs + b.waitingMs,
  pausedMs: a.pausedMs + b.pausedMs,
  observedMs: a.observedMs + b.observedMs,
  allowed: Math.min(a.allowed, b.allowed),
})
