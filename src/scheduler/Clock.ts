/**
 * ```ts
 * const clock: (timer: SchedulerLike) => Clock
 * ```
 *
 * Milliseconds that never run backwards, read from a timer whose clock may be set at any time.
 *
 *     clock of the timer   1 2 3 | 3,600,004 ...     set forward, while a timer is due at 5
 *     this clock           1 2 3 | 5 6 ...           the timer is not that late: taken back
 *     clock of the timer   7 8 9 | 2 3 ...           set back
 *     this clock           7 8 9 | 9 10 ...
 */
import type { SchedulerLike, Subscription } from 'rxjs'
import type { Millis } from '../stream/Backoff.js'
import { LONGEST } from '../stream/later.js'
import { heap, type Ranked } from './Heap.js'

export type { Millis }

/** How far apart two readings of one clock may be off: it ticks in whole milliseconds. */
export const TICK: Millis = 1

/** A timer this late was not late: somebody set the clock, or the machine slept. */
const JUMP: Millis = 500

export interface Clock {
  readonly now: () => Millis
  /** Runs `work` after `delay`, or after 24 days if that is sooner. */
  readonly after: (delay: Millis, work: () => void) => Subscription
}

export const clock = (timer: SchedulerLike): Clock => {
  const pending = heap<Ranked>() // when the timers are due
  let offset = -timer.now() // small numbers are cheaper, too
  let last = 0

  const now = (): Millis => {
    let read = timer.now() + offset
    const due = pending.first()?.rank ?? Number.POSITIVE_INFINITY
    if (read > due + JUMP) {
      offset -= read - Math.max(due, last)
      read = Math.max(due, last)
    }
    if (read < last) offset += last - read
    else last = read
    return last
  }

  return {
    now,
    after: (delay, work) => {
      const wait = Math.min(delay, LONGEST)
      const entry: Ranked = { rank: now() + wait, slot: -1 }
      pending.add(entry)
      const subscription = timer.schedule(() => {
        now() // whether it is late
        if (entry.slot >= 0) pending.remove(entry)
        work()
      }, wait)
      subscription.add(() => {
        if (entry.slot >= 0) pending.remove(entry)
      })
      return subscription
    },
  }
}
