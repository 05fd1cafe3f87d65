/**
 * Pages by bookmarks, in both directions. A bookmark is a gap between two rows in the order of a list,
 * not a count of rows, so what comes or goes elsewhere moves no page.
 */
import { E, pipe } from '../fp.js'
import { type ApiError, invalid } from './ApiError.js'
import { hash, hexText, subSeed } from './account/hash.js'
import type { Numbered } from './Collection.js'
import { firstOf, type Walk } from './Walk.js'

// model

/** A list: bookmarks of one list mean nothing to another one. */
export interface BookmarkedList {
  /** Which list, such as `batches`. */
  readonly list: string
  readonly seed: number
  readonly newestFirst: boolean
  /** Rows a page. */
  readonly size: number
  /** The bookmark that came; none for the first page. */
  readonly page: string | undefined
}

export interface BookmarkedPage<A> {
  readonly items: ReadonlyArray<A>
  /** Null at the end. */
  readonly page_after: string | null
  /** Null at the beginning. */
  readonly page_before: string | null
}

/** The rows behind a gap, or those ahead of it. */
interface Bookmark {
  readonly direction: 'after' | 'before'
  readonly gap: number
}

// constructors

const sealed = ({ list, seed }: BookmarkedList, text: string): string =>
  hexText(
    Array.from(`${list} ${text}`).reduce(
      (sum, character) => hash(sum ^ (character.codePointAt(0) ?? 0)),
      subSeed(seed, 14),
    ),
  )

const write = (list: BookmarkedList, { direction, gap }: Bookmark): string => {
  const text = `${direction}.${gap}`
  return btoa(`${text}.${sealed(list, text)}`).replace(/=+$/, '')
}

/** What a bookmark says: direction, gap, seal. */
const FORM = /^((after|before)\.(-?\d{1,15}))\.([0-9a-f]{8})$/

const unknown = invalid('page must be a bookmark of this list.', 'page')

const read = (list: BookmarkedList, page: string): E.Either<ApiError, Bookmark> => {
  const text = /^[A-Za-z0-9+/]+$/.test(page) && page.length % 4 !== 1 ? atob(page) : ''
  const [, said = '', direction, gap = '', seal] = FORM.exec(text) ?? []
  return seal === sealed(list, said)
    ? E.right({ direction: direction === 'before' ? 'before' : 'after', gap: Number(gap) })
    : E.left(unknown)
}

// combinators

/** The page that the bookmark asks for. */
export const bookmarked =
  (list: BookmarkedList) =>
  <A extends Numbered>(walk: Walk<A>): E.Either<ApiError, BookmarkedPage<A>> => {
    const { newestFirst, size, page } = list
    const place = ({ n }: A): number => (newestFirst ? -n : n)
    const behind = (gap: number) => (newestFirst ? walk(0 - gap, -1) : walk(gap, 1))
    const ahead = (gap: number) => (newestFirst ? walk(1 - gap, 1) : walk(gap - 1, -1))
    const first: Bookmark = { direction: 'after', gap: Number.MIN_SAFE_INTEGER }
    return pipe(
      page === undefined ? E.right(first) : read(list, page),
      E.map(({ direction, gap }) => {
        const isAfter = direction === 'after'
        const found = firstOf(size, isAfter ? behind(gap) : ahead(gap))
        const others = firstOf(0, isAfter ? ahead(gap) : behind(gap))
        const items = isAfter ? found.rows : found.rows.toReversed()
        const [head, last] = [items[0], items[items.length - 1]]
        const [isBefore, isBehind] = isAfter
          ? [others.isMore, found.isMore]
          : [found.isMore, others.isMore]
        return {
          items,
          page_after: isBehind
            ? write(list, { direction: 'after', gap: last === undefined ? gap : place(last) + 1 })
            : null,
          page_before: isBefore
            ? write(list, { direction: 'before', gap: head === undefined ? gap : place(head) })
            : null,
        }
      }),
    )
  }
