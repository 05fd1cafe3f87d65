/** How far a snapshot has been read, by spans of time. Plain values, fit for a checkpoint. */
import type { Millis } from '../Backoff.js'
import type { Page } from '../Paged.js'

/** A stretch of time in ms since 1970: from `from` on, up to and without `to`. */
export interface Span {
  /** Its start, in ms since 1970, inclusive. */
  readonly from: Millis
  /** Its end, in ms since 1970, exclusive. */
  readonly to: Millis
}

/** A stretch of the time of a snapshot, read by itself, beside others. */
export interface Slice extends Span {
  /** From 1 on, in the order in which they were cut. */
  readonly number: number
  /** Rows delivered of it. */
  readonly rows: number
  /** The part of it that is not delivered. */
  readonly left: Span
}

/** Where a snapshot stands: all that has to be read of it yet. */
export interface SnapshotPosition extends Span {
  /** The slices that are not at their end. */
  readonly slices: ReadonlyArray<Slice>
  /** How many were cut so far. */
  readonly cut: number
}

/** A page of a snapshot: rows that no other page of it has. */
export interface SnapshotPage<E, A> extends Page<E, A, SnapshotPosition> {
  /** The slice that it is of, as it stands with this page; at its end, nothing of it is left. */
  readonly slice: Slice
}

/** A snapshot that is not begun. */
export const wholeOf = ({ from, to }: Span): SnapshotPosition => {
  const all = { from, to }
  return { ...all, slices: [{ ...all, number: 1, rows: 0, left: all }], cut: 1 }
}

// spans of time

/** In ms. Lists are filtered in such steps, both ends inclusive: no time is split finer than that. */
export const SECOND = 1_000

/** The start of the second that `ms` is in. */
export const secondOf = (ms: number): number => Math.floor(ms / SECOND) * SECOND

/** The first whole second that is not before `ms`. */
export const secondAfter = (ms: number): number => Math.ceil(ms / SECOND) * SECOND

export const isEmpty = ({ from, to }: Span): boolean => from >= to

export const contains = ({ from, to }: Span, ms: number): boolean => from <= ms && ms < to

/** The whole second next to `near` that a stretch can be split at, if it is longer than one. */
export const splitNear = ({ from, to }: Span, near: number): number | undefined => {
  const first = secondOf(from) + SECOND
  const last = secondAfter(to) - SECOND
  return first > last ? undefined : Math.min(last, Math.max(first, secondOf(near)))
}

/** Returns the rest of a span of which one end was read. */
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

/** In ms since 1970, before and after: what a `Date` can hold. */
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
  !isEmpty(u.left) // a slice at its end is in no position

/** Checks that a value is a position of a snapshot, also after it was kept as JSON. */
export const isSnapshotPosition = (u: unknown): u is SnapshotPosition =>
  isSpan(u) &&
  'slices' in u &&
  'cut' in u &&
  Number.isFinite(u.cut) &&
  Array.isArray(u.slices) &&
  u.slices.length > 0 &&
  u.slices.every(isSlice)
