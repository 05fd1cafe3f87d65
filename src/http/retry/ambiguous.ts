import { type AnyEndpoint, method } from '../../api/Endpoint.js'
import { defined } from '../../fp.js'
import type { Failure } from '../Failure.js'
import { requestIdOf } from './requestIdOf.js'

/**
 * The last failure of a call of which one attempt may have arrived: `Ambiguous` for a write, whatever
 * became of the other attempts. That a later one was refused says nothing about it.
 */
export const ambiguous =
  (row: AnyEndpoint, written: unknown, attempts: number) =>
  (failure: Failure): Failure => {
    if (method(row.route) === 'GET' || row.repeatable === 'as it is') return failure
    const endpoint = row.route
    const requestId = row.repeatable === 'by request_id' ? requestIdOf(written) : undefined
    const times = attempts === 1 ? 'sent once' : `sent ${attempts} times`
    return {
      _tag: 'Ambiguous',
      endpoint,
      attempts,
      ...defined({ traceId: failure.traceId }),
      tried: [
        attempts === 1 || requestId === undefined ? times : `${times} with the same request_id`,
      ],
      ...defined({ requestId }),
      cause: failure,
      message: `${endpoint}: may or may not have been done: ${failure.message}`,
    }
  }
