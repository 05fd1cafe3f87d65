import { type IO, O } from '../../fp.js'
import type { Millis } from '../../stream/index.js'

export interface RetryBudgetOptions {
  /** Permits added by each call; `Infinity` for no limit. */
  readonly share: number
  /** Maximum number of permits kept. */
  readonly burst: number
  /** Maximum wait for a permit. */
  readonly maxWait: Millis
  readonly now: IO<Millis>
}

/** Permits per call (our assumption: not in the API description). */
export const RETRY_SHARE = 0.2

/** Permits added per ms, so that a few calls can always retry (our assumption: not in the API description). */
const REFILL = 2 / 1_000

/**
 * Token bucket for the retries after faults of all calls of a client, so that an outage does not multiply requests. Each retry
 * takes a permit; calls and time add permits. If there is no permit, the retry waits or the call fails.
 *
 *     calls that fail     ||||||||||||
 *     retries, burst 4    ||||  |  |  |       others would wait longer than maxWait: they fail at once
 */
export class RetryBudget {
  readonly #options: RetryBudgetOptions
  readonly #capacity: number
  /** Number of available permits; negative if permits have been promised to waiting retries. */
  #available: number
  #refilledAt: Millis

  constructor(options: RetryBudgetOptions) {
    const { share, burst, now } = options
    this.#options = options
    this.#capacity = share === Number.POSITIVE_INFINITY ? share : burst
    this.#available = this.#capacity
    this.#refilledAt = now()
  }

  /** Records a call. */
  earn(): void {
    this.#add(this.#options.share)
  }

  /** Takes a permit. Returns how long to wait for it, or none if that is too long. */
  take(): O.Option<Millis> {
    const now = this.#options.now()
    this.#add(Math.max(0, now - this.#refilledAt) * REFILL)
    this.#refilledAt = now
    const wait = Math.ceil(Math.max(0, (1 - this.#available) / REFILL))
    if (wait > this.#options.maxWait) return O.none
    this.#available--
    return O.some(wait)
  }

  /** Returns an unused permit. */
  refund(): void {
    this.#add(1)
  }

  #add(permits: number): void {
    this.#available = Math.min(this.#capacity, this.#available + permits)
  }
}
