import type { DriftFact } from '../decode/index.js'
import type { Failure } from './Failure.js'

/** What a client did, told while it does it; no secrets, no contents. */
export type ClientEvent =
  /** A request leaves. `attempt` counts from 1, logins apart. */
  | { readonly _tag: 'Sent'; readonly endpoint: string; readonly attempt: number }
  /** An answer came, `ms` after the request left. */
  | {
      readonly _tag: 'Answered'
      readonly endpoint: string
      readonly attempt: number
      readonly status: number
      readonly ms: number
    }
  /** No answer came. */
  | {
      readonly _tag: 'Unanswered'
      readonly endpoint: string
      readonly attempt: number
      readonly failure: Failure
      readonly ms: number
    }
  /** Will be sent again in `ms`, because of `failure`. A 429 waits in the scheduler and is not told here. */
  | {
      readonly _tag: 'Repeating'
      readonly endpoint: string
      readonly failure: Failure
      readonly ms: number
    }
  /** Something came for the first time that no codec names. */
  | { readonly _tag: 'Drifted'; readonly fact: DriftFact }
  /** There is a new token, for `ms`. */
  | { readonly _tag: 'LoggedIn'; readonly ms: number }
  /** An earlier attempt had made what was asked for: it was found by its request_id. */
  | { readonly _tag: 'Recovered'; readonly endpoint: string; readonly requestId: string }
