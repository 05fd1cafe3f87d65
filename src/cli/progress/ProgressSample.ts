/** What can be said of a run at a moment: what a line of progress and a report are made of. */
import type { SchedulerState } from '../../scheduler/index.js'
import type { ExportCounters } from '../ExportCounters.js'
import type { StallReason } from './StallReason.js'

export interface ProgressSample {
  /** Since the run began. */
  readonly elapsedMs: number
  readonly counters: ExportCounters
  /** Of late. */
  readonly rowsPerSecond: number
  /** Until its end, in ms; left out when there is too little to tell it from. */
  readonly msLeft?: number
  /** Of the rate limit that is used most: 0 to 1; left out when there is none. */
  readonly quota?: number
  readonly scheduler: SchedulerState
  /** Requests that wait for a fault to pass; they are in no queue. */
  readonly paused: number
  /** Why it is not faster, the gravest first. */
  readonly stallReasons: ReadonlyArray<StallReason>
}
