/**
 * ```ts
 * const admission: (options: AdmissionOptions) => Admission
 * ```
 *
 * Lets strands through as soon as all their buckets have room: when to look, and at which buckets. Who of those
 * that wait there is served is in `Serving`.
 */
import { alarms, waits } from './Alarms.js'
import type { Bucket } from './bucket/Bucket.js'
import { claim } from './Claim.js'
import { type Clock, type Millis, TICK } from './Clock.js'
import { serving } from './Serving.js'
import { join, quit, type Ticket } from './Strand.js'

export interface Admission {
  /** `front`: it had been let through before, and comes back. */
  readonly join: (ticket: Ticket, front: boolean) => void
  readonly quit: (ticket: Ticket) => void
  /** An answer came: these buckets may have room sooner than thought. */
  readonly sooner: (buckets: ReadonlyArray<Bucket>, now: Millis) => void
  /** Somebody left: these buckets may have room. */
  readonly changed: (buckets: ReadonlyArray<Bucket>, now: Millis) => void
  /** All buckets may have room sooner than thought. */
  readonly refresh: () => void
}

export interface AdmissionOptions {
  readonly clock: Clock
  readonly weights: ReadonlyArray<number>
  /** A strand that was not served for so long goes before those that were. */
  readonly patience: Millis
  /** Takes a place in every bucket, and starts. What it throws is reported, and stops nobody who waits. */
  readonly start: (ticket: Ticket, now: Millis) => void
}

/** The slack shrinks while alarms are set: a bucket may have room this much before its alarm. */
const EARLY: Millis = 2 * TICK

export const admission = ({ clock, weights, patience, start }: AdmissionOptions): Admission => {
  const claimed = claim(patience, (buckets) => buckets.forEach(mark))
  const wakes = alarms(clock, claimed.wait, (now) => run(now))
  const { pool, move, pull, serve, serveAt } = serving({ weights, patience, claimed, wakes, start })
  const due: Array<Bucket> = [] // those that may have room
  let running = false

  const mark = (bucket: Bucket): void => {
    if (bucket.due || !waits(bucket)) return
    bucket.due = true
    due.push(bucket)
  }

  const unmark = (): Bucket | undefined => {
    const bucket = due.pop()
    if (bucket !== undefined) bucket.due = false
    return bucket
  }

  /** A bucket alone serves those who wait at it; several do so together. */
  const round = (now: Millis): void => {
    serve(claimed.holder(), now)
    const bucket = unmark()
    if (bucket !== undefined && due.length === 0 && pool.size() === 0) {
      serveAt(bucket, now)
      return
    }
    for (let other = bucket; other !== undefined; other = unmark()) {
      pull(other, now)
      wakes.set(other, now)
    }
    while (serve(pool.next(now), now));
  }

  /** Whether there is anybody to look at. `early`: at buckets that much before their time, too. */
  const collect = (now: Millis, early: Millis): boolean => {
    const until = now + early
    for (let first = wakes.take(until); first !== undefined; first = wakes.take(until)) mark(first)
    return due.length > 0 || pool.size() > 0
  }

  /** The one of these that somebody waits for, if it is one, and nobody is about to go elsewhere. */
  const onlyOne = (buckets: ReadonlyArray<Bucket>): Bucket | undefined => {
    if (running || pool.size() + due.length > 0 || claimed.holder() !== undefined) return undefined
    let one: Bucket | undefined
    for (const bucket of buckets) {
      if (!waits(bucket)) continue
      if (one !== undefined) return undefined
      one = bucket
    }
    return one
  }

  /** What `run` does, where only one bucket is to be looked at, as after most answers. Alarms ring by themselves. */
  const runAt = (bucket: Bucket, now: Millis): void => {
    running = true
    try {
      serveAt(bucket, now)
    } finally {
      running = false
    }
    if (pool.size() + due.length > 0) run(now)
    else wakes.arm()
  }

  /** Not re-entrant: what is asked for meanwhile is done by the loop that runs. */
  const run = (now: Millis): void => {
    if (running) return
    running = true
    try {
      claimed.expire(now)
      for (let early = EARLY; collect(now, early); early = 0) round(now)
    } finally {
      running = false
    }
    wakes.arm()
  }

  return {
    refresh: () => {
      wakes.reset(clock.now())
      if (!running) wakes.arm()
    },
    join: (ticket, front) => {
      const { strand } = ticket
      join(ticket, front)
      if (strand.parkedAt !== undefined) {
        strand.parkedAt.moved(strand)
      } else {
        strand.since = clock.now()
        move(strand, pool)
        run(strand.since)
      }
    },
    quit: (ticket) => {
      const { strand } = ticket
      quit(ticket)
      if (strand.first !== undefined) {
        strand.parkedAt?.moved(strand)
        return
      }
      move(strand, undefined)
      claimed.over(strand)
      for (const store of strand.flow.stores) if (!waits(store)) store.deserted()
      if (due.length > 0) run(clock.now())
      else if (!running) wakes.arm()
    },
    sooner: (buckets, now) => {
      for (const bucket of buckets) if (waits(bucket)) wakes.set(bucket, now)
      if (!running) wakes.arm()
    },
    changed: (buckets, now) => {
      const alone = onlyOne(buckets)
      if (alone !== undefined) {
        runAt(alone, now)
        return
      }
      for (const bucket of buckets) mark(bucket)
      run(now)
    },
  }
}
