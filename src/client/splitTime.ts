/** Cuts the time of a list into spans of about equal rows, by looking at few of its pages. */
import { map } from 'rxjs'
import { E } from '../fp.js'
import { concatChain, mapRight, type ObservableEither, right, type Span } from '../stream/index.js'
import { countRows } from '../stream/snapshot/countRows.js'
import { secondOf, splitNear } from '../stream/snapshot/SnapshotPosition.js'

// model

/** How many spans there are: so many, or as many as it takes for so many rows each. */
export type SpanCount = { readonly slices: number } | { readonly rows: number }

/** A span, and about how many rows are in it. */
export interface CountedSpan extends Span {
  readonly rows: number
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

/** Between the most and the fewest rows of a count, so that the last span is as large as the others. */
const PRECISE = 1.005

// constructors

/**
 * Counts the rows, and finds the time of the row at each bound. Bounds are whole seconds, so that rows of one second are
 * in one span, and spans without time are left out.
 */
export const splitTime = <F>(
  options: SplitOptions<F>,
): ObservableEither<F, ReadonlyArray<CountedSpan>> => {
  const { span, count } = options
  return countParts(options, span).pipe(
    concatChain((parts) => {
      const rows = parts.reduce((sum, part) => sum + part.rows, 0)
      const spans = 'slices' in count ? count.slices : Math.max(1, Math.ceil(rows / count.rows))
      const ranks = Array.from({ length: rows === 0 ? 0 : spans - 1 }, (_, i) =>
        Math.round((rows * (i + 1)) / spans),
      )
      return timesOf(ranks, (rank) => timeOf(options, parts, rank)).pipe(
        mapRight((times) => between(span, times, rows)),
      )
    }),
  )
}

/** Counts the rows of a span: of its halves, where it has more pages than can be asked for by their number. */
const countParts = <F>(
  options: SplitOptions<F>,
  span: Span,
): ObservableEither<F, ReadonlyArray<CountedSpan>> => {
  const { pageSize, page } = options
  const counting = countRows({
    pageSize,
    precise: PRECISE,
    page: (number) =>
      page(span, number).pipe(mapRight(({ times, more }) => ({ rows: times.length, more }))),
  })
  return counting.pipe(
    concatChain(({ rows, precision }) => {
      const middle = splitNear(span, (span.from + span.to) / 2)
      if (precision !== 'at least' || middle === undefined) return right([{ ...span, rows }])
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

/** Emits when the row of a rank was created. */
const timeOf = <F>(
  { page, pageSize }: SplitOptions<F>,
  parts: ReadonlyArray<CountedSpan>,
  rank: number,
): ObservableEither<F, number> => {
  let before = 0
  for (const part of parts) {
    const own = rank - before
    before += part.rows
    if (own >= part.rows) continue
    return page(part, Math.floor(own / pageSize)).pipe(
      mapRight(({ times }) => times[own % pageSize] ?? times.at(-1) ?? Number.NaN),
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

/** Cuts a span at these times, in whatever order the list has them. */
const between = (
  span: Span,
  times: ReadonlyArray<number>,
  rows: number,
): ReadonlyArray<CountedSpan> => {
  const inside = times.map(secondOf).filter((time) => span.from < time && time < span.to)
  const bounds = [span.from, ...new Set(inside.sort((a, b) => a - b)), span.to]
  const share = Math.round(rows / (bounds.length - 1))
  return bounds.slice(1).map((to, i) => ({ from: bounds[i] ?? span.from, to, rows: share }))
}
