import type { DriftFact } from '../decode/index.js'
import { redact } from '../decode/redact.js'
import type { LimitChanged } from '../scheduler/index.js'
import type { Millis } from '../stream/index.js'
import type { Refused, ServerFault, TimedOut, Undecodable, Unreachable } from './Failure.js'

// model

/**
 * An event in the life of a client's calls. Free of secrets, and of all content of requests and responses but
 * codes, names of fields, and the `requestId` of a write.
 */
export type ClientEvent =
  /** A request leaves. `attempt` counts from 1, logins apart. */
  | { readonly _tag: 'Sent'; readonly endpoint: string; readonly attempt: number }
  /** A write was given no `request_id`: it is sent with one of ours, so another run of the program repeats it. */
  | { readonly _tag: 'RequestIdGenerated'; readonly endpoint: string; readonly requestId: string }
  /** A response is complete, `took` after the request left. */
  | {
      readonly _tag: 'Answered'
      readonly endpoint: string
      readonly attempt: number
      readonly status: number
      readonly took: Millis
    }
  /** The connection failed or a time limit passed, `took` after the request left. */
  | {
      readonly _tag: 'Unanswered'
      readonly endpoint: string
      readonly attempt: number
      readonly failure: Unreachable | TimedOut
      readonly took: Millis
    }
  /** A call is retried after `pause`, because of `failure`. A 429 waits in the scheduler, without this event. */
  | {
      readonly _tag: 'Retrying'
      readonly endpoint: string
      readonly failure: RedactedFailure
      readonly pause: Millis
    }
  /** A field or value that no codec names came for the first time. */
  | { readonly _tag: 'Drifted'; readonly fact: DriftFact }
  /** A new token is in use. */
  | { readonly _tag: 'LoggedIn'; readonly validFor: Millis }
  /** Less of a limit is let in than it says, or more again than before; `message` says it in words. */
  | LimitChanged
  /**
   * The service's clock is `skew` ahead of the one of this machine, or behind it if below 0: told once. `message` says
   * it in words.
   */
  | { readonly _tag: 'ClockSkewed'; readonly skew: Millis; readonly message: string }
  /** A write without a clear answer had been done: it was found by its request_id. */
  | { readonly _tag: 'Recovered'; readonly endpoint: string; readonly requestId: string }

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
    case 'Undecodable': // its texts are descriptions
      return { ...failure, ...redactCommon(failure) }
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

/** The message of a `TimedOut` is ours: it needs no redaction. */
export const redactTransportFailure = (failure: Unreachable | TimedOut): Unreachable | TimedOut => {
  if (failure._tag === 'TimedOut') return failure
  const { _tag, endpoint, attempts, mayHaveArrived } = failure
  const code = redactUnless(CODE, failure.code)
  return { _tag, endpoint, attempts, code, mayHaveArrived, message: `${endpoint}: ${code}` }
}

const redactCommon = ({ endpoint, attempts, traceId }: TransientFailure) => ({
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
