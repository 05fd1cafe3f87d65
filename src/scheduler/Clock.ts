import type { SchedulerLike, Subscription } from 'rxjs'
import type { Millis } from '../stream/Backoff.js'
import { LONGEST } from '../stream/later.js'

export type { Millis }

/** Resolution of a timer's clock, because `Date.now()` counts whole milliseconds. */
export const TICK: Millis = 1
/** Shortest interval that a clock can resolve if it counts milliseconds since 1970. */
const SHORTEST: Millis = 0.001

/** Milliseconds since the scheduler was created. They never decrease, even if the timer's clock is set back. */
export class Clock {
  readonly #timer: SchedulerLike
  #offset: Millis
  #last: Millis = 0

  constructor(timer: SchedulerLike) {
    this.#timer = timer
    const start = timer.now()
    this.#offset = Number.isFinite(start) ? -start : 0
  }

  now(): Millis {
    const now = this.#timer.now() + this.#offset
    if (now >= this.#last && now < Number.POSITIVE_INFINITY) this.#last = now
    else if (Number.isFinite(now)) this.#offset += this.#last - now // the clock was set back
    return this.#last
  }

  /** Runs `work` after `delay`, or after the longest delay that platform timers support (24 days) if that is shorter. */
  after(delay: Millis, work: () => void): Subscription {
    return this.#timer.schedule(work, delay > 0 ? Math.min(Math.max(delay, SHORTEST), LONGEST) : 0)
  }
}
