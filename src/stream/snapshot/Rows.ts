import type { Page } from '../Paged.js'
import { gatherRows, pickRows } from '../rawRows.js'
import { contains, type Span } from './SnapshotPosition.js'

/** Rows of one or several pages, both decoded and raw. */
export interface Rows<E, A> extends Pick<Page<E, A, unknown>, 'items' | 'raw'> {}

/** Returns the rows in a time span, including those whose time is unreadable (NaN). */
export const within =
  (span: Span, times: ReadonlyArray<number>) =>
  <E, A>(rows: Rows<E, A>): Rows<E, A> =>
    keep(rows, (i) => {
      const time = times[i] ?? Number.NaN
      return Number.isNaN(time) || contains(span, time)
    })

/** Reports each row with an unreadable time only once. Such rows belong to no span, and may appear in several responses. */
export const undatedOnce = (
  time: (raw: unknown) => number,
  key: (raw: unknown) => string | undefined,
) => {
  const names = identitiesBy(key)
  const seen = new Set<string>()
  return <E, A>(rows: Rows<E, A>): Rows<E, A> => {
    const undated = rows.raw.map((row) => Number.isNaN(time(row)))
    const named = names(rows.raw.filter((_, i) => undated[i])).values()
    return keep(rows, (i) => {
      if (undated[i] !== true) return true
      const { size } = seen
      return seen.add(named.next().value ?? '').size > size
    })
  }
}

/** Joins the rows of several pages. */
export const gather = <E, A>(
  places: ReadonlyArray<{ readonly page: Rows<E, A>; readonly place: number }>,
): Rows<E, A> => ({
  items: gatherRows(places.map(({ page, place }) => ({ rows: page.items, index: place }))),
  raw: gatherRows(places.map(({ page, place }) => ({ rows: page.raw, index: place }))),
})

const keep = <E, A>(rows: Rows<E, A>, isKept: (i: number) => boolean): Rows<E, A> => {
  const { items, raw } = rows
  const indices: Array<number> = []
  for (let i = 0; i < raw.length; i++) if (isKept(i)) indices.push(i)
  return indices.length === raw.length
    ? rows
    : { items: pickRows(items, indices), raw: pickRows(raw, indices) }
}

// identity

/**
 * Identifies rows by their keys. A row without a key is identified by its whole content and by the number of earlier rows with
 * the same content, because identical rows can only be counted.
 */
export const identitiesBy =
  (key: (raw: unknown) => string | undefined) =>
  (raw: ReadonlyArray<unknown>): ReadonlyArray<string> => {
    const counts = new Map<string, number>()
    return raw.map((row) => {
      const rowKey = key(row)
      if (rowKey !== undefined) return `key ${rowKey}`
      const content = contentText(row)
      const before = counts.get(content) ?? 0
      counts.set(content, before + 1)
      return `${before} ${content}`
    })
  }

/** Returns a string that differs for different values of any depth. `JSON.stringify` handles only some thousand levels. */
const contentText = (row: unknown): string => {
  const rest = [row]
  let text = ''
  while (rest.length > 0) {
    const u = rest.pop()
    if (typeof u !== 'object' || u === null) {
      text += `${JSON.stringify(u)},`
      continue
    }
    text += Array.isArray(u) ? `[${u.length}]` : JSON.stringify(Object.keys(u))
    for (const value of Object.values(u)) rest.push(value)
  }
  return text
}
