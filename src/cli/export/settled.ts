/** Lists whose pages move when a row is deleted, and that are small: read until they rest. */
import { concatMap, defer, type Observable, of, toArray } from 'rxjs'
import type { Position } from '../../api/Paging.js'
import type { Drainable, Resumable } from '../../export/index.js'
import { E, O } from '../../fp.js'
import { rowId } from '../../http/answer/rawRows.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page } from '../../stream/index.js'

/** So many readings, at most. */
const READINGS = 5

/** A page, or why there is none. */
type Read<A> = E.Either<AnyFailure, Page<AnyFailure, A, Position>>

/**
 * The same list, always from its beginning, and held as a whole: read again until two readings have the same
 * ids. A row that is deleted from a page that was read moves one of the next page into it, where nobody looks any
 * more; then the next reading has other ids. One page is one answer, and cannot move. Fails, after its rows, when
 * it never rests.
 */
export const settled = <A>(
  endpoint: string,
  list: Drainable<Page<AnyFailure, A, Position>>,
): Resumable<Position, Page<AnyFailure, A, Position>> => {
  const reading = list.drain((page): Observable<Read<A>> => of(page)).pipe(toArray())

  const readings = (left: number, before?: string): Observable<ReadonlyArray<Read<A>>> =>
    reading.pipe(
      concatMap((pages) => {
        const ids = idsOf(pages)
        if (pages.length < 2 || pages.some(E.isLeft) || ids === before) return of(pages)
        return left > 1 ? readings(left - 1, ids) : of(restless(endpoint, pages))
      }),
    )

  const drainable: Drainable<Page<AnyFailure, A, Position>> = {
    drain: (project) =>
      defer(() => readings(READINGS)).pipe(
        concatMap((pages) => pages),
        concatMap(project),
      ),
  }
  return { ...drainable, from: () => drainable }
}

/** The same text for the same ids, in whatever order. */
const idsOf = <A>(pages: ReadonlyArray<Read<A>>): string =>
  JSON.stringify(
    [...new Set(pages.flatMap((page) => (E.isLeft(page) ? [] : page.right.raw.map(rowId))))].sort(),
  )

/** What came last, as what does not end there. */
const restless = <A>(endpoint: string, pages: ReadonlyArray<Read<A>>): ReadonlyArray<Read<A>> => {
  const all = pages.map(E.map((page) => ({ ...page, next: O.some(page.position) })))
  return [...all, E.left(moved(endpoint, pages.length))]
}

const moved = (endpoint: string, pages: number): AnyFailure => ({
  _tag: 'Truncated',
  endpoint,
  attempts: 0,
  position: { page_num: 0 },
  pages,
  guard: 'Moved',
  message: `${endpoint}: incomplete: each of ${READINGS} readings had other rows`,
})
