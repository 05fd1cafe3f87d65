/** Which failures may be tried again, and which leave it open whether something was done: pure. */
import { type AnyEndpoint, method } from '../api/Endpoint.js'
import { fieldsOf } from '../decode/unknown.js'
import { isGarbled } from './answer.js'
import type { Failure } from './Failure.js'

/** Codes of one condition; other spellings than the interface's are defaults, not specified by it. */
const DUPLICATES: ReadonlySet<string> = new Set([
  'request_id_duplicate',
  'duplicate_request_id',
  'request_id_used',
  'duplicate_request',
  'batch_request_id_duplicate',
  'already_exists',
])

/** The service has seen this request_id before. */
const isDuplicate = (failure: Failure): boolean =>
  failure._tag === 'Refused' && DUPLICATES.has(failure.code)

/** An earlier request with this request_id is still being worked on. */
const isInProgress = (failure: Failure): boolean =>
  failure._tag === 'Refused' &&
  (failure.code === 'request_pending' || (failure.status === 409 && !isDuplicate(failure)))

/** It may have been done, although no word of that came. */
export const isUnsure = (failure: Failure): boolean => {
  switch (failure._tag) {
    case 'Unreachable':
      return failure.mayHaveArrived
    case 'TimedOut':
      return failure.phase !== 'connect'
    case 'Undecodable':
      return isGarbled(failure)
    case 'ServerFault':
      return true
    default:
      return isInProgress(failure)
  }
}

/** Whether the request_ids are there that make a row safe to repeat: unchecked items may lack theirs. */
export const isIdentified = ({ repeatable }: AnyEndpoint, params: unknown): boolean => {
  if (repeatable !== 'by request_id of items') return true
  const items: unknown = fieldsOf(params).items
  return (
    Array.isArray(items) && items.every((item) => typeof fieldsOf(item).request_id === 'string')
  )
}

/** Whether sending the request again can help, and can do no harm. */
export const mayRepeat = (row: AnyEndpoint, failure: Failure): boolean => {
  const harmless = method(row.route) === 'GET' || row.repeatable !== undefined
  switch (failure._tag) {
    case 'Unreachable':
    case 'TimedOut':
      return harmless || !isUnsure(failure)
    case 'ServerFault':
      return harmless
    case 'Undecodable':
      return harmless && isGarbled(failure)
    case 'Refused':
      return harmless && isInProgress(failure)
    default:
      return false
  }
}
