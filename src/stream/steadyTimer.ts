import { asyncScheduler, type SchedulerAction, type SchedulerLike, type Subscription } from 'rxjs'
import type { Millis } from './Backoff.js'
import { LONGEST } from './later.js'

/** Timers of the platform are early by this at most: their clock and `performance` round differently. */
const EARLY: Millis = 2

/** Shorter waits are as long, in ms, as in Node itself: `mock.timers` of Node 22.15 would run an interval of 0 for ever. */
const SHORTEST: Millis = 1

/**
 * The timers of the platform, and a clock that does not jump when the system time is set: the default of every `timer`
 * option, and so the one place outside the command line that reads a clock.
 *
 * A timer that has fired proves that its time has passed, whatever the clock says: it stands still where a test replaces
 * the timers and leaves `performance` as it is, and is coarse in some browsers. A proven time is a lower bound, and never
 * added to the clock: a coarse one does not drift.
 */
class PlatformTimer implements SchedulerLike {
  /** Latest time that a timer has proven. */
  #proven: Millis = Number.NEGATIVE_INFINITY

  /** The default clock: `timer` of each option replaces it. */
  readonly now = (): Millis => Math.max(performance.now(), this.#proven)

  schedule<T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay: Millis = 0,
    state?: T,
  ): Subscription {
    if (!(delay <= LONGEST)) return asyncScheduler.schedule(work, delay, state) // fires at once
    const due = this.now() + delay
    const prove = (): void => {
      const now = performance.now()
      // While the clock stands still, waits of less than `EARLY` have to end as well.
      if (due > (now < this.#proven ? this.#proven : now + EARLY)) this.#proven = due
    }
    const proving = function (this: SchedulerAction<T>, state?: T): void {
      prove()
      work.call(this, state)
    }
    return asyncScheduler.schedule(proving, Math.max(SHORTEST, delay), state)
  }
}

/** One for all, as `performance` is: timers of a client prove the time of a sandbox, too. */
const platform = /* @__PURE__ */ new PlatformTimer()

/** The clock of RxJS is that of the system, unless a `TestScheduler` has put virtual time in its place. */
const VIRTUAL_BEYOND: Millis = 1_000

/**
 * Returns a timer for durations: RxJS's `asyncScheduler` with a monotonic clock; any other timer as it is, and virtual
 * time inside `TestScheduler.run`. Its clock may not be the time of day.
 */
export const steadyTimer = (timer: SchedulerLike = asyncScheduler): SchedulerLike =>
  timer === asyncScheduler && Math.abs(asyncScheduler.now() - Date.now()) < VIRTUAL_BEYOND
    ? platform
    : timer
