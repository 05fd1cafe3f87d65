import type { Paging, Position } from '../../api/Paging.js'
import { isRecord } from '../../decode/unknown.js'
import { defined, O } from '../../fp.js'

/** What a position is, in words. */
export const POSITION_TEXT =
  'where a page of this list stands: page_num, or page, such as `next` of a page'

interface Named {
  readonly page_num?: unknown
  readonly page?: unknown
}

/** The page that is named; numbers may be text, as in a query. */
export const pageParams = ({ page_num, page }: Named): O.Option<Position> => {
  if (typeof page_num === 'number') return O.some({ page_num })
  if (isDigits(page_num)) return O.some({ page_num: Number(page_num) })
  return typeof page === 'string' ? O.some({ page }) : O.none
}

/** A position that was kept, perhaps as text, and may be of something else. */
export const parsePosition =
  ({ style, first }: Paging) =>
  (u: unknown): O.Option<Position> => {
    if (!isRecord(u)) return O.none
    const { page_num, page, ...others } = defined(u)
    if (Object.keys(others).length > 0) return O.none
    const none = page_num === undefined && page === undefined
    if (none) return style === 'cursor' ? O.some(first) : O.none
    return page_num === undefined || page === undefined ? pageParams({ page_num, page }) : O.none
  }

export const isDigits = (u: unknown): u is string => typeof u === 'string' && /^\d+$/.test(u)
