import { concatMap, map, type Observable, of, toArray } from 'rxjs'
import { A, E, O, pipe } from '../../fp.js'
import { mapRight, type ObservableEither } from '../either/ObservableEither.js'
import type { Page } from '../Paged.js'
import { gather, identitiesBy, type Rows } from './Rows.js'

// model

export interface SettledOptions<E, A> {
  /** The list, page by page. */
  readonly pages: Observable<E.Either<E, Page<E, A, unknown>>>
  /** Two rows with the same key are the same row; there may be none. */
  readonly key: (raw: unknown) => string | undefined
}

/** Why a readUntilSettled could not be read. */
export type Unsettled<E> =
  | { readonly _tag: 'Failed'; readonly failure: E }
  | {
      readonly _tag: 'Moved'
      readonly readings: number
      /** No reading could be compared with others: its pages were of several lengths. */
      readonly isUneven: boolean
    }

/** A row, and where it came. */
interface ListedRow<E, A> {
  readonly page: Page<E, A, unknown>
  readonly place: number
}

/** One reading of the list, page after page, while it may have moved. */
interface ListReading<E, A> {
  readonly rows: ReadonlyMap<string, ListedRow<E, A>>
  /** Rows in the list when the last page was read; NaN where pages of several lengths do not tell. */
  readonly size: number
}

/** Readings before it is given up as a list that never rests. */
const READINGS = 30

// constructors

/** The rows of a list that may move while its pages are read: it is read until readings settle. */
export const readUntilSettled = <E, A>({
  pages,
  key,
}: SettledOptions<E, A>): ObservableEither<Unsettled<E>, Rows<E, A>> => {
  const reading = pages.pipe(toArray(), map(A.sequence(E.Applicative)), mapRight(readingOf(key)))

  const read = (
    before: ReadonlyArray<ListReading<E, A>>,
  ): ObservableEither<Unsettled<E>, Rows<E, A>> =>
    reading.pipe(
      concatMap((latest): ObservableEither<Unsettled<E>, Rows<E, A>> => {
        if (E.isLeft(latest)) return of(E.left({ _tag: 'Failed', failure: latest.left } as const))
        const readings = [...before, latest.right]
        return pipe(
          settled(readings),
          O.match(
            () => (readings.length === READINGS ? of(E.left(moved(readings))) : read(readings)),
            (rows) => of(E.right(rows)),
          ),
        )
      }),
    )
  return read([])
}

const moved = <E, A>(readings: ReadonlyArray<ListReading<E, A>>): Unsettled<never> => ({
  _tag: 'Moved',
  readings: readings.length,
  isUneven: readings.every(({ size }) => Number.isNaN(size)),
})

const readingOf =
  (key: (raw: unknown) => string | undefined) =>
  <E, A>(pages: ReadonlyArray<Page<E, A, unknown>>): ListReading<E, A> => {
    const names = identitiesBy(key)(pages.flatMap(({ raw }) => raw)).values()
    const rows = pages.flatMap((page) =>
      page.raw.map((_, place) => [names.next().value ?? '', { page, place }] as const),
    )
    const isEven = pages.slice(0, -1).every(({ raw }) => raw.length === pages[0]?.raw.length)
    return { rows: new Map(rows), size: isEven ? rows.length : Number.NaN }
  }

/**
 * All rows that stayed, as soon as it is certain: when as many rows as the list had at the end of one
 * reading were seen both by then and after.
 *
 * For what was seen before that end and after it was in the list at it. So these rows are the list as it
 * was then, and a row that stayed is among them. (A row that goes and comes back could deceive.)
 */
const settled = <E, A>(readings: ReadonlyArray<ListReading<E, A>>): O.Option<Rows<E, A>> => {
  for (const [last, { size }] of readings.entries()) {
    const before = new Set(readings.slice(0, last + 1).flatMap(({ rows }) => [...rows.keys()]))
    const after = new Map(readings.slice(last + 1).flatMap(({ rows }) => [...rows]))
    const both = [...after].filter(([name]) => before.has(name)).map(([, row]) => row)
    if (both.length === size) {
      return O.some(gather(both))
    }
  }
  return O.none
}
