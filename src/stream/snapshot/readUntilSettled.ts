import { concatMap, map, type Observable, of, toArray } from 'rxjs'
import { A, E, O, pipe } from '../../fp.js'
import { mapRight, type ObservableEither } from '../either/ObservableEither.js'
import type { Page } from '../Paged.js'
import { gather, identitiesBy, type Rows } from './Rows.js'

export interface SettledOptions<E, A> {
  readonly pages: Observable<E.Either<E, Page<E, A, unknown>>>
  /** Returns the key of a row; rows with equal keys are the same row. */
  readonly key: (raw: unknown) => string | undefined
}

/** The reason why a list could not be read until it settled. */
export type UnsettledRead<E> =
  | { readonly _tag: 'Failed'; readonly failure: E }
  | {
      readonly _tag: 'Moved'
      readonly readings: number
      /** True if no reading could be compared with others, because its pages differed in length. */
      readonly isUneven: boolean
    }

interface ListedRow<E, A> {
  readonly page: Page<E, A, unknown>
  readonly place: number
}

/** One reading of the list, page by page, during which the list may have shifted. */
interface ListReading<E, A> {
  readonly rows: ReadonlyMap<string, ListedRow<E, A>>
  /** Number of rows in the list when the last page was read; NaN if it is unknown because pages differ in length. */
  readonly size: number
}

/** Maximum number of readings of a list that keeps changing. */
const READINGS = 30

/** Reads the rows of a list that may shift between pages. Repeats this until readings agree. */
export const readUntilSettled = <E, A>({
  pages,
  key,
}: SettledOptions<E, A>): ObservableEither<UnsettledRead<E>, Rows<E, A>> => {
  const reading = pages.pipe(toArray(), map(A.sequence(E.Applicative)), mapRight(readingOf(key)))

  const read = (
    before: ReadonlyArray<ListReading<E, A>>,
  ): ObservableEither<UnsettledRead<E>, Rows<E, A>> =>
    reading.pipe(
      concatMap((latest): ObservableEither<UnsettledRead<E>, Rows<E, A>> => {
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

const moved = <E, A>(readings: ReadonlyArray<ListReading<E, A>>): UnsettledRead<never> => ({
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
 * Returns all rows that remained in the list, as soon as they are certain. This is the case when the number of rows seen both
 * before and after the end of one reading equals the number of rows in the list at that time.
 *
 * A row that was seen before and after that time was in the list at that time. These rows are therefore the whole list at that
 * time, and include every row that remained. (A row that disappears and reappears could cause an error.)
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
