import { type AnyEndpoint, method } from '../api/Endpoint.js'
import type { Failure } from './Failure.js'
import { isDuplicate, isUnsure } from './replay.js'

/**
 * The last failure of a call, as `Ambiguous` when a write may have been done: no word came of the last
 * attempt, or one came of an earlier attempt only in that its request_id is taken.
 */
export const unclear = (
  row: AnyEndpoint,
  params: unknown,
  unsureBefore: boolean,
  failure: Failure,
): Failure => {
  if (method(row.route) === 'GET' || row.repeatable === 'as it is') return failure
  if (!isUnsure(failure) && !(unsureBefore && isDuplicate(failure))) return failure
  const { endpoint, attempts } = failure
  const requestId = requestIdOf(params)
  return {
    _tag: 'Ambiguous',
    endpoint,
    attempts,
    ...(failure.traceId === undefined ? {} : { traceId: failure.traceId }),
    tried: [attempts === 1 ? 'sent once' : `sent ${attempts} times with the same request_id`],
    ...(requestId === undefined ? {} : { requestId }),
    cause: failure,
    message: `${endpoint}: may or may not have been done: ${failure.message}`,
  }
}

const requestIdOf = (params: unknown): string | undefined => {
  const { request_id } = Object(params)
  return typeof request_id === 'string' ? request_id : undefined
}
