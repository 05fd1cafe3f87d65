/**
 * ```ts
 * const admission: (options: AdmissionOptions) => Admission
 * ```
 *
 * Lets strands through as soon as all their buckets have room. A strand that cannot go waits at one
 * bucket that is full. When several buckets get room at the same moment, those who wait at any of them
 * are put into one pool, where the best of them goes first: buckets do not decide who.
 */
import { alarms, waits } from './Alarms.js'
import type { Bucket, Store } from './Bucket.js'
import { claim } from './Claim.js'
import { type Clock, type Millis, TICK } from './Clock.js'
import { type Park, park } from './Park.js'
import { join, quit, type Strand, type Ticket } from './Strand.js'
import { unhandled } from './unhandled.js'

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

/** The first that does not lend at once. All are asked together: what one lends is void before long. */
const lacking = (strand: Strand, now: Millis): Store | undefined => {
  const { stores } = strand.flow
  const closed = stores.find((store) => store.isClosed(now))
  return closed ?? stores.filter((store) => !store.borrow(strand, now))[0]
}

/** The slack shrinks while alarms are set: a bucket may have room this much before its alarm. */
const EARLY: Millis = 2 * TICK

export const admission = ({ clock, weights, patience, start }: AdmissionOptions): Admission => {
  const claimed = claim(patience, (buckets) => buckets.forEach(mark))
  const wakes = alarms(clock, claimed.wait, (now) => run(now))
  const pool = park<Strand>(weights, patience)
  const due: Array<Bucket> = [] // those that may have room
  let running = false

  const mark = (bucket: Bucket): void => {
    if (bucket.due || !waits(bucket)) return
    bucket.due = true
    due.push(bucket)
  }

  const move = (strand: Strand, to: Park<Strand> | undefined): void => {
    strand.parkedAt?.remove(strand)
    strand.parkedAt = to
    to?.add(strand)
    if (to === undefined) strand.flow.lost = 0 // nobody waits in it any more
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

  /** Into the pool, as many as the bucket has room for. They cannot all go if others are full too. */
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

  /** Lets its first one through, or has it wait where there is no room. Whether another one may be next now. */
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

  /** Those who wait at one bucket. Once it is full, time alone may open it, or only one who leaves. */
  const serveAt = (bucket: Bucket, here: Park<Strand>, now: Millis): void => {
    let wait = bucket.wait(now)
    while (wait <= 0 && serve(here.next(now), now, bucket)) wait = bucket.wait(now)
    if (wait < Number.POSITIVE_INFINITY || bucket.slot >= 0 || claimed.holder() !== undefined) {
      wakes.set(bucket, now)
    }
  }

  /** A bucket alone serves those who wait at it; several do so together. */
  const round = (now: Millis): void => {
    serve(claimed.holder(), now)
    const bucket = due.pop()
    if (bucket !== undefined) bucket.due = false
    const here = bucket?.park
    if (bucket !== undefined && here !== undefined && due.length === 0 && pool.size() === 0) {
      serveAt(bucket, here, now)
      return
    }
    for (let other = bucket; other !== undefined; other = due.pop()) {
      other.due = false
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

  /** What `run` does, where only one bucket is to be looked at: after most answers. */
  const runAt = (bucket: Bucket, here: Park<Strand>, now: Millis): void => {
    running = true
    try {
      serveAt(bucket, here, now)
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
      if (alone?.park !== undefined) {
        runAt(alone, alone.park, now)
        return
      }
      for (const bucket of buckets) mark(bucket)
      run(now)
    },
  }
}
