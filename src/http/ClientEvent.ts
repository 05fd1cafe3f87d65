import type { DriftFact } from '../decode/index.js'
import { redact } from '../decode/redact.js'
import { withoutUndefined } from '../fp.js'
import type { LimitChanged, QuotaChanged } from '../scheduler/index.js'
import type { Millis } from '../stream/index.js'
import type {
  Failure,
  Refused,
  ServerFault,
  TimedOut,
  Undecodable,
  Unreachable,
} from './Failure.js'
import { connectionAdvice } from './transport/connectionAdvice.js'

// model

/** The call that an event belongs to: one subscription to a call of a row, with all its attempts. A login is a call. */
interface OfCall {
  /** Unique in a client and all that `with` makes of it; counts from 1. */
  readonly call: number
  /** The route, such as `GET /api/v1/charges/{id}`. */
  readonly endpoint: string
}

/** An event of one request of a call. */
interface OfAttempt extends OfCall {
  /** Counts from 1, logins apart. */
  readonly attempt: number
}

/**
 * An event in the life of a client's calls. Free of secrets, and of all content of requests and responses but
 * codes, names of fields, and the `requestId` of a write.
 *
 * A call emits one `Started`, then for each attempt `Sent` and `Answered` or `Unanswered`, between attempts `Throttled`
 * or `Retrying`, and one `Ended`. Invalid parameters are never sent, and emit nothing.
 */
export type ClientEvent =
  /** A call was subscribed to: emitted at once, in the async context of its subscriber. */
  | (OfCall & {
      readonly _tag: 'Started'
      readonly method: 'GET' | 'POST'
      /** The path of the route, such as `/api/v1/charges/{id}`. */
      readonly template: string
      readonly baseUrl: string
    })
  /** A request leaves, after it has `waited` in the queue of the scheduler since the call or its last pause. */
  | (OfAttempt & { readonly _tag: 'Sent'; readonly waited: Millis })
  /** A write was given no `request_id`: it is sent with one of ours, so another run of the program repeats it. */
  | (OfCall & { readonly _tag: 'RequestIdGenerated'; readonly requestId: string })
  /** A response is complete, `took` after the request left. */
  | (OfAttempt & { readonly _tag: 'Answered'; readonly status: number; readonly took: Millis })
  /** The connection failed or a time limit passed, `took` after the request left. */
  | (OfAttempt & {
      readonly _tag: 'Unanswered'
      readonly failure: Unreachable | TimedOut
      readonly took: Millis
    })
  /** `attempt` was refused for its limits (429): the request queues again after `pause`, 0 for at once. */
  | (OfAttempt & { readonly _tag: 'Throttled'; readonly pause: Millis })
  /** The call is retried after `pause`, because `attempt` ended in `failure`. */
  | (OfAttempt & {
      readonly _tag: 'Retrying'
      readonly failure: RedactedFailure
      readonly pause: Millis
    })
  /** A call is over, `took` after it started, waiting included. `cancelled`: it was unsubscribed from. */
  | (OfCall & {
      readonly _tag: 'Ended'
      readonly outcome: 'succeeded' | 'failed' | 'cancelled'
      /** Number of requests sent, logins apart. */
      readonly attempts: number
      /** The failure of a call that `failed`; absent if an error was thrown. */
      readonly failure?: FailureSummary
      readonly took: Millis
    })
  /** A field or value that no codec names came for the first time. */
  | { readonly _tag: 'Drifted'; readonly fact: DriftFact }
  /** A new token is in use. */
  | { readonly _tag: 'LoggedIn'; readonly validFor: Millis }
  /** Less of a limit is admitted than it says, or more again than before; `message` says it in words. */
  | LimitChanged
  /** The Redis of a shared quota refuses or does not answer, or answers again; `message` says it in words. */
  | QuotaChanged
  | DestinationWait
  /**
   * The service's clock is `skew` ahead of the one of this machine, or behind it if below 0: emitted once. `message` says
   * it in words.
   */
  | { readonly _tag: 'ClockSkewed'; readonly skew: Millis; readonly message: string }
  /** A write without a clear answer had been done: it was found by its request_id. From `createOnce`, without `call`. */
  | (Omit<OfCall, 'call'> &
      Partial<OfCall> & { readonly _tag: 'Recovered'; readonly requestId: string })

