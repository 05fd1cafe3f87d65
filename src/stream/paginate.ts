import { defer, EMPTY, map, type Observable, of, throwIfEmpty } from 'rxjs'
import { E, O } from '../fp.js'
import { checkArgument, is } from '../options/index.js'
import type { ObservableEither } from './ObservableEither.js'
import type { Pull } from './Pull.js'
import type { RowTexts } from './RowTexts.js'

// model

/** One page: its rows decoded one by one, so that a bad row is one `Left` and ends nothing. */
export interface Page<E, A, Q> {
  /** Its rows, in order: a `Left` for one that did not decode. */
  readonly items: ReadonlyArray<E.Either<E, A>>
  /** The rows as they came, in the order of `items`. */
  readonly raw: ReadonlyArray<unknown>
  /** Their texts, letter by letter, where the answer can be cut into them; it is cut when this is first called. */
  readonly texts?: () => RowTexts | undefined
  /** What asks for this page again. */
  readonly position: Q
  /** What asks for the page after it, if there is one; where it came before its turn, for the first that has not come. */
  readonly next: O.Option<Q>
}

/** Why a list was given up although the service did not end it. */
export type Cut<E, Q> =
  | { readonly _tag: 'Failed'; readonly failure: E }
  | { readonly _tag: 'Repeated'; readonly next: Q }
  | { readonly _tag: 'SameRows' }
  | { readonly _tag: 'OnlyEmpty'; readonly pages: number }
  | { readonly _tag: 'TooLong'; readonly pages: number }

/** What a list is read with, and when it is given up. */
export interface PaginateOptions<E, A, Q> {
  /** Where the list begins. */
  readonly first: Q
  /** Asks for one page. */
  readonly fetch: (position: Q) => ObservableEither<E, Page<E, A, Q>>
  /** Two positions with the same key are the same page. */
  readonly key: (position: Q) => string
  /** The position after this one, where it can be told before the page came: see `parallel`. */
  readonly following?: (position: Q) => O.Option<Q>
  /** What tells the rows of a page: two with the same mark are one page under two positions. */
  readonly mark?: (page: Page<E, A, Q>) => O.Option<string>
  /** The failure that ends a list which was cut at `position`, after `pages` pages. */
  readonly cut: (cut: Cut<E, Q>, position: Q, pages: number) => E
  /** Pages a list may have. */
  readonly maxPages: number
  /** Empty pages in a row that still count as going on. */
  readonly maxEmptyPages: number
}

/** A bug of `fetch`: the list would end there without a word. */
const nothingCame = (): Error => new Error('fetch should emit a page, and emitted nothing')

// constructors

/**
 * A list, page by page. It ends when a page has no next one, and never without a word before that: a
 * page that fails, a position that comes back, the same rows under another position, an endless run of
 * empty pages, or more pages than `maxPages` end it with a `Left`. Throws an `InvalidOption` for a `maxPages` or
 * `maxEmptyPages` that is no count, or is missing: nothing would end such a list.
 */
export const paginate = <E, A, Q>(
  options: PaginateOptions<E, A, Q>,
): (() => Pull<E.Either<E, Page<E, A, Q>>>) => {
  const { fetch, key, mark = () => O.none, cut, maxPages, maxEmptyPages } = options
  checkArgument('maxPages', maxPages, is.positiveIntOrInfinity)
  checkArgument('maxEmptyPages', maxEmptyPages, is.nonNegativeIntOrInfinity)
  return () => {
    const seen = new Set<string>()
    const marks = new Set<string>()
    let next: O.Option<Q> = O.some(options.first)
    let pages = 0
    let empty = 0

    const end = (failure: E): E.Either<E, never> => {
      next = O.none
      return E.left(failure)
    }

    const read = (position: Q) => (answer: E.Either<E, Page<E, A, Q>>) => {
      if (E.isLeft(answer)) {
        return end(cut({ _tag: 'Failed', failure: answer.left }, position, pages))
      }
      const page = answer.right
      const rows = mark(page)
      if (O.isSome(rows)) {
        if (marks.has(rows.value)) {
          return end(cut({ _tag: 'SameRows' }, position, pages))
        }
        marks.add(rows.value)
      }
      pages++
      seen.add(key(position))
      empty = page.items.length === 0 ? empty + 1 : 0
      next = page.next
      return answer
    }

    /** What is wrong with going on to `position`, if anything is. */
    const objection = (position: Q): O.Option<Cut<E, Q>> => {
      if (seen.has(key(position))) return O.some({ _tag: 'Repeated', next: position })
      if (empty > maxEmptyPages) return O.some({ _tag: 'OnlyEmpty', pages: empty })
      return pages >= maxPages ? O.some({ _tag: 'TooLong', pages }) : O.none
    }

    return {
      next: defer((): Observable<E.Either<E, Page<E, A, Q>>> => {
        if (O.isNone(next)) return EMPTY
        const position = next.value
        const wrong = objection(position)
        return O.isSome(wrong)
          ? of(end(cut(wrong.value, position, pages)))
          : fetch(position).pipe(throwIfEmpty(nothingCame), map(read(position)))
      }),
      close: () => {
        next = O.none
      },
    }
  }
}
