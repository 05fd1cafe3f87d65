/** A sample as a machine wants it: one flat JSON object a line. */
import type { ProgressSample } from './ProgressSample.js'
import { describeStall } from './StallReason.js'

// model

/** Fields are only ever added. What is not known is `null`. */
export interface ProgressJson {
  /** Since the run began. */
  readonly elapsedMs: number
  /** Rows written. */
  readonly rows: number
  /** Rows that did not decode, or did not fit, and were put aside. */
  readonly rejects: number
  readonly pages: number
  /** Over the last five seconds. */
  readonly rowsPerSecond: number
  /** Of the time range that is read, 0 to 1. */
  readonly share: number | null
  /** Until the end, as it looks now. */
  readonly msLeft: number | null
  /** Requests that were answered, logins among them. */
  readonly requests: number
  /** Of them, those that were refused for the limits (429). */
  readonly refused: number
  /** Requests without an answer, or with a 5xx. */
  readonly failed: number
  /** Of the rate limit that is used most, 0 to 1. */
  readonly quota: number | null
  /** Requests under way. */
  readonly inFlight: number
  /** Requests that wait for a limit. */
  readonly waiting: number
  /** Requests that wait after a refusal or a fault. */
  readonly backingOff: number
  /** Why it is not faster, the gravest first, in words. */
  readonly waits: ReadonlyArray<string>
}

// constructors

export const progressJson = (sample: ProgressSample): ProgressJson => {
  const { counters, scheduler, msLeft } = sample
  return {
    elapsedMs: Math.round(sample.elapsedMs),
    rows: counters.rows,
    rejects: counters.rejects,
    pages: counters.pages,
    rowsPerSecond: Math.round(sample.rowsPerSecond),
    share: counters.estimate.share ?? null,
    msLeft: msLeft === undefined ? null : Math.round(msLeft),
    requests: counters.requests,
    refused: counters.refused,
    failed: counters.failed,
    quota: sample.quota ?? null,
    inFlight: scheduler.inFlight,
    waiting: scheduler.waiting,
    backingOff: scheduler.backingOff + sample.paused,
    waits: sample.stallReasons.map(describeStall),
  }
}
