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
import { invalidField } from '../http/request/invalidRequest.js'
import { left, type ObservableEither } from '../stream/index.js'

// model

/** What became of some items of a stream, which were sent in one call. */
export interface Chunk<A> {
  /** Which item of the stream is the first of them, from 0. */
  readonly first: number
  /** How many they are. */
  readonly count: number
  /** What became of the call. */
  readonly outcome: E.Either<Failure, A>
}

export interface ChunkOptions<I, A> {
  readonly endpoint: string
  /** Sends the items of one call; which of the stream is the first of them, from 0. */
  readonly send: (items: Array<I>, first: number) => ObservableEither<Failure, A>
  /** Items a call. */
  readonly size: number
  /** Items in all; what comes after them is not sent, and that is said. */
  readonly most: number
}

// constructors

/**
 * Sends the items of a stream, so many a call, one call after the other, and tells of each what became
 * of it. A call that fails ends nothing: the next items are sent all the same. When the source fails, the calls
 * whose items came whole before are told of first; the last items, too few for a call, are not sent.
 */
export const inChunks =
  <I, A>({ endpoint, send, size, most }: ChunkOptions<I, A>) =>
  (items: Observable<I>): Observable<Chunk<A>> =>
    defer(() => {
      let first = 0
      return items.pipe(
        bufferCount(size),
        materialize(), // an error would overtake what is under way
        concatMap((came) => {
          if (came.kind === 'E') return throwError(() => came.error)
          if (came.kind === 'C') return EMPTY
          const chunk = came.value
          const range = { first, count: chunk.length }
          first += chunk.length
          const outcome =
            first > most ? left(tooMany(endpoint, first, most)) : send(chunk, range.first)
          return outcome.pipe(map((outcome): Chunk<A> => ({ ...range, outcome })))
        }),
      )
    })

const tooMany = (endpoint: string, came: number, most: number): InvalidRequest => {
  const expected = `at most ${most} items in all`
  return {
    ...invalidField(endpoint, { field: 'items', expected, actual: `item ${came}` }),
    message: `${endpoint}: items should be ${expected}, and ${came} came; the last were not sent`,
  }
}
