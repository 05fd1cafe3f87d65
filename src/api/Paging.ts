import type { Envelope } from '../codec/common.js'
import { O } from '../fp.js'

/** The parameters that request one page. The first page of a list with bookmarks needs none. */
export type Position = { readonly page_num: number } | { readonly page?: string }

/** The way to get from one page of a list to the next. */
export interface Paging {
  /** `number`: by `page_num`. `cursor`: by the bookmark in each page. */
  readonly style: 'number' | 'cursor'
  /** The first page, unless the caller names another. */
  readonly first: Position
  /** Rows per page if the caller sets no `page_size`, where documented. */
  readonly size?: number
}

/** The paging of a list with a known page size. */
type SizedPaging = Paging & {
  /** Rows per page if the caller sets no `page_size`. */
  readonly size: number
}

/** Numbers pages by `page_num` from 0, until `has_more` is false. */
export const byNumber = (size: number): SizedPaging => ({
  style: 'number',
  first: { page_num: 0 },
  size,
})

/** Pages by the bookmark `page_after`, until there is none. */
export const byCursor = (size: number): SizedPaging => ({ style: 'cursor', first: {}, size })

/**
 * Returns the position of the next page, if there is one. The envelope decides, not the endpoint: a bookmark is followed, and
 * `has_more: true` leads to the next page number. An empty page alone does not end a list.
 */
export const following = (position: Position, envelope: Envelope): O.Option<Position> => {
  if (typeof envelope.page_after === 'string' && envelope.page_after !== '') {
    return O.some({ page: envelope.page_after })
  }
  return envelope.has_more === true
    ? O.some({ page_num: 'page_num' in position ? position.page_num + 1 : 1 })
    : O.none
}

/** Returns the position of the previous page, if the envelope has its bookmark. */
export const preceding = ({ page_before }: Envelope): Position | undefined =>
  typeof page_before === 'string' && page_before !== '' ? { page: page_before } : undefined

/** A field of an envelope that contradicts the endpoint's paging, with its value. */
export interface Stray {
  readonly path: 'has_more' | 'page_after'
  readonly value: unknown
}

/**
 * Finds the field of an envelope that contradicts the endpoint's paging: a field of the other style continues or ends the list,
 * or a numbered page has neither field. An envelope with both fields counts as the style that is followed. A cursor list may
 * end without either field.
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

/** Prints a position: `page_num 17`, `the first page`, `page "b2Zm..."`. */
export const showPosition = (position: Position): string =>
  'page_num' in position
    ? `page_num ${position.page_num}`
    : position.page === undefined
      ? 'the first page'
      : `page ${JSON.stringify(position.page)}`
