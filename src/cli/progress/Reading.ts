/** What can be said of a run at a moment: what a line of progress and a report are made of. */
import type { SchedulerState } from '../../scheduler/index.js'
import type { Meter } from '../Meter.js'
import type { Wait } from './Wait.js'

export interface Reading {
  /** Since the run began. */
  readonly ms: number
  readonly meter: Meter
  /** Of late. */
  readonly rowsPerSecond: number
  /** Until its end, in ms; left out when there is too little to tell it from. */
  readonly msLeft?: number
  /** Of the rate limit that is used most: 0 to 1; left out when there is none. */
  readonly quota?: number
  readonly scheduler: SchedulerState
  /** Requests that wait for a fault to pass; they are in no queue. */
  readonly pauses: number
  /** Why it is not faster, the gravest first. */
  readonly waits: ReadonlyArray<Wait>
}
