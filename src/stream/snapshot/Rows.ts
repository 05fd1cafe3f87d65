import type { Page } from '../paginate.js'
import { type RowTexts, someOf } from '../RowTexts.js'
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
export const once = (time: (raw: unknown) => number, key: (raw: unknown) => string) => {
  const seen = new Set<string>()
  return <E, A>(rows: Rows<E, A>): Rows<E, A> =>
    keep(rows, (i) => {
      if (!Number.isNaN(time(rows.raw[i]))) return true
      const name = key(rows.raw[i])
      const isNew = !seen.has(name)
      seen.add(name)
      return isNew
    })
}

const keep = <E, A>(rows: Rows<E, A>, isKept: (i: number) => boolean): Rows<E, A> => {
  const kept = rows.raw.map((_, i) => isKept(i))
  if (kept.every(Boolean)) return rows
  const some = <T>(all: ReadonlyArray<T>): ReadonlyArray<T> => all.filter((_, i) => kept[i])
  const { items, raw, texts } = rows
  const cut = (): RowTexts | undefined => {
    const all = texts?.()
    return all && someOf(some(items.map((_, i) => i)), all)
  }
  return { items: some(items), raw: some(raw), ...(texts === undefined ? {} : { texts: cut }) }
}
