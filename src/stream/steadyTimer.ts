import { asyncScheduler, type SchedulerAction, type SchedulerLike, type Subscription } from 'rxjs'
import type { Millis } from './Backoff.js'
import { LONGEST } from './later.js'

/** Time by which platform timers may be early, because their clock and `performance` round differently. */
const EARLY: Millis = 2

/** Shortest wait, in ms, as in Node itself. With 0, `mock.timers` of Node 22.15 would run an interval forever. */
const SHORTEST: Millis = 1

/**
 * The timers of the platform, with a clock that does not jump when the system time is set. This is the default of every `timer`
 * option, and therefore the only code outside the command line that reads a clock.
 *
 * A timer that has fired proves that its time has passed, whatever the clock says. The clock stands still if a test replaces
 * the timers but not `performance`, and it is coarse in some browsers. A proven time is only a lower bound. It is never added
 * to the clock, so a coarse clock does not drift.
 */
class PlatformTimer implements SchedulerLike {
  /** Latest time that a fired timer has proven. */
  #proven: Millis = Number.NEGATIVE_INFINITY

  /** The default clock. The option `timer` replaces it. */
  readonly now = (): Millis => Math.max(performance.now(), this.#proven)

  schedule<T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay: Millis = 0,
    state?: T,
  ): Subscription {
    if (!(delay <= LONGEST)) return asyncScheduler.schedule(work, delay, state) // fires immediately
    const due = this.now() + delay
    const prove = (): void => {
      const now = performance.now()
      // While the clock stands still, waits shorter than `EARLY` must end as well.
      if (due > (now < this.#proven ? this.#proven : now + EARLY)) this.#proven = due
    }
    const proving = function (this: SchedulerAction<T>, state?: T): void {
      prove()
      work.call(this, state)
    }
    return asyncScheduler.schedule(proving, Math.max(SHORTEST, delay), state)
  }
}

/** The only timer of the process, like `performance`. Timers of a client also prove the time of a sandbox. */
const platform = /* @__PURE__ */ new PlatformTimer()

/** Difference from the system's clock above which RxJS's clock counts as virtual, as in a `TestScheduler`. */
const VIRTUAL_BEYOND: Millis = 1_000

/**
 * Returns a timer for durations: RxJS's `asyncScheduler` with a monotonic clock, or any other timer unchanged. Inside
 * `TestScheduler.run`, it uses virtual time. Its clock may differ from the time of day.
 */
export const steadyTimer = (timer: SchedulerLike = asyncScheduler): SchedulerLike =>
  timer === asyncScheduler && Math.abs(asyncScheduler.now() - Date.now()) < VIRTUAL_BEYOND
    ? platform
    : timer
