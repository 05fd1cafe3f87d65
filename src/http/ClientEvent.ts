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

/** The call that an event belongs to: one subscription to an endpoint, with all its attempts. A login is also a call. */
interface OfCall {
  /** The number of the call, counted from 1. Unique in a client and all clients that its `with` returns. */
  readonly call: number
  /** The route, such as `GET /api/v1/charges/{id}`. */
  readonly endpoint: string
}

/** An event of one request of a call. */
interface OfAttempt extends OfCall {
  /** The number of the attempt, counted from 1, excluding logins. */
  readonly attempt: number
}

/**
 * An event of a client's calls. Contains no secrets, and nothing from requests and responses except codes, field names and the
 * `requestId` of a write. A call emits one `Started`, then `Sent` and `Answered` or `Unanswered` for each attempt, `Throttled` or
 * `Retrying` between attempts, and one `Ended`. Invalid parameters are never sent and emit nothing. Durations are in ms.
 */
export type ClientEvent =
  /** A call was subscribed to. Emitted synchronously, in the async context of the subscriber. */
  | (OfCall & {
      readonly _tag: 'Started'
      readonly method: 'GET' | 'POST'
      /** The path template, such as `/api/v1/charges/{id}`. */
      readonly template: string
      readonly baseUrl: string
    })
  /** A request is sent, after it has `waited` in the queue since the call started or since its last pause. */
  | (OfAttempt & { readonly _tag: 'Sent'; readonly waited: Millis })
  /** A write had no `request_id`, so the client generated one. Another run of the program would therefore repeat the write. */
  | (OfCall & { readonly _tag: 'RequestIdGenerated'; readonly requestId: string })
  /** A response is complete, `took` ms after the request was sent. */
  | (OfAttempt & { readonly _tag: 'Answered'; readonly status: number; readonly took: Millis })
  /** The connection failed or a time limit passed, `took` ms after the request was sent. */
  | (OfAttempt & {
      readonly _tag: 'Unanswered'
      readonly failure: Unreachable | TimedOut
      readonly took: Millis
    })
  /** `attempt` was refused by a rate limit (429). The request is queued again after `pause`; 0 means immediately. */
  | (OfAttempt & { readonly _tag: 'Throttled'; readonly pause: Millis })
  /** The call is retried after `pause`, because `attempt` ended in `failure`. */
  | (OfAttempt & {
      readonly _tag: 'Retrying'
      readonly failure: RedactedFailure
      readonly pause: Millis
    })
  /** A call ended, `took` ms after it started, including waits. `cancelled`: the subscriber unsubscribed. */
  | (OfCall & {
      readonly _tag: 'Ended'
      readonly outcome: 'succeeded' | 'failed' | 'cancelled'
      /** Number of requests sent, excluding logins. */
      readonly attempts: number
      /** The failure of a `failed` call. Absent if an error was thrown. */
      readonly failure?: FailureSummary
      readonly took: Millis
    })
  /** A field or value that no codec describes was received for the first time. */
  | { readonly _tag: 'Drifted'; readonly fact: DriftFact }
  /** A new token is in use. */
  | { readonly _tag: 'LoggedIn'; readonly validFor: Millis }
  /** The service admits fewer requests than a limit, or more than before; `message` describes it. */
  | LimitChanged
  /** The Redis of a shared quota refuses commands, does not respond, or responds again; `message` describes it. */
  | QuotaChanged
  | DestinationWait
  /**
   * A list with automatic concurrency found that more than `requests` concurrent requests do not make it faster (`isEnough`),
   * or that they make it faster again. `message` describes it.
   */
  | {
      readonly _tag: 'ConcurrencyFound'
      readonly endpoint: string
      readonly requests: number
      readonly isEnough: boolean
      readonly message: string
    }
  /** The service's clock is `skew` ms ahead of this machine's, or behind if negative. Emitted once; `message` describes it. */
  | { readonly _tag: 'ClockSkewed'; readonly skew: Millis; readonly message: string }
  /**
   * A write without a clear response had succeeded: it was found by its `request_id`. Without `call` if `createOnce` found it.
   */
  | (Omit<OfCall, 'call'> &
      Partial<OfCall> & { readonly _tag: 'Recovered'; readonly requestId: string })

/**
 * The destination of an export, a sync or a stream of changes has not responded for five seconds, or responds again. It may be
 * locked, slow, temporarily refusing, or in use by another run.
 */
export interface DestinationWait {
  readonly _tag: 'DestinationWait'
  /** The name of the destination, without secrets. */
  readonly destination: string
  /** Duration of the wait so far. */
  readonly waited: Millis
  /** True when the wait is over. */
  readonly isOver: boolean
  /** The reason given by the destination. Absent if it does not respond. */
  readonly reason?: string
  /** The description, with the reason. */
  readonly message: string
}

/** A failure of any kind in an event. `message` is one line, without text from the service or the network. */
export interface FailureSummary {
  readonly _tag: Failure['_tag']
  /** The HTTP status, if there is one. */
  readonly status?: number
  /** The error code of the service or the system. */
  readonly code?: string
  /** Identifies the request at the service. */
  readonly traceId?: string
  readonly message: string
}

/** A failure after which a call may be retried. */
export type TransientFailure = Unreachable | TimedOut | ServerFault | Undecodable | Refused

/**
 * A failure without text from the service or the network, because that text may repeat data that was sent. A `code` or
 * `traceId` with an unusual format is described, not repeated.
 */
export type RedactedFailure =
  | Unreachable
  | TimedOut
  | ServerFault
  | Undecodable
  | Omit<Refused, 'source' | 'details'>

export const redactFailure = (failure: TransientFailure): RedactedFailure => {
  switch (failure._tag) {
    case 'Unreachable':
    case 'TimedOut':
      return redactTransportFailure(failure)
    case 'Undecodable': {
      const { headers: _, ...described } = failure // its fields are descriptions
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

export const summarize = (failure: Failure): FailureSummary => {
  const { _tag, endpoint } = failure
  const { traceId } = redactCommon(failure)
  switch (_tag) {
    case 'Ambiguous': {
      const cause = summarize(failure.cause)
      const message = `${endpoint}: may or may not have succeeded: ${cause.message}`
      return { ...cause, _tag, ...withoutUndefined({ traceId }), message }
    }
    case 'InvalidRequest': // their fields are descriptions
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

/** Redacts a failure of the transport. The message of a `TimedOut` is written here, so it needs no redaction. */
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

/** A word such as `service_unavailable` or `UND_ERR_SOCKET`, with fewer digits than an account number. */
const CODE = /^(?!(?:\D*\d){5})[\w.-]{1,64}$/

/** A single word, such as a UUID. */
const TRACE_ID = /^[\w.:-]{1,64}$/

const redactUnless = (pattern: RegExp, text: string): string =>
  pattern.test(text) ? text : redact(text)
