/**
 * Pages of lists, by number, or by bookmarks in both directions. A bookmark is a gap between two rows in the order of a list
 * and not a number of rows, so rows that appear or disappear elsewhere do not shift pages.
 */
import { stringifyExact } from '../../decode/index.js'
import { E } from '../../fp.js'
import type { CollectionItem, Walk } from '../Collection.js'
import { hash, hex8, subSeed } from '../data/hash.js'
import { type ApiError, invalid, type Json, json } from '../Reply.js'

// by number

/** Initial buffer size per row, in bytes. The buffer grows if rows are larger. */
const ROW_ROOM = 400

const COMMA = 0x2c

/**
 * Returns a page of rows that already are JSON values. Serializes each row as soon as it is generated. If 2,000 rows were kept
 * as objects or texts, the sandbox would take twice as long, because of garbage collection.
 */
export const pageByNumber = (
  rowAt: (i: number) => unknown,
  count: number,
  has_more: boolean,
): Json => {
  let bytes = Buffer.allocUnsafe((count + 1) * ROW_ROOM)
  let end = bytes.write(`{"has_more":${has_more},"items":[`)
  for (let i = 0; i < count; i++) {
    const text = stringifyExact(rowAt(i))
    const most = 3 * text.length + 3 // maximum number of UTF-8 bytes per code unit, and the surrounding characters
    if (bytes.length - end < most) bytes = Buffer.concat([bytes], 2 * (bytes.length + most))
    end += bytes.write(text, end)
    bytes[end++] = COMMA
  }
  if (count > 0) end-- // the last comma
  end += bytes.write(']}', end)
  return { _tag: 'Json', body: bytes.subarray(0, end) }
}

// by bookmark

export interface BookmarkedList {
  /** Name of the list. A bookmark is valid for one list only. */
  readonly list: string
  readonly seed: number
  readonly newestFirst: boolean
  readonly page_size: number
  /** The bookmark of the request; none for the first page. */
  readonly page: string | undefined
}

export interface BookmarkedPage<A> {
  readonly items: ReadonlyArray<A>
  /** The bookmark of the next page; null at the end. */
  readonly page_after: string | null
  /** The bookmark of the previous page; null at the beginning. */
  readonly page_before: string | null
}

/** Returns the page as a response, or the error for a bookmark of another list. */
export const pageByBookmark = <A extends CollectionItem>(
  list: BookmarkedList,
  walk: Walk<A>,
  encode: (items: ReadonlyArray<A>) => ReadonlyArray<unknown>,
): Json | ApiError => {
  const page = bookmarkedPage(list, walk)
  if (E.isLeft(page)) return page.left
  return json({ ...page.right, items: encode(page.right.items) })
}

export const bookmarkedPage = <A extends CollectionItem>(
  list: BookmarkedList,
  walk: Walk<A>,
): E.Either<ApiError, BookmarkedPage<A>> => {
  const { newestFirst, page_size } = list
  const position = ({ n }: A): number => (newestFirst ? -n : n)
  const rowsAfter = (gap: number) => (newestFirst ? walk(0 - gap, -1) : walk(gap, 1))
  const rowsBefore = (gap: number) => (newestFirst ? walk(1 - gap, 1) : walk(gap - 1, -1))
  const start: PageBookmark = { direction: 'after', gap: Number.MIN_SAFE_INTEGER }
  const bookmark = list.page === undefined ? start : readBookmark(list, list.page)
  if (bookmark === undefined) {
    return E.left(invalid('page must be a bookmark of this list.', 'page'))
  }
  const { direction, gap } = bookmark
  const forward = direction === 'after'
  const found = take(page_size, forward ? rowsAfter(gap) : rowsBefore(gap))
  const hasOthers = take(0, forward ? rowsBefore(gap) : rowsAfter(gap)).hasMore
  const items = forward ? found.rows : found.rows.toReversed()
  const [first, last] = [items[0], items.at(-1)]
  const [hasBefore, hasAfter] = forward ? [hasOthers, found.hasMore] : [found.hasMore, hasOthers]
  const bookmarkAt = (direction: PageBookmark['direction'], at: number): string =>
    writeBookmark(list, { direction, gap: at })
  return E.right({
    items,
    page_after: hasAfter
      ? bookmarkAt('after', last === undefined ? gap : position(last) + 1)
      : null,
    page_before: hasBefore
      ? bookmarkAt('before', first === undefined ? gap : position(first))
      : null,
  })
}

/** Iterates over rows that are sorted by number. */
export const walkArray =
  <A extends CollectionItem>(rows: ReadonlyArray<A>): Walk<A> =>
  (from, step) =>
    step === 1 ? rows.filter(({ n }) => n >= from) : rows.filter(({ n }) => n <= from).toReversed()

export const walkWhere = <A>(walk: Walk<A>, passes: (row: A) => boolean): Walk<A> =>
  function* (from, step) {
    for (const row of walk(from, step)) if (passes(row)) yield row
  }

const take = <A>(count: number, rows: Iterable<A>) => {
  const taken: Array<A> = []
  for (const row of rows) {
    if (taken.length === count) return { rows: taken, hasMore: true }
    taken.push(row)
  }
  return { rows: taken, hasMore: false }
}

/** The rows after a gap, or those before it. */
interface PageBookmark {
  readonly direction: 'after' | 'before'
  readonly gap: number
}

/** Direction, gap, seal. */
const BOOKMARK = /^((after|before)\.(-?\d{1,15}))\.([0-9a-f]{8})$/

const writeBookmark = (list: BookmarkedList, { direction, gap }: PageBookmark): string => {
  const text = `${direction}.${gap}`
  return btoa(`${text}.${sealOf(list, text)}`).replace(/=+$/, '')
}

const readBookmark = (list: BookmarkedList, page: string): PageBookmark | undefined => {
  const text = /^[A-Za-z0-9+/]+$/.test(page) && page.length % 4 !== 1 ? atob(page) : ''
  const [, content = '', direction, gap = '', seal] = BOOKMARK.exec(text) ?? []
  if (seal !== sealOf(list, content)) return undefined
  return { direction: direction === 'before' ? 'before' : 'after', gap: Number(gap) }
}

const sealOf = ({ list, seed }: BookmarkedList, text: string): string =>
  hex8(
    Array.from(`${list} ${text}`).reduce(
      (sum, character) => hash(sum ^ (character.codePointAt(0) ?? 0)),
      subSeed(seed, 14),
    ),
  )
