/** How a list goes on from one page to the next. */
import type { Envelope } from '../codec/Envelope.js'
import { O } from '../fp.js'

// model

/** Where a page stands: parameters that ask for just it. The first page of a cursor list needs none. */
export type Position = { readonly page_num: number } | { readonly page?: string }

export interface Paging {
  readonly style: 'number' | 'cursor'
  /** The first page when the caller names none. */
  readonly first: Position
  /** Rows a page when the caller names no `page_size`, where the interface says so. */
  readonly size?: number
}

// constructors

/** By `page_num` from 0, for as long as `has_more` is true. */
export const byNumber = (size: number): Paging => ({
  style: 'number',
  first: { page_num: 0 },
  size,
})

/** By the bookmark `page_after`, for as long as there is one. */
export const byCursor = (size: number): Paging => ({ style: 'cursor', first: {}, size })

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

/** For messages: `page_num 17`, `the first page`, `page "b2Zm..."`. */
export const showPosition = (position: Position): string =>
  'page_num' in position
    ? `page_num ${position.page_num}`
    : position.page === undefined
      ? 'the first page'
      : `page ${JSON.stringify(position.page)}`
