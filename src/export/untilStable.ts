/** Small lists whose pages move when a row is deleted: read until they are stable. */
import { concatMap, defer, type Observable, of, toArray } from 'rxjs'
import { E, O } from '../fp.js'
import { rowId } from '../http/answer/rowId.js'
import type { AnyFailure } from '../http/Failure.js'
import type { Drainable, SourcePage } from './SourcePage.js'

/** Readings, at most. */
const READINGS = 5

type Turn<A> = E.Either<AnyFailure, SourcePage<A>>

/**
 * The same list, always from its beginning and held in memory: it is read again until two readings have the same ids.
 * When a row is deleted from a page that was read, one of the next page moves into it and is missed; the next reading
 * then has other ids. A single page is one answer, and cannot move. A list that is never stable ends, after its rows,
 * with a `Truncated`.
 */
export const untilStable = <A>(
  endpoint: string,
  list: Drainable<A>,
): Drainable<A> & { readonly from: () => Drainable<A> } => {
  const reading = list.drain((page): Observable<Turn<A>> => of(page)).pipe(toArray())

  const readings = (left: number, before?: string): Observable<ReadonlyArray<Turn<A>>> =>
    reading.pipe(
      concatMap((pages) => {
        const ids = idsOf(pages)
        if (pages.length < 2 || pages.some(E.isLeft) || ids === before) return of(pages)
        return left > 1 ? readings(left - 1, ids) : of(unstable(endpoint, pages))
      }),
    )

  const drainable: Drainable<A> = {
    drain: (project) =>
      defer(() => readings(READINGS)).pipe(
        concatMap((pages) => pages),
        concatMap(project),
      ),
  }
  return { ...drainable, from: () => drainable }
}

/** The same text for the same ids, in whatever order. */
const idsOf = <A>(pages: ReadonlyArray<Turn<A>>): string =>
  JSON.stringify(
    [...new Set(pages.flatMap((page) => (E.isLeft(page) ? [] : page.right.raw.map(rowId))))].sort(),
  )

/** The last reading, as one that does not end there. */
const unstable = <A>(endpoint: string, pages: ReadonlyArray<Turn<A>>): ReadonlyArray<Turn<A>> => {
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
