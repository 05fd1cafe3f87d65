/** What a client's events say of the moment: who waits to be sent again, and when the last answer came. */
import type { ClientEvent } from '../../http/ClientEvent.js'

// model

/** A request that waits to be sent again. */
export interface Pause {
  /** When it is sent, in ms. */
  readonly until: number
  readonly because: string
}

export interface ClientActivity {
  readonly pauses: ReadonlyArray<Pause>
  /** When an answer came last, or the first request left. */
  readonly lastAnswer?: number
}

/** Before the first event. */
export const NO_ACTIVITY: ClientActivity = { pauses: [] }

// combinators

/** After an event, at `now` in ms. */
export const noteEvent =
  (event: ClientEvent, now: number) =>
  (activity: ClientActivity): ClientActivity => {
    switch (event._tag) {
      case 'Sent':
        return { lastAnswer: now, ...activity }
      case 'Answered':
      case 'Unanswered':
        return { ...activity, lastAnswer: now }
      case 'Retrying': {
        const pause = { until: now + event.pause, because: event.failure.message }
        return { ...activity, pauses: [...pausedAt(activity, now), pause] }
      }
      default:
        return activity
    }
  }

/** Those that still wait at `now`, in ms. */
export const pausedAt = ({ pauses }: ClientActivity, now: number): ReadonlyArray<Pause> =>
  pauses.filter(({ until }) => until > now)
