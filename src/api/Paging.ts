import type { Envelope } from '../codec/calls.js'
import { O } from '../fp.js'

// model

/** Where a page stands: parameters that ask for just it. The first page of a cursor list needs none. */
export type Position = { readonly page_num: number } | { readonly page?: string }

/** How a list goes on from one page to the next. */
export interface Paging {
  /** `number`: by `page_num`. `cursor`: by bookmarks. */
  readonly style: 'number' | 'cursor'
  /** The first page when the caller names none. */
  readonly first: Position
  /** Rows a page when the caller names no `page_size`, where the interface says so. */
  readonly size?: number
}

/** The same, of a list whose size of a page is known. */
export interface SizedPaging extends Paging {
  /** Rows a page when the caller names no `page_size`. */
  readonly size: number
}

// constructors

/** By `page_num` from 0, for as long as `has_more` is true. */
export const byNumber = (size: number): SizedPaging => ({
  style: 'number',
  first: { page_num: 0 },
  size,
})

/** By the bookmark `page_after`, for as long as there is one. */
export const byCursor = (size: number): SizedPaging => ({ style: 'cursor', first: {}, size })

// combinators

/**
 * The position after this page, if the list goes on. The envelope that came decides, whatever its row
 * promises: a bookmark is followed, and `has_more: true` goes to the next number. An empty page ends
 * nothing by itself.
 */
export const following = (position: Position, envelope: Envelope): O.Option<Position> => {
  if (typeof envelope.page_after === 'string' && envelope.page_after !== '') {
    return O.some({ page: envelope.page_after })
  }
  return envelope.has_more === true
    ? O.some({ page_num: 'page_num' in position ? position.page_num + 1 : 1 })
    : O.none
}

/** Where an envelope does not go on as its row says, and what stood there instead. */
export interface Stray {
  readonly path: 'has_more' | 'page_after'
  readonly value: unknown
}

/**
 * How the envelope of a page differs from what its row promises, if it does: another style goes on, or
 * ends the list, or a numbered page says nothing of either. What has both is of the style that is
 * followed; a bookmark list ends without a word, so that is no difference.
 */
export const strayed = (
  { style }: Paging,
  position: Position,
  envelope: Envelope,
): O.Option<Stray> => {
  const { has_more, page_after } = envelope
  const isMarked = typeof page_after === 'string' && page_after !== ''
  const isNumbered = typeof has_more === 'boolean'
  if (style === 'number') {
    if (isMarked) return O.some({ path: 'page_after', value: page_after })
    if (isNumbered || 'page' in position) return O.none
    return page_after === undefined
      ? O.some({ path: 'has_more', value: has_more })
      : O.some({ path: 'page_after', value: page_after })
  }
  const isEndOfMarks = page_after === null || 'page' in position
  return isNumbered && !isMarked && (has_more || !isEndOfMarks)
    ? O.some({ path: 'has_more', value: has_more })
    : O.none
}

/** For messages: `page_num 17`, `the first page`, `page "b2Zm..."`. */
export const showPosition = (position: Position): string =>
  'page_num' in position
    ? `page_num ${position.page_num}`
    : position.page === undefined
      ? 'the first page'
      : `page ${JSON.stringify(position.page)}`
