import {
  bufferCount,
  concatMap,
  defer,
  EMPTY,
  map,
  materialize,
  type Observable,
  of,
  throwError,
} from 'rxjs'
import { E } from '../fp.js'
import type { Failure, InvalidRequest } from '../http/Failure.js'
import { invalidField } from '../http/request/invalidParams.js'
import { left, type ObservableEither } from '../stream/either/ObservableEither.js'

/** The outcome of one call with some of a stream's items. */
export interface Chunk<A> {
  /** Index of the first item in the stream, from 0. */
  readonly first: number
  /** Number of items. */
  readonly count: number
  /** Result of the call. */
  readonly outcome: E.Either<Failure, A>
}

export interface ChunkOptions<I, A> {
  readonly endpoint: string
  /** Sends the items of one call; `first` is the index of the first one in the stream. */
  readonly send: (items: Array<I>, first: number) => ObservableEither<Failure, A>
  /** Items per call. */
  readonly size: number
  /** Maximum total number of items. Further calls fail without sending a request. */
  readonly most: number
}

/**
 * Sends the items of a stream in calls of `size` items, one after the other, and emits the outcome of each. If a call fails,
 * the next items are still sent. If the source fails, calls that are already full are finished before the error, and the
 * remaining items are not sent. An empty stream fails with `InvalidRequest`.
 */
export const inChunks =
  <I, A>({ endpoint, send, size, most }: ChunkOptions<I, A>) =>
  (items: Observable<I>): Observable<Chunk<A>> =>
    defer(() => {
      let first = 0
      return items.pipe(
        bufferCount(size),
        materialize(), // otherwise an error would overtake calls in progress
        concatMap((event) => {
          if (event.kind === 'E') return throwError(() => event.error)
          if (event.kind === 'C') {
            return first > 0 ? EMPTY : of({ first, count: 0, outcome: E.left(none(endpoint)) })
          }
          const chunk = event.value
          const range = { first, count: chunk.length }
          first += chunk.length
          const outcome =
            first > most ? left(tooMany(endpoint, first, most)) : send(chunk, range.first)
          return outcome.pipe(map((outcome): Chunk<A> => ({ ...range, outcome })))
        }),
      )
    })

const none = (endpoint: string): InvalidRequest => {
  const expected = 'at least one'
  return {
    ...invalidField(endpoint, { field: 'items', expected, actual: 'none' }),
    message: `${endpoint}: items should be ${expected}, but the stream ended without any; nothing was sent`,
  }
}

const tooMany = (endpoint: string, received: number, most: number): InvalidRequest => {
  const expected = `at most ${most} items in all`
  return {
    ...invalidField(endpoint, { field: 'items', expected, actual: `item ${received}` }),
    message: `${endpoint}: items should be ${expected}, but there are ${received}; the last ones were not sent`,
  }
}
