import { redact } from '../decode/redact.js'
import type { Refused, ServerFault, TimedOut, Undecodable, Unreachable } from './Failure.js'
import type { Transient } from './retry/isRetryable.js'

// model

/**
 * A failure as events tell it: what happened, without what the service or the line said of it in words of its
 * own, which may repeat what was sent. A `code` or `traceId` that reads like none is described.
 */
export type RedactedFailure =
  | Unreachable
  | TimedOut
  | ServerFault
  | Undecodable
  | Omit<Refused, 'source' | 'details'>

// combinators

export const redactFailure = (failure: Transient): RedactedFailure => {
  switch (failure._tag) {
    case 'Unreachable':
    case 'TimedOut':
      return redactTransportFailure(failure)
    case 'Undecodable': // described from the start
      return { ...failure, ...commonOf(failure) }
    case 'ServerFault':
    case 'Refused': {
      const { _tag, endpoint, status } = failure
      const code = shown(failure.code, CODE)
      return {
        ...commonOf(failure),
        _tag,
        status,
        code,
        message: `${endpoint}: ${status} ${code}`,
        ...('brokenOff' in failure ? { brokenOff: failure.brokenOff } : {}),
      }
    }
  }
}

/** The message of a `TimedOut` is the client's own. */
export const redactTransportFailure = (failure: Unreachable | TimedOut): Unreachable | TimedOut => {
  if (failure._tag === 'TimedOut') return failure
  const { _tag, endpoint, attempts, mayHaveArrived } = failure
  const code = shown(failure.code, CODE)
  return { _tag, endpoint, attempts, code, mayHaveArrived, message: `${endpoint}: ${code}` }
}

const commonOf = ({ endpoint, attempts, traceId }: Transient) => ({
  endpoint,
  attempts,
  ...(traceId === undefined ? {} : { traceId: shown(traceId, ID) }),
})

/** A word such as `service_unavailable` or `UND_ERR_SOCKET`, and no number as long as that of an account. */
const CODE = /^(?!(?:\D*\d){5})[\w.-]{1,64}$/

/** In one piece, such as a UUID. */
const ID = /^[\w.:-]{1,64}$/

const shown = (text: string, form: RegExp): string => (form.test(text) ? text : redact(text))
