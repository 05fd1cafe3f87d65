/**
 * ```ts
 * const admission: (options: Options) => Admission
 * ```
 *
 * Lets strands through as soon as all their buckets have room. A strand that cannot go waits at one
 * bucket that is full, so that what becomes free is offered to those who want it, and to no others.
 */
import type { Subscription } from 'rxjs'
import type { Bucket } from './Bucket.js'
import type { Clock, Millis } from './Clock.js'
import type { Flow } from './Flow.js'
import { heap } from './Heap.js'
import { join, quit, rank, type Strand, type Ticket } from './Strand.js'

export interface Admission {
  /** `front`: it had been let through before, and comes back. */
  readonly join: (ticket: Ticket, front: boolean) => void
  readonly quit: (ticket: Ticket) => void
  /** An answer came: these buckets may have room sooner than thought. */
  readonly sooner: (buckets: ReadonlyArray<Bucket>) => void
  /** Somebody left: these buckets may have room. */
  readonly changed: (buckets: ReadonlyArray<Bucket>) => void
}

export interface Options {
  readonly clock: Clock
  /** A strand that was not served for so long goes before those that were. */
  readonly patience: Millis
  /** Takes a place in every bucket, and starts. */
  readonly start: (ticket: Ticket, now: Millis) => void
}

const full = (flow: Flow, now: Millis): Bucket | undefined => {
  for (const bucket of flow.buckets) if (bucket.wait(now) > 0) return bucket
  return undefined
}

export const admission = ({ clock, patience, start }: Options): Admission => {
  const alarms = heap<Bucket>() // those that somebody waits for, and that time alone will open
  const fresh: Array<Strand> = [] // those that wait for nothing yet
  let read = 0
  let running = false
  let alarm: Subscription | undefined
  let armed = Number.POSITIVE_INFINITY

  const setAlarm = (bucket: Bucket, now: Millis): void => {
    const at = bucket.park.size() === 0 ? Number.POSITIVE_INFINITY : now + bucket.wait(now)
    if (bucket.slot >= 0) {
      if (bucket.rank === at) return
      alarms.remove(bucket)
    }
    bucket.rank = at
    if (at < Number.POSITIVE_INFINITY) alarms.add(bucket)
  }

  const unpark = (strand: Strand): void => {
    strand.parkedAt?.park.remove(strand)
    strand.parkedAt = undefined
  }

  const parkAt = (strand: Strand, bucket: Bucket): void => {
    unpark(strand)
    strand.parkedAt = bucket
    strand.rank = rank(strand, patience)
    bucket.park.add(strand)
  }

  const resized = (strand: Strand): void => {
    if (strand.parkedAt === undefined) return
    strand.rank = rank(strand, patience)
    strand.parkedAt.park.moved(strand)
  }

  const letThrough = (strand: Strand, ticket: Ticket, now: Millis): void => {
    quit(ticket)
    strand.since = now
    if (strand.first === undefined) unpark(strand)
    else resized(strand)
    start(ticket, now)
  }

  const drain = (bucket: Bucket): void => {
    for (;;) {
      const now = clock.now()
      const strand = bucket.park.first()
      if (strand?.first === undefined || bucket.wait(now) > 0) {
        setAlarm(bucket, now)
        return
      }
      const other = full(strand.flow, now)
      if (other !== undefined) {
        parkAt(strand, other)
        setAlarm(other, now)
      } else {
        bucket.park.went(strand)
        letThrough(strand, strand.first, now)
      }
    }
  }

  const serve = (strand: Strand): void => {
    while (strand.parkedAt === undefined && strand.first !== undefined) {
      const now = clock.now()
      const bucket = full(strand.flow, now)
      if (bucket === undefined) {
        letThrough(strand, strand.first, now)
      } else {
        parkAt(strand, bucket)
        setAlarm(bucket, now)
      }
    }
  }

  const arm = (): void => {
    const next = alarms.first()?.rank ?? Number.POSITIVE_INFINITY
    if (next >= armed && next < Number.POSITIVE_INFINITY) return
    alarm?.unsubscribe()
    alarm = undefined
    armed = next
    if (next < Number.POSITIVE_INFINITY) alarm = clock.after(next - clock.now(), ring)
  }

  /** Not re-entrant: what is asked for meanwhile is done by the loop that runs. */
  const run = (): void => {
    if (running) return
    running = true
    try {
      for (;;) {
        const due = alarms.first()
        if (due !== undefined && due.rank <= clock.now()) {
          alarms.remove(due)
          drain(due)
          continue
        }
        const strand = fresh[read]
        if (strand === undefined) break
        read++
        serve(strand)
      }
    } finally {
      running = false
      fresh.splice(0, read)
      read = 0
    }
    arm()
  }

  const ring = (): void => {
    alarm = undefined
    armed = Number.POSITIVE_INFINITY
    run()
  }

  const reset = (buckets: ReadonlyArray<Bucket>): void => {
    const now = clock.now()
    for (const bucket of buckets) if (bucket.park.size() > 0) setAlarm(bucket, now)
  }

  return {
    join: (ticket, front) => {
      const { strand } = ticket
      if (strand.first === undefined) strand.since = clock.now()
      join(ticket, front)
      if (strand.parkedAt !== undefined) return resized(strand)
      if (strand.length === 1) fresh.push(strand)
      run()
    },
    quit: (ticket) => {
      const { strand } = ticket
      quit(ticket)
      const bucket = strand.parkedAt
      if (bucket === undefined) return
      if (strand.first !== undefined) return resized(strand)
      unpark(strand)
      if (bucket.park.size() === 0) setAlarm(bucket, clock.now())
      if (!running) arm()
    },
    sooner: (buckets) => {
      reset(buckets)
      if (!running) arm()
    },
    changed: (buckets) => {
      reset(buckets)
      run()
    },
  }
}
