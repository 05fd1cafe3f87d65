/** Reads small lists, whose pages shift when a row is deleted, until they are stable. */
import { concatMap, defer, type Observable, of, toArray } from 'rxjs'
import { E, O } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Drainable, PageOrFailure } from './SourcePage.js'

/** Number of readings after which a list counts as unstable. */
const MAX_READINGS = 5

/**
 * Reads a list into memory, always from its beginning, until two readings have the same ids. If a row is deleted from a page
 * that was already read, a row of the next page moves into that page and is missed; the next reading then has different ids. A
 * single page is one response, which cannot shift. A list that never becomes stable ends with a `Truncated` after its rows.
 */
export const untilStable = <A>(
  endpoint: string,
  list: Drainable<A>,
): Drainable<A> & { readonly from: () => Drainable<A> } => {
  const reading = list.drain((page): Observable<PageOrFailure<A>> => of(page)).pipe(toArray())

  const readings = (left: number, before?: string): Observable<ReadonlyArray<PageOrFailure<A>>> =>
    reading.pipe(
      concatMap((pages) => {
        const ids = idsOf(pages)
        if (pages.length < 2 || pages.some(E.isLeft) || ids === before) return of(pages)
        return left > 1 ? readings(left - 1, ids) : of(unstable(endpoint, pages))
      }),
    )

  const drainable: Drainable<A> = {
    drain: (project) =>
      defer(() => readings(MAX_READINGS)).pipe(
        concatMap((pages) => pages),
        concatMap(project),
      ),
  }
  return { ...drainable, from: () => drainable }
}

/** Returns the ids as one text, regardless of their order. */
const idsOf = <A>(pages: ReadonlyArray<PageOrFailure<A>>): string =>
  JSON.stringify(
    [...new Set(pages.flatMap((page) => (E.isLeft(page) ? [] : page.right.raw.map(rowId))))].sort(),
  )

/** Returns the last reading followed by a failure. */
const unstable = <A>(
  endpoint: string,
  pages: ReadonlyArray<PageOrFailure<A>>,
): ReadonlyArray<PageOrFailure<A>> => {
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
  message: `${endpoint}: incomplete: the rows were different in each of ${MAX_READINGS} readings`,
})
