import type { E } from '../../fp.js'
import { contains, type Span } from './Span.js'

/** Rows, decoded one by one, and as they came. */
export interface Rows<E, A> {
  readonly items: ReadonlyArray<E.Either<E, A>>
  readonly raw: ReadonlyArray<unknown>
}

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
  return <E, A>(rows: Rows<E, A>, times = rows.raw.map(time)): Rows<E, A> =>
    keep(rows, (i) => {
      if (!Number.isNaN(times[i])) return true
      const name = key(rows.raw[i])
      const isNew = !seen.has(name)
      seen.add(name)
      return isNew
    })
}

const keep = <E, A>(rows: Rows<E, A>, isKept: (i: number) => boolean): Rows<E, A> => {
  const kept = rows.raw.map((_, i) => isKept(i))
  return kept.every(Boolean)
    ? rows
    : {
        items: rows.items.filter((_, i) => kept[i]),
        raw: rows.raw.filter((_, i) => kept[i]),
      }
}
