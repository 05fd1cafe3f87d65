import { defer } from 'rxjs'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import type { Failure } from '../http/Failure.js'
import { invalidField } from '../http/request/invalidParams.js'
import { requestIdOf } from '../http/retry/Outcome.js'
import { left, type ObservableEither } from '../stream/index.js'

/**
 * Creates something, or emits what an earlier run of the same job created with the same `request_id`, as it is now:
 * `wasRecovered` tells. `Ambiguous` if that cannot be found, or differs.
 */
export type CreateOnce<P, A, Code extends string = string> = (
  params: P & {
    /** Unchanged in every run of the job. */
    readonly request_id: string
  },
) => ObservableEither<Failure<Code>, A>

/** Requires a `request_id` for a `create` that finds what an earlier run has created. */
export const createOnce =
  <P, A, Code extends string>(
    endpoint: string,
    create: (params: P) => ObservableEither<Failure<Code>, A>,
  ): CreateOnce<P, A, Code> =>
  (params) =>
    defer(() => {
      if (requestIdOf(params) !== undefined) return create(params)
      const expected = 'a text that stays the same when the job runs again'
      const actual = redact(fieldsOf(params).request_id)
      return left(invalidField(endpoint, { field: 'request_id', expected, actual }))
    })
