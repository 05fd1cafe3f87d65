/**
 * ```ts
 * interface Bucket extends Ranked
 * ```
 *
 * The places of one tier under one key. A source that starts takes a place; when the place is free
 * again is what the kinds of bucket differ in.
 */

import type { Millis } from '../Clock.js'
import type { Ceiling } from '../ceiling/Ceiling.js'
import type { Departure } from '../Departure.js'
import type { Ranked } from '../park/Heap.js'
import type { Park } from '../park/Park.js'
import type { Strand } from '../Strand.js'

/** Ranked by when it next has room, among those that somebody waits for. */
export interface Bucket extends Ranked {
  readonly ceiling: Ceiling
  /** Who waits for it; there is none before somebody does. */
  park: Park<Strand> | undefined
  /** Of its tier: all buckets of one have the same. */
  readonly counts: { refused: number }
  /** How many the server has let in. */
  readonly letIn: number
  /** When a place of it was last taken. */
  readonly entered: Millis
  /** Whether it is to be looked at: it may have room. */
  due: boolean
  /** Until there may be room: 0 for now, `Infinity` for when somebody leaves, or a store answers. */
  readonly wait: (now: Millis) => Millis
  /** Until there is more room than now, by time alone; `Infinity` when nobody knows. */
  readonly more: (now: Millis) => Millis
  /** How many can start now. */
  readonly room: (now: Millis) => number
  /** How many places are taken. Changes nothing: who watches has nobody go sooner. */
  readonly used: (now: Millis) => number
  /**
   * How likely it has refused one of this departure just now: how much of it was in use, 0 to 1, and more if it
   * was lowered since. To be asked once for each that is refused.
   */
  readonly suspicion: (departure: Departure, now: Millis) => number
  /** Whether nothing would be lost if it were forgotten. */
  readonly idle: (now: Millis) => boolean

  // What happens to one request: in this order, each at most once.

  readonly enter: (departure: Departure, now: Millis) => void
  /** The server has let it in. True if there may be room sooner than thought. */
  readonly accepted: (departure: Departure, now: Millis) => boolean
  /** Instead: it was refused, and keeps its place as if it had been let in. */
  readonly kept: (departure: Departure, now: Millis) => void
  /** Instead: it was refused, so the server does not count it, and somebody else can have its place. */
  readonly givenBack: (departure: Departure, now: Millis) => void
  /** Instead: there will be no answer. `until`: when at the latest the server has counted it. */
  readonly lost: (until: Millis) => void
  /** It has ended. `until`: as long as the server may think of it as under way. */
  readonly left: (now: Millis, until: Millis) => void

  /** One was refused, presumably by this limit. `soon`: it can be sent again at once, which would tell more. */
  readonly refused: (departure: Departure, now: Millis, retryAfter: Millis, soon: boolean) => Blame
}

/** A limit that somebody else keeps. */
export interface Store extends Bucket {
  /** Whether it is not to be asked now. */
  readonly isClosed: (now: Millis) => boolean
  /** Whether it lends nothing now, as far as it has told. */
  readonly isBarren: (now: Millis) => boolean
  /** This strand could go but for it: asks, if it has to. Whether there is room at once. */
  readonly borrow: (strand: Strand, now: Millis) => boolean
  /** To be called when nobody waits for it any more. */
  readonly deserted: () => void
}

export const isStore = (bucket: Bucket): bucket is Store => 'borrow' in bucket

/**
 * Why one was refused, as far as can be told.
 * - `chance`: all of the limit was in use, and it arrived a little too early;
 * - `luck`: the same, and its place is to be used at once;
 * - `others`: there was room, by all that we know: somebody else uses the quota, or it is less than it says;
 * - `burst`: so are many at once; the bucket cools down.
 */
export type Blame = 'chance' | 'luck' | 'others' | 'burst'
