/** The progress of reading a snapshot, as time spans. These are plain values that a checkpoint can store. */
import type { Millis } from '../Backoff.js'
import type { Page } from '../Paged.js'

/** A time range in ms since 1970: `from` inclusive, `to` exclusive. */
export interface Span {
  /** Start of the range, in ms since 1970, inclusive. */
  readonly from: Millis
  /** End of the range, in ms since 1970, exclusive. */
  readonly to: Millis
}

/** A part of a snapshot's time range that is read independently of the others (see `Snapshot.parallel`). */
export interface Slice extends Span {
  /** The number of the slice, starting at 1, in the order in which slices were cut. */
  readonly number: number
  /** Rows delivered so far. */
  readonly rows: number
  /** The part that is not delivered yet. */
  readonly left: Span
}

/** The progress of a snapshot: everything that is still to be read. */
export interface SnapshotPosition extends Span {
  /** The unfinished slices. */
  readonly slices: ReadonlyArray<Slice>
  /** Number of slices so far. */
  readonly cut: number
}

/** A page of a snapshot. Its rows are in no other page. */
export interface SnapshotPage<E, A> extends Page<E, A, SnapshotPosition> {
  /** The slice of the page, including this page; `left` is empty at its end. */
  readonly slice: Slice
}

/** Returns the position of a snapshot before its first page. */
export const initialPosition = ({ from, to }: Span): SnapshotPosition => {
  const all = { from, to }
  return { ...all, slices: [{ ...all, number: 1, rows: 0, left: all }], cut: 1 }
}

// spans of time

/** A second, in ms. Lists filter by whole seconds, including both bounds, so time is never split more finely. */
export const SECOND = 1_000

/** Returns the start of the second that contains `ms`. */
export const secondOf = (ms: number): number => Math.floor(ms / SECOND) * SECOND

/** Returns the first whole second at or after `ms`. */
export const secondAfter = (ms: number): number => Math.ceil(ms / SECOND) * SECOND

export const isEmpty = ({ from, to }: Span): boolean => from >= to

export const contains = ({ from, to }: Span, ms: number): boolean => from <= ms && ms < to

/** Returns the whole second closest to `near` at which a span of more than a second can be split. */
export const splitNear = ({ from, to }: Span, near: number): number | undefined => {
  const first = secondOf(from) + SECOND
  const last = secondAfter(to) - SECOND
  return first > last ? undefined : Math.min(last, Math.max(first, secondOf(near)))
}

/** Returns the rest of a span after a part at one of its ends has been read. */
export const without = (span: Span, read: Span): Span =>
  read.from <= span.from
    ? { ...span, from: Math.max(span.from, read.to) }
    : { ...span, to: Math.min(span.to, read.from) }

/** Returns the intersection of two spans. */
export const both = (one: Span, other: Span): Span => ({
  from: Math.max(one.from, other.from),
  to: Math.min(one.to, other.to),
})

// interop

/** Range of a `Date`, in ms before and after 1970. */
const FURTHEST = 8.64e15

const isTime = (u: unknown): boolean => typeof u === 'number' && Math.abs(u) <= FURTHEST

const isSpan = (u: unknown): u is Span =>
  typeof u === 'object' && u !== null && 'from' in u && 'to' in u && [u.from, u.to].every(isTime)

const isSlice = (u: unknown): u is Slice =>
  isSpan(u) &&
  'number' in u &&
  'rows' in u &&
  'left' in u &&
  [u.number, u.rows].every(Number.isFinite) &&
  isSpan(u.left) &&
  !isEmpty(u.left) // a finished slice is not part of a position

/** Returns true for a position of a snapshot, even one that was stored as JSON. */
export const isSnapshotPosition = (u: unknown): u is SnapshotPosition =>
  isSpan(u) &&
  'slices' in u &&
  'cut' in u &&
  Number.isFinite(u.cut) &&
  Array.isArray(u.slices) &&
  u.slices.length > 0 &&
  u.slices.every(isSlice)
