/** Pages of lists in the two envelopes that the interface has for them. */
import { copy, encoded, written } from './account/ascii.js'
import type { Rows } from './account/Rows.js'
import type { BookmarkedPage } from './bookmarks.js'
import { type Json, json } from './Result.js'

const MORE = encoded('{"has_more":true,"items":[')
const LAST = encoded('{"has_more":false,"items":[')
const END = encoded(']}')

/** A page of a list by `page_num`. */
export const pageByNumber = (rows: Rows, hasMore: boolean): Json => {
  const start = hasMore ? MORE : LAST
  return json(
    written(start.length + rows.room + END.length, (to, position) =>
      copy(END, to, rows.write(to, copy(start, to, position))),
    ),
  )
}

/** A page of a list by bookmarks; the codec of the row writes its rows. */
export const pageByBookmark =
  <A>(write: (row: A) => unknown) =>
  ({ items, ...bookmarks }: BookmarkedPage<A>): Json =>
    json(encoded(JSON.stringify({ items: items.map(write), ...bookmarks })))
