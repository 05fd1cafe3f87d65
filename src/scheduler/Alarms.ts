/**
 * ```ts
 * const alarms: (clock: Clock, wait: Wait, ring: (now: Millis) => void) => Alarms
 * ```
 *
 * When to look again: one timer, for the first of those buckets that somebody waits for, and that time
 * alone will open. None is set when there is no such bucket.
 */
import type { Subscription } from 'rxjs'
import type { Bucket } from './bucket/Bucket.js'
import type { Clock, Millis } from './Clock.js'
import { heap } from './park/Heap.js'

export interface Alarms {
  /** By when this bucket has room, if somebody waits for it. */
  readonly set: (bucket: Bucket, now: Millis) => void
  /** The same for all that have been set. */
  readonly reset: (now: Millis) => void
  /** Takes out the first of those that have room by then. */
  readonly take: (until: Millis) => Bucket | undefined
  /** Sets the timer. To be called when all of them are set. */
  readonly arm: () => void
}

/** Whether somebody waits for it. */
export const waits = ({ park }: Bucket): boolean => park !== undefined && park.size() > 0

/** Until those who wait at a bucket may go. */
type Wait = (bucket: Bucket, now: Millis) => Millis

export const alarms = (clock: Clock, wait: Wait, ring: (now: Millis) => void): Alarms => {
  const buckets = heap<Bucket>()
  let timer: Subscription | undefined
  let armed = Number.POSITIVE_INFINITY

  const set = (bucket: Bucket, now: Millis): void => {
    const at = waits(bucket) ? now + wait(bucket, now) : Number.POSITIVE_INFINITY
    if (bucket.slot >= 0) {
      if (bucket.rank === at) return
      buckets.remove(bucket)
    }
    bucket.rank = at
    if (at < Number.POSITIVE_INFINITY) buckets.add(bucket)
  }

  const soonest = (): Millis => {
    for (let first = buckets.first(); first !== undefined; first = buckets.first()) {
      if (waits(first)) return first.rank
      buckets.remove(first) // all have quit
    }
    return Number.POSITIVE_INFINITY
  }

  const rung = (): void => {
    timer = undefined
    armed = Number.POSITIVE_INFINITY
    ring(clock.now())
  }

  return {
    set,
    reset: (now) => {
      for (const bucket of buckets.all()) if (waits(bucket)) set(bucket, now)
    },
    take: (until) => {
      const first = buckets.first()
      if (first === undefined || first.rank > until) return undefined
      buckets.remove(first)
      return first
    },
    arm: () => {
      const next = soonest()
      if (next === armed || (next > armed && next < Number.POSITIVE_INFINITY)) return
      timer?.unsubscribe()
      timer = undefined
      armed = next
      if (next === Number.POSITIVE_INFINITY) return
      timer = clock.after(Math.max(0, next - clock.now()), rung)
    },
  }
}
