import type { Paging, Position } from '../../api/Paging.js'
import { isRecord } from '../../decode/unknown.js'
import { defined, O } from '../../fp.js'

/** `expected` of an invalid position. */
export const POSITION_TEXT =
  'where a page of this list stands: page_num, or page, such as `next` of a page'

interface PageParams {
  readonly page_num?: unknown
  readonly page?: unknown
}

/** Reads a position from the parameters of a list. A page number may be text, as in a query. */
export const pageParams = ({ page_num, page }: PageParams): O.Option<Position> => {
  if (typeof page_num === 'number') return O.some({ page_num })
  if (isDigits(page_num)) return O.some({ page_num: Number(page_num) })
  return typeof page === 'string' ? O.some({ page }) : O.none
}

/** Reads a stored position, which may belong to something else. */
export const parsePosition =
  ({ style, first }: Paging) =>
  (u: unknown): O.Option<Position> => {
    if (!isRecord(u)) return O.none
    const { page_num, page, ...others } = defined(u)
    if (Object.keys(others).length > 0) return O.none
    const isEmpty = page_num === undefined && page === undefined
    if (isEmpty) return style === 'cursor' ? O.some(first) : O.none
    return page_num === undefined || page === undefined ? pageParams({ page_num, page }) : O.none
  }

export const isDigits = (u: unknown): u is string => typeof u === 'string' && /^\d+$/.test(u)
