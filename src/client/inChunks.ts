import {
  bufferCount,
  concatMap,
  defer,
  EMPTY,
  map,
  materialize,
  type Observable,
  throwError,
} from 'rxjs'
import type { E } from '../fp.js'
import type { Failure, InvalidRequest } from '../http/Failure.js'
import { invalidField } from '../http/request/invalidParams.js'
import { left, type ObservableEither } from '../stream/index.js'

// model

/** The outcome of one call with some items of a stream. */
export interface Chunk<A> {
  /** Index in the stream of the first item, from 0. */
  readonly first: number
  /** Number of items. */
  readonly count: number
  /** Result of the call. */
  readonly outcome: E.Either<Failure, A>
}

export interface ChunkOptions<I, A> {
  readonly endpoint: string
  /** Sends the items of one call; `first` is the index in the stream of the first. */
  readonly send: (items: Array<I>, first: number) => ObservableEither<Failure, A>
  /** Items a call. */
  readonly size: number
  /** Items in all; calls beyond fail without a request. */
  readonly most: number
}

// constructors

/**
 * Sends the items of a stream in calls of `size` items, one after the other, and emits the outcome of each. After a
 * call that fails, the next items are sent nevertheless. If the source fails, complete calls before the error are
 * finished first; the items after them are not sent.
 */
export const inChunks =
  <I, A>({ endpoint, send, size, most }: ChunkOptions<I, A>) =>
  (items: Observable<I>): Observable<Chunk<A>> =>
    defer(() => {
      let first = 0
      return items.pipe(
        bufferCount(size),
        materialize(), // otherwise an error would overtake calls under way
        concatMap((event) => {
          if (event.kind === 'E') return throwError(() => event.error)
          if (event.kind === 'C') return EMPTY
          const chunk = event.value
          const range = { first, count: chunk.length }
          first += chunk.length
          const outcome =
            first > most ? left(tooMany(endpoint, first, most)) : send(chunk, range.first)
          return outcome.pipe(map((outcome): Chunk<A> => ({ ...range, outcome })))
        }),
      )
    })

const tooMany = (endpoint: string, received: number, most: number): InvalidRequest => {
  const expected = `at most ${most} items in all`
  return {
    ...invalidField(endpoint, { field: 'items', expected, actual: `item ${received}` }),
    message: `${endpoint}: items should be ${expected}, and ${received} came; the last were not sent`,
  }
}
