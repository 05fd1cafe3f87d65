import { asyncScheduler, type SchedulerAction, type SchedulerLike, type Subscription } from 'rxjs'
import type { Millis } from './Backoff.js'

/**
 * The timers of the platform, and a clock that does not jump when the system time is set: the default of every `timer`
 * option, and so the one place outside the command line that reads a clock.
 */
const monotonic: SchedulerLike = {
  now: () => performance.now(),
  schedule: <T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay?: number,
    state?: T,
  ): Subscription => asyncScheduler.schedule(work, delay, state),
}

/** The clock of RxJS is that of the system, unless a `TestScheduler` has put virtual time in its place. */
const VIRTUAL_BEYOND: Millis = 1_000

/**
 * Returns a timer for durations: RxJS's `asyncScheduler` with a monotonic clock; any other timer as it is, and virtual
 * time inside `TestScheduler.run`. Its clock may not be the time of day.
 */
export const steadyTimer = (timer: SchedulerLike = asyncScheduler): SchedulerLike =>
  timer === asyncScheduler && Math.abs(asyncScheduler.now() - Date.now()) < VIRTUAL_BEYOND
    ? monotonic
    : timer
