/**
 * ```ts
 * const claim: (patience: Millis, ended: (buckets: ReadonlyArray<Bucket>) => void) => Claim
 * ```
 *
 * Where the keys of several tiers cross, one bucket of a strand may be full whenever another has room: those
 * who need fewer overtake it for ever. So a strand that was not served for `patience` has one place kept for it
 * in each of its buckets, until it goes. One strand at a time, so that no two wait for each other.
 *
 *     account   1 1 1 1 - - 1       1: who needs this account, -: kept
 *     endpoint  a a a a a - a       a: who needs this endpoint
 *                     |   both
 */
import type { Bucket } from './bucket/Bucket.js'
import type { Millis } from './Clock.js'
import type { Strand } from './Strand.js'

export interface Claim {
  /** Whom places are kept for. */
  readonly holder: () => Strand | undefined
  /** This strand, whose turn it is, cannot go: that bucket is full. */
  readonly stopped: (strand: Strand, at: Bucket, now: Millis) => void
  /** Whether the last place of this bucket is kept from this strand. */
  readonly keeps: (bucket: Bucket, strand: Strand, now: Millis) => boolean
  /** Until those who wait at this bucket may go, as far as it tells: 0 for now. */
  readonly wait: (bucket: Bucket, now: Millis) => Millis
  /** This strand was served, or nobody waits in it any more. */
  readonly over: (strand: Strand) => void
  /** Ends it when it has had its time, or a limit pauses. */
  readonly expire: (now: Millis) => void
}

/** A place is kept no longer than that: those in the bucket that is full may never leave. */
const KEPT: Millis = 10_000

/** Whether the last place is kept. What a shared store lends is not: it may lend one at a time to all. */
const isKept = ({ flow }: Strand, bucket: Bucket, now: Millis): boolean =>
  flow.buckets.includes(bucket) &&
  bucket.ceiling.limit(now) < Number.POSITIVE_INFINITY &&
  bucket.room(now) <= 1

/** Whether it cannot go, whatever is kept for it: a limit pauses after refusals, or a store lends nothing now. */
const pauses = ({ flow }: Strand, now: Millis): boolean =>
  flow.own.some(({ ceiling }) => ceiling.wait(now) > 0) ||
  flow.stores.some((store) => store.isBarren(now))

export const claim = (patience: Millis, ended: (buckets: ReadonlyArray<Bucket>) => void): Claim => {
  let holder: Strand | undefined
  let until: Millis = 0 // of the present holder

  const end = ({ flow }: Strand): void => {
    holder = undefined
    ended(flow.buckets)
  }

  return {
    holder: () => holder,
    stopped: (strand, at, now) => {
      if (strand === holder && pauses(strand, now)) end(strand)
      if (holder !== undefined || now - strand.since <= patience) return
      if (strand.flow.buckets.length === 1 || pauses(strand, now)) return
      if (at.entered <= Math.max(strand.since, strand.keptAt)) return // nobody has overtaken it there
      holder = strand
      strand.keptAt = now
      until = now + KEPT
    },
    keeps: (bucket, strand, now) =>
      holder !== undefined && holder !== strand && isKept(holder, bucket, now),
    wait: (bucket, now) => {
      const wait = bucket.wait(now)
      if (holder === undefined || holder.parkedAt === bucket.park) return wait
      if (!isKept(holder, bucket, now)) return wait
      return Math.max(wait, Math.min(bucket.more(now), until - now))
    },
    over: (strand) => {
      if (strand === holder) end(strand)
    },
    expire: (now) => {
      if (holder !== undefined && (now >= until || pauses(holder, now))) end(holder)
    },
  }
}
