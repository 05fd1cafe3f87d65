/** What a client's events say of the moment: who waits to be sent again, and when the last answer came. */
import type { ClientEvent } from '../../http/ClientEvent.js'

// model

/** A request that waits to be sent again. */
export interface Pause {
  /** When it is sent, in ms. */
  readonly until: number
  readonly because: string
}

export interface Activity {
  readonly pauses: ReadonlyArray<Pause>
  /** When an answer came last, or the first request left. */
  readonly heard?: number
}

/** Before the first event. */
export const IDLE: Activity = { pauses: [] }

// combinators

/** After an event, at `now` in ms. */
export const noted =
  (event: ClientEvent, now: number) =>
  (activity: Activity): Activity => {
    switch (event._tag) {
      case 'Sent':
        return { heard: now, ...activity }
      case 'Answered':
      case 'Unanswered':
        return { ...activity, heard: now }
      case 'Repeating': {
        const pause = { until: now + event.pause, because: event.failure.message }
        return { ...activity, pauses: [...pausing(activity, now), pause] }
      }
      default:
        return activity
    }
  }

/** Those that still wait at `now`, in ms. */
export const pausing = ({ pauses }: Activity, now: number): ReadonlyArray<Pause> =>
  pauses.filter(({ until }) => until > now)
