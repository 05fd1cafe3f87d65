import { defer, map, type Observable, take } from 'rxjs'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { AnyFailure, Failure } from '../http/Failure.js'
import { jsonFields } from '../http/request/asJson.js'
import { invalidField } from '../http/request/invalidRequest.js'
import { findByRequestId } from '../http/retry/findByRequestId.js'
import { requestIdOf } from '../http/retry/requestIdOf.js'
import { left, mapLeft, type ObservableEither, orElse, type Page } from '../stream/index.js'

// model

/** What is made under a `request_id` that the caller keeps: another run of the same job gives the same. */
export type Identified<P> = P & {
  /** The same in every run of the job. */
  readonly request_id: string
}

/**
 * Makes it; or emits what was made with the same `request_id` before, by an earlier run of a job, say, as it
 * stands now: `wasRecovered` tells. `Refused` as a duplicate only where that cannot be found, or is another one.
 */
export type CreateOnce<P, A, Code extends string = string> = (
  params: Identified<P>,
) => ObservableEither<Failure<Code>, A>

export interface CreateOnceSpec<P, A, Code extends string> {
  readonly endpoint: string
  readonly create: (params: P) => ObservableEither<Failure<Code>, A>
  /** The list that finds things by `request_id`. */
  readonly list: (filter: { readonly request_id: string }) => {
    readonly pages: Observable<E.Either<Failure, Page<Failure, A, unknown>>>
  }
  /** The fields that what is found must share with what was asked for. */
  readonly knownBy: ReadonlyArray<string>
  readonly isDuplicate: (failure: AnyFailure) => boolean
  readonly onFound: (requestId: string) => void
}

// constructors

export const createOnce =
  <P, A, Code extends string>({
    endpoint,
    create,
    list,
    knownBy,
    isDuplicate,
    onFound,
  }: CreateOnceSpec<P, A, Code>): CreateOnce<P, A, Code> =>
  (params) =>
    defer(() => {
      const requestId = requestIdOf(params)
      if (requestId === undefined) {
        const expected = 'a text that stays the same when the job runs again'
        const actual = redact(fieldsOf(params).request_id)
        return left(invalidField(endpoint, { field: 'request_id', expected, actual }))
      }
      // as it is sent, whatever becomes of the object; what cannot be written is refused
      const asked = E.getOrElse((): unknown => undefined)(
        E.tryCatch(() => jsonFields(params), String),
      )

      const find = (refusal: Failure<Code>): ObservableEither<Failure<Code>, A> =>
        list({ request_id: requestId }).pages.pipe(
          take(1),
          map(findByRequestId({ requestId, params: asked, knownBy, onFound })),
          mapLeft((why): Failure<Code> => ({ ...refusal, message: `${refusal.message}; ${why}` })),
        )

      return create(params).pipe(
        orElse(
          (failure): ObservableEither<Failure<Code>, A> =>
            isDuplicate(failure) ? find(failure) : left(failure),
        ),
      )
    })
