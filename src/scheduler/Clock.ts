/**
 * ```ts
 * const clock: (timer: SchedulerLike) => Clock
 * ```
 *
 * Milliseconds that never run backwards, read from a timer whose clock may be set at any time.
 */
import type { SchedulerLike, Subscription } from 'rxjs'

/** A span, or a moment since an arbitrary origin, in milliseconds. */
export type Millis = number

/** How far apart two readings of one clock may be off: it ticks in whole milliseconds. */
export const TICK: Millis = 1

/** A timer this late was not late: somebody set the clock, or the machine slept. */
const JUMP: Millis = 2_000

export interface Clock {
  readonly now: () => Millis
  /** Runs `work` after `delay`. Time that seems to pass beyond that is taken back. */
  readonly after: (delay: Millis, work: () => void) => Subscription
}

export const clock = (timer: SchedulerLike): Clock => {
  let offset = 0
  let last = Number.NEGATIVE_INFINITY

  const now = (): Millis => {
    const read = timer.now() + offset
    if (read >= last) {
      last = read
    } else if (read < last) {
      offset += last - read
    }
    return last
  }

  const after = (delay: Millis, work: () => void): Subscription => {
    const due = now() + delay
    return timer.schedule(() => {
      const late = timer.now() + offset - due
      if (late > JUMP) offset -= late
      work()
    }, delay)
  }

  return { now, after }
}
