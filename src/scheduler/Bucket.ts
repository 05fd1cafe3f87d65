/**
 * ```ts
 * interface Bucket extends Ranked
 * ```
 *
 * The places of one tier under one key. A source that starts takes a place; when the place is free
 * again is what the kinds of bucket differ in.
 */
import type { Ceiling } from './Ceiling.js'
import type { Millis } from './Clock.js'
import type { Ranked } from './Heap.js'
import type { Park } from './Park.js'

/** One place of a window, taken by one request. */
export interface Permit {
  /** When the place that it took had become free. */
  readonly freed: Millis
  /** `Infinity` until it is known. */
  departed: Millis
  /** When its place becomes free; `Infinity` until it is known. */
  until: Millis
  free: boolean
  /** Neighbours by `until`. */
  earlier: Permit | undefined
  later: Permit | undefined
}

/** Ranked by when it next has room, among those that somebody waits for. */
export interface Bucket extends Ranked {
  readonly key: string
  readonly ceiling: Ceiling
  /** Who waits for it. */
  readonly park: Park
  /** Until there is room: 0 for now, `Infinity` for when somebody leaves. */
  readonly wait: (now: Millis) => Millis
  /** How many can start now. */
  readonly room: (now: Millis) => number
  readonly used: (now: Millis) => number
  readonly enter: () => Permit | undefined
  readonly departed: (permit: Permit | undefined, now: Millis) => void
  /** The server has decided. */
  readonly answered: (permit: Permit | undefined, now: Millis) => void
  /** The server has refused it and does not count it: somebody else can have its place. */
  readonly givenBack: (permit: Permit | undefined, now: Millis) => void
  /** It was let in, after so much more than the shortest round trip. */
  readonly accepted: (now: Millis, excess: Millis) => void
  /** It was refused, presumably by this limit. True if that was one of a burst. */
  readonly refused: (permit: Permit | undefined, now: Millis, retryAfter: Millis) => boolean
  /** `until`: as long as the server may think of it as under way. */
  readonly left: (permit: Permit | undefined, now: Millis, until: Millis) => void
  readonly counts: { refused: number }
}
