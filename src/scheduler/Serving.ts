/**
 * ```ts
 * const serving: (options: ServingOptions) => Serving
 * ```
 *
 * Whose turn it is, and whether they can go. A strand that cannot waits at one bucket that is full. When several
 * buckets get room at the same moment, those who wait at any of them are put into one pool, where the best of
 * them goes first: buckets do not decide who.
 */
import type { Alarms } from './Alarms.js'
import type { Bucket, Store } from './bucket/Bucket.js'
import type { Claim } from './Claim.js'
import type { Millis } from './Clock.js'
import { type Park, park } from './park/Park.js'
import { quit, type Strand, type Ticket } from './Strand.js'
import { unhandled } from './unhandled.js'

export interface Serving {
  /** Those who may be able to go. */
  readonly pool: Park<Strand>
  /** From where it waits to there; out of all of them without `to`. */
  readonly move: (strand: Strand, to: Park<Strand> | undefined) => void
  /** Into the pool, as many as the bucket has room for. They cannot all go if others are full too. */
  readonly pull: (bucket: Bucket, now: Millis) => void
  /**
   * Lets its first one through, or has it wait where there is no room: `open` has. Whether another one may be next
   * now.
   */
  readonly serve: (strand: Strand | undefined, now: Millis, open?: Bucket) => boolean
  /** Those who wait at one bucket. Once it is full, time alone may open it, or only one who leaves. */
  readonly serveAt: (bucket: Bucket, now: Millis) => void
}

export interface ServingOptions {
  readonly weights: ReadonlyArray<number>
  readonly patience: Millis
  readonly claimed: Claim
  readonly wakes: Alarms
  readonly start: (ticket: Ticket, now: Millis) => void
}

/** The first that does not lend at once. All are asked together: what one lends is void before long. */
const lacking = (strand: Strand, now: Millis): Store | undefined => {
  const { stores } = strand.flow
  const closed = stores.find((store) => store.isClosed(now))
  return closed ?? stores.filter((store) => !store.borrow(strand, now))[0]
}

export const serving = ({ weights, patience, claimed, wakes, start }: ServingOptions): Serving => {
  const pool = park<Strand>(weights, patience)

  const move = (strand: Strand, to: Park<Strand> | undefined): void => {
    strand.parkedAt?.remove(strand)
    strand.parkedAt = to
    to?.add(strand)
    if (to === undefined) strand.flow.wasted = 0 // nobody waits in it any more
  }

  /** The first of its buckets that has no room for it. `open` has. Asks stores when all of its own have. */
  const stopping = (strand: Strand, now: Millis, open?: Bucket): Bucket | undefined => {
    const { own, stores } = strand.flow
    for (const bucket of own) {
      if (bucket !== open && bucket.wait(now) > 0) return bucket
      if (claimed.keeps(bucket, strand, now)) return bucket
    }
    return stores.length === 0 ? undefined : lacking(strand, now)
  }

  const pull = (bucket: Bucket, now: Millis): void => {
    const from = bucket.park
    for (let room = bucket.room(now); room > 0; room--) {
      const strand = from?.next(now)
      if (strand === undefined) return
      from?.went(strand.lane)
      move(strand, pool)
    }
  }

  const letThrough = (strand: Strand, ticket: Ticket, from: Park<Strand>, now: Millis): void => {
    quit(ticket)
    strand.since = now
    claimed.over(strand)
    from.went(strand.lane)
    if (strand.first === undefined) move(strand, undefined)
    else from.moved(strand)
    try {
      start(ticket, now)
    } catch (error) {
      unhandled(error)
    }
  }

  const serve = (strand: Strand | undefined, now: Millis, open?: Bucket): boolean => {
    if (strand === undefined) return false
    const { first: ticket, parkedAt: from } = strand
    if (ticket === undefined || from === undefined) return false
    const bucket = stopping(strand, now, open)
    if (strand.first !== ticket) return true // it has left, by what a store did when it was asked
    if (bucket === undefined) {
      letThrough(strand, ticket, from, now)
      return true
    }
    claimed.stopped(strand, bucket, now)
    if (bucket.park === from) return false
    bucket.park ??= park(weights, patience)
    move(strand, bucket.park)
    wakes.set(bucket, now)
    return true
  }

  const serveAt = (bucket: Bucket, now: Millis): void => {
    const here = bucket.park
    let wait = bucket.wait(now)
    while (wait <= 0 && serve(here?.next(now), now, bucket)) wait = bucket.wait(now)
    if (wait < Number.POSITIVE_INFINITY || bucket.slot >= 0 || claimed.holder() !== undefined) {
      wakes.set(bucket, now)
    }
  }

  return { pool, move, pull, serve, serveAt }
}
