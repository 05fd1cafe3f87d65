import type { DriftFact } from '../decode/index.js'
import type { Millis } from '../stream/index.js'
import type { TimedOut, Unreachable } from './Failure.js'
import type { RedactedFailure } from './redactFailure.js'

/**
 * What a client did, told while it does it. No secrets, and nothing of what requests and answers hold but codes,
 * names of fields, and the `requestId` of what was recovered.
 */
export type ClientEvent =
  /** A request leaves. `attempt` counts from 1, logins apart. */
  | { readonly _tag: 'Sent'; readonly endpoint: string; readonly attempt: number }
  /** An answer came, `took` after the request left. */
  | {
      readonly _tag: 'Answered'
      readonly endpoint: string
      readonly attempt: number
      readonly status: number
      readonly took: Millis
    }
  /** No answer came: that was clear `took` after the request left. */
  | {
      readonly _tag: 'Unanswered'
      readonly endpoint: string
      readonly attempt: number
      readonly failure: Unreachable | TimedOut
      readonly took: Millis
    }
  /** Will be sent again after `pause`, because of `failure`. A 429 waits in the scheduler and is not told here. */
  | {
      readonly _tag: 'Repeating'
      readonly endpoint: string
      readonly failure: RedactedFailure
      readonly pause: Millis
    }
  /** Something came for the first time that no codec names. */
  | { readonly _tag: 'Drifted'; readonly fact: DriftFact }
  /** There is a new token. */
  | { readonly _tag: 'LoggedIn'; readonly validFor: Millis }
  /** An earlier attempt had made what was asked for: it was found by its request_id. */
  | { readonly _tag: 'Recovered'; readonly endpoint: string; readonly requestId: string }
