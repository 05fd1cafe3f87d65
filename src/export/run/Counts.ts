/** What a run has done so far, over all its resumptions. Plain values, fit for a checkpoint. */
import * as t from 'io-ts'
import type { Progress } from '../Progress.js'

// model

export const SliceCount = t.readonly(
  t.type({
    /** In ms since 1970: from `from` on, up to and without `to`. */
    from: t.number,
    to: t.number,
    rows: t.number,
  }),
)

/** A slice of time that was read to its end. */
export interface SliceCount extends t.TypeOf<typeof SliceCount> {}

export const Counts = t.readonly(
  t.type({
    /** Rows written, all of them different. */
    rows: t.number,
    /** Rows that were put aside. */
    rejects: t.number,
    /** Rows that had come before, and were left out. */
    repeated: t.number,
    pages: t.number,
    /** Requests that were answered, logins among them. */
    requests: t.number,
    /** Those that were refused for the limits. */
    refused: t.number,
    /** Time spent, in ms. */
    ms: t.number,
    /** How often it was begun or resumed. */
    starts: t.number,
    slices: t.readonlyArray(SliceCount),
  }),
)

/** What a run has done, over all its resumptions. */
export interface Counts extends t.TypeOf<typeof Counts> {}

/** Those of rows, and of the pages they came in. */
export type RowCounts = Pick<Counts, 'rows' | 'rejects' | 'pages' | 'repeated'>

/** What was done for them, and how long it took. */
export type Effort = Pick<Counts, 'requests' | 'refused' | 'ms' | 'starts'>

// constructors

/** Of a run that was never begun. */
export const NOTHING: Counts = {
  rows: 0,
  rejects: 0,
  repeated: 0,
  pages: 0,
  requests: 0,
  refused: 0,
  ms: 0,
  starts: 0,
  slices: [],
}

// combinators

/** Those of earlier starts, and of this one. */
export const plus = (
  before: RowCounts,
  { rows, rejects, pages, repeated = 0 }: Progress,
): RowCounts => ({
  rows: before.rows + rows,
  rejects: before.rejects + rejects,
  pages: before.pages + pages,
  repeated: before.repeated + repeated,
})

/** As they are told: rows that came again only where some did. */
export const shownOf = ({
  rows,
  rejects,
  pages,
  repeated,
}: RowCounts): RowCounts | Omit<RowCounts, 'repeated'> =>
  repeated === 0 ? { rows, rejects, pages } : { rows, rejects, pages, repeated }
