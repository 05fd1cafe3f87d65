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

/** Ranked by when it next has room, among those that somebody waits for. */
export interface Bucket extends Ranked {
  readonly key: string
  readonly ceiling: Ceiling
  /** Who waits for it. */
  readonly park: Park
  readonly counts: { refused: number }
  /** Until there is room: 0 for now, `Infinity` for when somebody leaves. */
  readonly wait: (now: Millis) => Millis
  /** How many can start now. */
  readonly room: (now: Millis) => number
  readonly used: (now: Millis) => number
  readonly enter: (now: Millis) => void

  // What happens to one that has entered: in this order, each at most once.

  /** It is on its way. */
  readonly departed: (at: Millis) => void
  /** The server has decided, and may count it. `excess`: behind the shortest round trip. */
  readonly answered: (departed: Millis, now: Millis, excess: Millis) => void
  /** Instead: the server has refused it and does not count it, so somebody else can have its place. */
  readonly givenBack: (departed: Millis, now: Millis) => void
  /** Instead: there will be no answer. `until`: when at the latest the server has counted it. */
  readonly lost: (departed: Millis, until: Millis) => void
  /** It has ended. `until`: as long as the server may think of it as under way. */
  readonly left: (now: Millis, until: Millis) => void

  /** One was let in, after so long, and so much more than the shortest round trip. */
  readonly accepted: (now: Millis, took: Millis, excess: Millis) => void
  /** One was refused, presumably by this limit. True if that was one of a burst. */
  readonly refused: (departed: Millis, now: Millis, retryAfter: Millis) => boolean
}
