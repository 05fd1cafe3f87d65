import { defer } from 'rxjs'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import type { Failure } from '../http/Failure.js'
import { invalidField } from '../http/request/invalidParams.js'
import { requestIdOf } from '../http/retry/Outcome.js'
import { left, type ObservableEither } from '../stream/either/ObservableEither.js'

/**
 * Creates a resource, or emits the one that an earlier run created with the same `request_id`, in its current state;
 * `wasRecovered` tells which. Fails with `Ambiguous` if that resource cannot be found or differs.
 */
export type CreateOnce<P, A, Code extends string = string> = (
  params: P & {
    /** The idempotency key, identical in every run of the job. */
    readonly request_id: string
  },
) => ObservableEither<Failure<Code>, A>

/** Requires a `request_id` for a `create` that may find the resource of an earlier run. */
export const createOnce =
  <P, A, Code extends string>(
    endpoint: string,
    create: (params: P) => ObservableEither<Failure<Code>, A>,
  ): CreateOnce<P, A, Code> =>
  (params) =>
    defer(() => {
      if (requestIdOf(params) !== undefined) return create(params)
      const expected = 'a string that stays the same when the job runs again'
      const actual = redact(fieldsOf(params).request_id)
      return left(invalidField(endpoint, { field: 'request_id', expected, actual }))
    })
