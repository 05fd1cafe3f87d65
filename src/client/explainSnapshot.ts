/** `payments.charges.snapshot(filter).explain()`: estimates the cost of a snapshot before you read it. */
import { concatMap, defer, from, map, type Observable, take, toArray } from 'rxjs'
import { A, E, type IO, O } from '../fp.js'
import type { List, PlanOptions, SnapshotPlan } from '../http/list/List.js'
import {
  concatChain,
  left,
  mapRight,
  type ObservableEither,
  right,
} from '../stream/either/ObservableEither.js'
import type { Millis, Page, SnapshotPosition, Span } from '../stream/index.js'
import { countRows, type RowCount } from '../stream/snapshot/countRows.js'
import { contains } from '../stream/snapshot/SnapshotPosition.js'

interface ExplainSpec<F> {
  /** The reason why the snapshot cannot be read, if there is one. */
  readonly invalid: F | undefined
  /** Emits the position to start at. */
  readonly position: Observable<E.Either<F, SnapshotPosition>>
  /** Returns the pages of a time span, starting at a page number. They may include rows of the adjacent seconds. */
  readonly pagesOf: (
    span: Span,
    page: number,
  ) => Observable<E.Either<F, Pick<Page<F, unknown, unknown>, 'raw' | 'next'>>>
  /** Returns when a row was created, in ms since 1970; NaN if unreadable. */
  readonly time: (raw: unknown) => Millis
  /** The plain list with the snapshot's page size and concurrency. */
  readonly list: Pick<List<unknown, unknown>, 'explain'>
  /** Current time of the clock for durations. */
  readonly now: IO<Millis>
}

/** Throws an `InvalidOption` for invalid numbers. Sends nothing if `rows` is given. */
export const explainSnapshot = <F>(
  options: PlanOptions,
  spec: ExplainSpec<F>,
): ObservableEither<F, SnapshotPlan> => {
  const { invalid, list, position } = spec
  const { rows, roundTrip } = options
  const expected = list.explain(options)
  if (invalid !== undefined) return left(invalid)
  if (rows !== undefined) return right({ ...expected, rows, precision: 'given', probes: 0 })
  return position.pipe(
    take(1),
    concatChain(({ slices }) => counted(spec, slices, expected.pageSize ?? 1)),
    mapRight(({ pageTimes, ...count }) => ({
      ...list.explain({ rows: count.rows, roundTrip: roundTrip ?? median(pageTimes) }),
      ...count,
    })),
  )
}

interface ListCount extends Omit<RowCount, 'pageSize'> {}

interface CountedList extends ListCount {
  /** Response times of full pages. */
  readonly pageTimes: ReadonlyArray<Millis>
}

/** Counts the remaining rows in slices, one after the other. */
const counted = <F>(
  spec: ExplainSpec<F>,
  slices: SnapshotPosition['slices'],
  pageSize: number,
): ObservableEither<F, CountedList> =>
  defer(() => {
    const pageTimes: Array<Millis> = []
    const countSpan = (span: Span): ObservableEither<F, ListCount> => {
      let outside = 0 // rows on the first or last page, which were read for an exact count
      const page = mapRight((one: TimedPage) => {
        if (one.rows === pageSize) pageTimes.push(one.took)
        outside += one.outside
        return one
      })
      return countRows({ pageSize, page: (number) => page(timedPage(spec, span, number)) }).pipe(
        mapRight((count) =>
          count.precision === 'exact' ? { ...count, rows: count.rows - outside } : count,
        ),
      )
    }
    return from(slices).pipe(
      concatMap((slice) => countSpan(slice.left)),
      toArray(),
      map(A.sequence(E.Applicative)),
      mapRight((counts) => ({ ...counts.reduce(sumOf), pageTimes })),
    )
  })

interface TimedPage {
  readonly rows: number
  readonly more: boolean
  /** Rows outside the span. */
  readonly outside: number
  readonly took: Millis
}

const timedPage = <F>(
  { pagesOf, time, now }: ExplainSpec<F>,
  span: Span,
  number: number,
): ObservableEither<F, TimedPage> =>
  defer(() => {
    const began = now()
    return pagesOf(span, number).pipe(
      take(1),
      mapRight(({ raw, next }) => ({
        rows: raw.length,
        more: O.isSome(next),
        outside: raw.filter((row) => isOutside(span, time(row))).length,
        took: now() - began,
      })),
    )
  })

const isOutside = (span: Span, time: Millis): boolean =>
  !Number.isNaN(time) && !contains(span, time)

const sumOf = (one: ListCount, other: ListCount): ListCount => ({
  rows: one.rows + other.rows,
  precision: VAGUEST.find((p) => p === one.precision || p === other.precision) ?? 'exact',
  probes: one.probes + other.probes,
})

const VAGUEST: ReadonlyArray<RowCount['precision']> = ['at least', 'about']

/** Returns the median, or 0 if no full page was read; the list then takes one request. */
const median = (times: ReadonlyArray<Millis>): Millis =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
