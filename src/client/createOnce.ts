import { defer, map, type Observable, take } from 'rxjs'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { AnyFailure, Failure } from '../http/Failure.js'
import { invalidField } from '../http/request/invalidParams.js'
import { jsonFields } from '../http/request/prepareRequest.js'
import { findByRequestId, type Lookup, requestIdOf } from '../http/retry/recover.js'
import { left, mapLeft, type ObservableEither, orElse, type Page } from '../stream/index.js'

// model

/**
 * Creates something, or emits what an earlier run of the same job created with the same `request_id`, as it is now:
 * `wasRecovered` tells. `Refused` as a duplicate only if that cannot be found, or differs.
 */
export type CreateOnce<P, A, Code extends string = string> = (
  params: P & {
    /** Unchanged in every run of the job. */
    readonly request_id: string
  },
) => ObservableEither<Failure<Code>, A>

export interface CreateOnceSpec<P, A, Code extends string>
  extends Pick<Lookup, 'knownBy' | 'onFound'> {
  readonly endpoint: string
  readonly create: (params: P) => ObservableEither<Failure<Code>, A>
  /** The list that can be filtered by `request_id`. */
  readonly list: (filter: { readonly request_id: string }) => {
    readonly pages: Observable<E.Either<Failure, Page<Failure, A, unknown>>>
  }
  readonly isDuplicate: (failure: AnyFailure) => boolean
}

// constructors

export const createOnce =
  <P, A, Code extends string>({
    endpoint,
    create,
    list,
    isDuplicate,
    ...lookup
  }: CreateOnceSpec<P, A, Code>): CreateOnce<P, A, Code> =>
  (params) =>
    defer(() => {
      const requestId = requestIdOf(params)
      if (requestId === undefined) {
        const expected = 'a text that stays the same when the job runs again'
        const actual = redact(fieldsOf(params).request_id)
        return left(invalidField(endpoint, { field: 'request_id', expected, actual }))
      }
      // copied before the call, which rejects what has no JSON
      const sent = E.getOrElse((): unknown => undefined)(
        E.tryCatch(() => jsonFields(params), String),
      )

      const find = (refusal: Failure<Code>): ObservableEither<Failure<Code>, A> =>
        list({ request_id: requestId }).pages.pipe(
          take(1),
          map(findByRequestId({ ...lookup, requestId, params: sent })),
          mapLeft((why): Failure<Code> => ({ ...refusal, message: `${refusal.message}; ${why}` })),
        )

      return create(params).pipe(
        orElse(
          (failure): ObservableEither<Failure<Code>, A> =>
            isDuplicate(failure) ? find(failure) : left(failure),
        ),
      )
    })
