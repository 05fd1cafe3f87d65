/**
 * ```ts
 * const clock: (timer: SchedulerLike) => Clock
 * ```
 *
 * Milliseconds that never run backwards, read from a timer whose clock may be set at any time.
 *
 *     clock of the timer   1 2 3 | 3,600,004 5 6 ...   set forward, while a timer is due at 9
 *     this clock           1 2 3 | 3 4 5 ...           the timer is not that late: taken back
 *     the timer itself     1 2 3 | 9 10 11 ...         is the first to look: it is 9 at least
 *     clock of the timer   7 8 9 | 2 3 4 ...           set back
 *     this clock           7 8 9 | 9 10 11 ...
 */
import type { SchedulerLike, Subscription } from 'rxjs'
import type { Millis } from '../stream/Backoff.js'
import { LONGEST } from '../stream/later.js'
import { heap, type Ranked } from './park/Heap.js'

export type { Millis }

/** How far apart two readings of one clock may be off: it ticks in whole milliseconds. */
export const TICK: Millis = 1

/** A clock of ms since 1970 tells no less apart: a timer that is set for less would find that no time has passed. */
const LEAST: Millis = 0.001

/** A timer this late was not late: somebody set the clock, or the machine slept. */
const JUMP: Millis = 500

export interface Clock {
  readonly now: () => Millis
  /** The same, for who only looks: the clock does not learn of it. */
  readonly peek: () => Millis
  /** Runs `work` after `delay`, or after 24 days if that is sooner. */
  readonly after: (delay: Millis, work: () => void) => Subscription
}

/** A timer that is due, at its rank. */
interface Due extends Ranked {
  /** How often the clock had been put right when the timer was set. */
  readonly since: number
}

export const clock = (timer: SchedulerLike): Clock => {
  const pending = heap<Due>()
  const start = timer.now()
  let offset = Number.isFinite(start) ? -start : 0 // small numbers are cheaper, too
  let last = 0
  let latest = Number.MAX_VALUE // that is believed: until when the first of the timers is no later than a timer may be
  let corrected = 0

  const believed = (seen: Millis): boolean => seen >= last && seen <= latest

  const changed = (): void => {
    const first = pending.first()
    latest = first === undefined ? Number.MAX_VALUE : first.rank + JUMP
  }

  const drop = (entry: Due): void => {
    if (entry.slot < 0) return
    pending.remove(entry)
    changed()
  }

  /** `proven`: it is that late at least, whatever the clock says. */
  const read = (proven: Millis): Millis => {
    const seen = timer.now() + offset
    if (believed(seen)) {
      last = seen
    } else if (!Number.isFinite(seen)) {
      last = Math.max(last, proven) // it does not know
    } else {
      if (seen > last) last = Math.max(last, proven)
      offset += last - seen
      corrected++
    }
    return last
  }

  const now = (): Millis => read(0)

  return {
    now,
    peek: () => {
      const seen = timer.now() + offset
      return believed(seen) ? seen : last
    },
    after: (delay, work) => {
      const wait = delay > 0 ? Math.min(Math.max(delay, LEAST), LONGEST) : 0
      const entry: Due = { rank: now() + wait, slot: -1, since: corrected }
      pending.add(entry)
      changed()
      const subscription = timer.schedule(() => {
        // Since it was put right the clock may be slow: a place that was taken then is not free yet.
        read(entry.since === corrected ? entry.rank : 0)
        drop(entry)
        work()
      }, wait)
      subscription.add(() => drop(entry))
      return subscription
    },
  }
}
