/** Which failures may be tried again, and which leave it open whether something was done: pure. */
import { type AnyEndpoint, method } from '../../api/Endpoint.js'
import { fieldsOf } from '../../decode/unknown.js'
import { isGarbledBody } from '../answer/readAnswer.js'
import type {
  Failure,
  Refused,
  ServerFault,
  TimedOut,
  Undecodable,
  Unreachable,
} from '../Failure.js'
import { BLOCKED_PORT } from '../transport/transportError.js'
import { requestIdOf } from './requestIdOf.js'

// model

/** A failure after which a call may be sent again. */
export type Transient = Unreachable | TimedOut | ServerFault | Undecodable | Refused

/** Whether an earlier request with this request_id is still being worked on. */
type InProgress = (failure: Failure) => boolean

// combinators

/** It may have been done, although no word of that came. */
export const mayHaveBeenApplied = (failure: Failure, isInProgress: InProgress): boolean => {
  switch (failure._tag) {
    case 'Unreachable':
      return failure.mayHaveArrived
    case 'TimedOut':
      return failure.phase !== 'connect'
    case 'Undecodable': // it came with a 2xx
    case 'ServerFault':
      return true
    case 'Refused': // of a code that nobody could read, a 400 may say what a 5xx says
      return isInProgress(failure) || (failure.brokenOff === true && failure.status === 400)
    default:
      return false
  }
}

/** Whether the request_ids were written that make a row safe to repeat: its codec may drop them. */
export const hasRequestIds = ({ repeatable }: AnyEndpoint, written: unknown): boolean => {
  if (repeatable === 'by request_id') return hasId(written)
  if (repeatable !== 'by request_id of items') return true
  const items: unknown = fieldsOf(written).items
  return Array.isArray(items) && items.every(hasId)
}

/** Whether the service knows a request of this row again, by the request_ids that it carries. */
export const carriesRequestId = ({ repeatable }: Pick<AnyEndpoint, 'repeatable'>): boolean =>
  repeatable === 'by request_id' || repeatable === 'by request_id of items'

const hasId = (u: unknown): boolean => requestIdOf(u) !== undefined

/** Whether sending the request again can help, and can do no harm. */
export const isRetryable = (
  row: AnyEndpoint,
  failure: Failure,
  isInProgress: InProgress,
): failure is Transient => {
  const harmless = method(row.route) === 'GET' || row.repeatable !== undefined
  switch (failure._tag) {
    case 'Unreachable':
      return failure.code !== BLOCKED_PORT && (harmless || !failure.mayHaveArrived)
    case 'TimedOut':
      return harmless || !mayHaveBeenApplied(failure, isInProgress)
    case 'ServerFault':
      return harmless
    case 'Undecodable':
      return harmless && isGarbledBody(failure)
    case 'Refused':
      return harmless && (isInProgress(failure) || failure.brokenOff === true)
    default:
      return false
  }
}
