import type { Millis } from '../Backoff.js'

/** A stretch of time in ms since 1970: from `from` on, up to and without `to`. */
export interface Span {
  /** Its start, in ms since 1970, inclusive. */
  readonly from: Millis
  /** Its end, in ms since 1970, exclusive. */
  readonly to: Millis
}

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

/** What is left of a stretch when one of its ends was read. */
export const without = (span: Span, read: Span): Span =>
  read.from <= span.from
    ? { ...span, from: Math.max(span.from, read.to) }
    : { ...span, to: Math.min(span.to, read.from) }

/** What is in both stretches. */
export const both = (one: Span, other: Span): Span => ({
  from: Math.max(one.from, other.from),
  to: Math.min(one.to, other.to),
})
