/** `payments.charges.snapshot(filter).explain()`: what a snapshot comes to, before it is read. */
import { concatMap, defer, from, map, type Observable, take, toArray } from 'rxjs'
import { A, E, type IO, O } from '../fp.js'
import type { List, ListPlan, PlanOptions } from '../http/list/List.js'
import {
  concatChain,
  left,
  type Millis,
  mapRight,
  type ObservableEither,
  type Page,
  right,
  type SnapshotPosition,
  type Span,
} from '../stream/index.js'
import { countRows, type RowCount } from '../stream/snapshot/countRows.js'
import { contains } from '../stream/snapshot/SnapshotPosition.js'

// model

/** An estimate of a snapshot, made of the limits and of few requests. */
export interface SnapshotPlan extends ListPlan {
  /** Rows, as they were counted or given. */
  readonly rows: number
  /** `about`: 5 % more or less. `at least`: the list goes on where its pages have no number any more. */
  readonly precision: RowCount['precision'] | 'given'
  /** Requests sent to count the rows. */
  readonly probes: number
}

interface ExplainSpec<F> {
  /** Why it cannot be read. */
  readonly invalid: F | undefined
  /** Emits what is to be read. */
  readonly position: Observable<E.Either<F, SnapshotPosition>>
  /** Returns the pages of a span of time, from a page number on. They may have rows of a second on either side. */
  readonly pagesOf: (
    span: Span,
    page: number,
  ) => Observable<E.Either<F, Pick<Page<F, unknown, unknown>, 'raw' | 'next'>>>
  /** Returns when a row was created, in ms since 1970; NaN if that cannot be read. */
  readonly time: (raw: unknown) => Millis
  /** The plain list with the page size and the width of the snapshot. */
  readonly list: Pick<List<unknown, unknown>, 'explain'>
  /** Current time of a clock for durations. */
  readonly now: IO<Millis>
}

// constructors

/** Throws an `InvalidOption` for invalid numbers. Sends nothing where `rows` is given. */
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
  /** Times that full pages took. */
  readonly pageTimes: ReadonlyArray<Millis>
}

/** Counts the rows that are left in slices, one after the other. */
const counted = <F>(
  spec: ExplainSpec<F>,
  slices: SnapshotPosition['slices'],
  pageSize: number,
): ObservableEither<F, CountedList> =>
  defer(() => {
    const pageTimes: Array<Millis> = []
    const countSpan = (span: Span): ObservableEither<F, ListCount> => {
      let outside = 0 // on the first or the last page, which an exact count has read
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
  /** Rows that are not of the span. */
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

/** Returns 0 where no full page was read: then there is one request. */
const median = (times: ReadonlyArray<Millis>): Millis =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
