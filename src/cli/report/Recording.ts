/** What was kept of a run, for a report of it. */
import type { Incidents } from './Incidents.js'
import type { Interval } from './Timeline.js'

export interface Recording {
  readonly intervals: ReadonlyArray<Interval>
  readonly incidents: Incidents
  /** The limit of requests a second that binds first; left out where there is none. */
  readonly limit?: RateLimit
  readonly logins: number
  readonly pauses: Pauses
}

/** As it was kept: after the share. */
export interface RateLimit {
  readonly name: string
  readonly perSecond: number
}

/** How often a request was put off until a fault had passed, and for how long in all. */
export interface Pauses {
  readonly count: number
  readonly ms: number
}
