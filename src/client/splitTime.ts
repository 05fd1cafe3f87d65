/** Cuts the time of a list into spans of about equal rows, by looking at few of its pages. */
import { map } from 'rxjs'
import { E } from '../fp.js'
import { concatChain, mapRight, type ObservableEither, right, type Span } from '../stream/index.js'
import { countRows } from '../stream/snapshot/countRows.js'
import { SECOND, secondOf, splitNear } from '../stream/snapshot/SnapshotPosition.js'

// model

/** How many spans there are: so many, or as many as it takes for so many rows each. */
export type SpanCount = { readonly slices: number } | { readonly rows: number }

/** A span, and about how many rows are in it. */
export interface CountedStretch extends Span {
  readonly rows: number
  /**
   * True where pages of several lengths allowed only an estimate. Otherwise the rows of all spans add up to a count: the
   * list had so many, at least.
   */
  readonly estimated?: true
}

/** One page of the rows of a span. */
export interface ProbedPage {
  /** When its rows were created, in ms since 1970; NaN where that cannot be read. */
  readonly times: ReadonlyArray<number>
  /** True if there are pages after it. */
  readonly more: boolean
}

export interface SplitOptions<F> {
  readonly span: Span
  readonly count: SpanCount
  /** Rows a page. */
  readonly pageSize: number
  /** Reads the page of a span by its number, from 0; one beyond the end has no rows. */
  readonly page: (span: Span, number: number) => ObservableEither<F, ProbedPage>
}

/** A span of which all rows are counted, and how long its pages are. */
interface EstimatedSpan extends Span {
  readonly rows: number
  readonly pageSize: number
  readonly isEstimate: boolean
}

// constructors

/**
 * Counts the rows, and finds the time of the row at each bound. Bounds are whole seconds, so that rows of one second are
 * in one span, and spans without time are left out.
 */
export const splitTime = <F>(
  options: SplitOptions<F>,
): ObservableEither<F, ReadonlyArray<CountedStretch>> => {
  const { span, count } = options
  return countParts(options, span).pipe(
    concatChain((parts) => {
      const rows = parts.reduce((sum, part) => sum + part.rows, 0)
      const isEstimate = parts.some((part) => part.isEstimate)
      const spans = 'slices' in count ? count.slices : Math.max(1, Math.ceil(rows / count.rows))
      const ranks = Array.from({ length: rows === 0 ? 0 : spans - 1 }, (_, i) =>
        Math.round((rows * (i + 1)) / spans),
      )
      return timesOf(ranks, (rank) => timeOf(options, parts, rank)).pipe(
        mapRight((times) => between(span, times, { rows, isEstimate })),
      )
    }),
  )
}

/** Counts the rows of a span: of its halves, where it has more pages than can be asked for by their number. */
const countParts = <F>(
  options: SplitOptions<F>,
  span: Span,
): ObservableEither<F, ReadonlyArray<EstimatedSpan>> => {
  const settled = settledIn(span)
  const counting = countRows({
    pageSize: options.pageSize,
    precise: 1,
    page: (number) =>
      options
        .page(settled, number)
        .pipe(mapRight(({ times, more }) => ({ rows: times.length, more }))),
  })
  return counting.pipe(
    concatChain(({ rows, precision, pageSize }) => {
      const middle = splitNear(span, (span.from + span.to) / 2)
      if (precision !== 'at least' || middle === undefined) {
        return right([{ ...settled, rows, pageSize, isEstimate: precision !== 'exact' }])
      }
      return countParts(options, { ...span, to: middle }).pipe(
        concatChain((early) =>
          countParts(options, { ...span, from: middle }).pipe(
            mapRight((late) => [...early, ...late]),
          ),
        ),
      )
    }),
  )
}

/**
 * Returns a span without its last second. The question for it takes in a second more; so none of its rows is outside
 * the span, and rows that are still being created at the end of the list do not move the pages that are counted.
 */
const settledIn = ({ from, to }: Span): Span => ({
  from,
  to: Math.max(from, secondOf(to) - SECOND),
})

/** Emits when the row of a rank was created. */
const timeOf = <F>(
  { page }: SplitOptions<F>,
  parts: ReadonlyArray<EstimatedSpan>,
  rank: number,
): ObservableEither<F, number> => {
  let before = 0
  for (const part of parts) {
    const index = rank - before
    before += part.rows
    if (index >= part.rows) continue
    const { pageSize } = part
    return page(part, Math.floor(index / pageSize)).pipe(
      mapRight(({ times }) => times[index % pageSize] ?? times.at(-1) ?? Number.NaN),
    )
  }
  return right(Number.NaN)
}

const timesOf = <F>(
  ranks: ReadonlyArray<number>,
  time: (rank: number) => ObservableEither<F, number>,
): ObservableEither<F, ReadonlyArray<number>> => {
  const [rank, ...others] = ranks
  if (rank === undefined) return right([])
  return time(rank).pipe(
    concatChain((first) => timesOf(others, time).pipe(map(E.map((times) => [first, ...times])))),
  )
}

/** Cuts a span at these times, in whatever order the list has them, into parts whose rows add up. */
const between = (
  span: Span,
  times: ReadonlyArray<number>,
  { rows, isEstimate }: Pick<EstimatedSpan, 'rows' | 'isEstimate'>,
): ReadonlyArray<CountedStretch> => {
  const inside = times.map(secondOf).filter((time) => span.from < time && time < span.to)
  const bounds = [span.from, ...new Set(inside.sort((a, b) => a - b)), span.to]
  const spans = bounds.length - 1
  const upTo = (i: number): number => Math.round((rows * i) / spans)
  return bounds.slice(1).map((to, i) => ({
    ...{ from: bounds[i] ?? span.from, to },
    rows: upTo(i + 1) - upTo(i),
    ...(isEstimate ? { estimated: true } : {}),
  }))
}