/**
 * The destination of an export, a sync or a stream of changes has kept it waiting for five seconds, or has answered since:
 * it is locked, slow, refuses for a while, or is of another run.
 */
export interface DestinationWait {
  readonly _tag: 'DestinationWait'
  /** Its name, without secrets. */
  readonly destination: string
  /** How long it has been waited for. */
  readonly waited: Millis
  /** True when the wait is over. */
  readonly isOver: boolean
  /** Why, as the destination gave it; absent where it gives no answer. */
  readonly reason?: string
  /** In words, with the reason. */
  readonly message: string
}

/** A failure of any kind in an event; `message` is one line, without the words of the service or the network. */
export interface FailureSummary {
  readonly _tag: Failure['_tag']
  /** HTTP status, where there is one. */
  readonly status?: number
  readonly code?: string
  readonly traceId?: string
  readonly message: string
}

/** A failure after which a call may be retried. */
export type TransientFailure = Unreachable | TimedOut | ServerFault | Undecodable | Refused

/**
 * A failure without the words of the service or the network, which may repeat what was sent. A `code` or `traceId`
 * that does not look like one is described.
 */
export type RedactedFailure =
  | Unreachable
  | TimedOut
  | ServerFault
  | Undecodable
  | Omit<Refused, 'source' | 'details'>

// combinators

export const redactFailure = (failure: TransientFailure): RedactedFailure => {
  switch (failure._tag) {
    case 'Unreachable':
    case 'TimedOut':
      return redactTransportFailure(failure)
    case 'Undecodable': {
      const { headers: _, ...described } = failure // its texts are descriptions
      return { ...described, ...redactCommon(failure) }
    }
    case 'ServerFault':
    case 'Refused': {
      const { _tag, endpoint, status } = failure
      const code = redactUnless(CODE, failure.code)
      return {
        ...redactCommon(failure),
        _tag,
        status,
        code,
        message: `${endpoint}: ${status} ${code}`,
      }
    }
  }
}

/** Says how a call failed, of whatever kind. */
export const summarize = (failure: Failure): FailureSummary => {
  const { _tag, endpoint } = failure
  const { traceId } = redactCommon(failure)
  switch (_tag) {
    case 'Ambiguous': {
      const cause = summarize(failure.cause)
      const message = `${endpoint}: may or may not have been done: ${cause.message}`
      return { ...cause, _tag, ...withoutUndefined({ traceId }), message }
    }
    case 'InvalidRequest': // their texts are descriptions
    case 'TimedOut':
    case 'Undecodable':
      return { _tag, ...withoutUndefined({ traceId }), message: failure.message }
    default: {
      const status = 'status' in failure ? failure.status : undefined
      const code = 'code' in failure ? redactUnless(CODE, failure.code) : undefined
      const words = [status, code].filter((word) => word !== undefined).join(' ')
      const message = `${endpoint}: ${words === '' ? _tag : words}`
      return { _tag, ...withoutUndefined({ status, code, traceId }), message }
    }
  }
}

/** The message of a `TimedOut` is ours: it needs no redaction. */
export const redactTransportFailure = (failure: Unreachable | TimedOut): Unreachable | TimedOut => {
  if (failure._tag === 'TimedOut') return failure
  const { _tag, endpoint, attempts, mayHaveArrived } = failure
  const code = redactUnless(CODE, failure.code)
  const advice = connectionAdvice(code)
  const message = `${endpoint}: ${code}${advice === undefined ? '' : `: ${advice}`}`
  return { _tag, endpoint, attempts, code, mayHaveArrived, message }
}

const redactCommon = ({
  endpoint,
  attempts,
  traceId,
}: Pick<Failure, 'endpoint' | 'attempts' | 'traceId'>): Pick<
  Failure,
  'endpoint' | 'attempts' | 'traceId'
> => ({
  endpoint,
  attempts,
  ...(traceId === undefined ? {} : { traceId: redactUnless(TRACE_ID, traceId) }),
})

/** A word such as `service_unavailable` or `UND_ERR_SOCKET`, without a number as long as that of an account. */
const CODE = /^(?!(?:\D*\d){5})[\w.-]{1,64}$/

/** One word, such as a UUID. */
const TRACE_ID = /^[\w.:-]{1,64}$/

const redactUnless = (pattern: RegExp, text: string): string =>
  pattern.test(text) ? text : redact(text)
