import type { Page } from '../Paged.js'
import { type RowTexts, someOf } from '../RowTexts.js'
import { namesBy } from './names.js'
import { contains, type Span } from './Span.js'

/** Rows of a page, or of several: decoded one by one, and as they came. */
export interface Rows<E, A> extends Pick<Page<E, A, unknown>, 'items' | 'raw' | 'texts'> {}

/** The rows of a stretch of time, and those whose time cannot be read (NaN). */
export const within =
  (span: Span, times: ReadonlyArray<number>) =>
  <E, A>(rows: Rows<E, A>): Rows<E, A> =>
    keep(rows, (i) => {
      const time = times[i] ?? Number.NaN
      return Number.isNaN(time) || contains(span, time)
    })

/** Rows whose time cannot be read stand in no stretch, and may come with several: each is told once. */
export const undatedOnce = (
  time: (raw: unknown) => number,
  key: (raw: unknown) => string | undefined,
) => {
  const names = namesBy(key)
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

const keep = <E, A>(rows: Rows<E, A>, isKept: (i: number) => boolean): Rows<E, A> => {
  const { items, raw, texts } = rows
  const places: Array<number> = []
  for (let i = 0; i < raw.length; i++) if (isKept(i)) places.push(i)
  if (places.length === raw.length) return rows
  const kept = (): RowTexts | undefined => {
    const all = texts?.()
    return all && someOf(places, all)
  }
  return {
    items: some(places, items),
    raw: some(places, raw),
    ...(texts === undefined ? {} : { texts: kept }),
  }
}

/** Those at some places; in rows by time they mostly follow one another. */
const some = <T>(places: ReadonlyArray<number>, all: ReadonlyArray<T>): ReadonlyArray<T> => {
  const [first = 0] = places
  const end = first + places.length
  return places.length === 0 || places.at(-1) === end - 1
    ? all.slice(first, end)
    : places.flatMap((place) => all.slice(place, place + 1))
}
