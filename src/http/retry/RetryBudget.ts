/**
 * ```ts
 * const budget: (options: BudgetOptions) => Budget
 * ```
 *
 * How often a client may try again after faults, all its calls together, so that an outage is not
 * answered with a multiple of the requests. A retry costs one; what there is grows with time and with
 * requests. When there is none left, a retry waits for its turn, or is not worth waiting for.
 *
 *     calls that fail     ||||||||||||
 *     burst of 4          ||||  |  |  |       the rest fails at once, unless it is patient
 */
import { type IO, O } from '../../fp.js'
import type { Millis } from '../../stream/index.js'

// model

export interface RetryBudget {
  /** A call is sent for the first time. */
  readonly earn: () => void
  /** How long a retry has to wait for its turn; none when that is too long. */
  readonly take: () => O.Option<Millis>
  /** A turn that was taken is not used. */
  readonly giveBack: () => void
}

export interface RetryBudgetOptions {
  /** Retries for each request; `Infinity` is no bound. */
  readonly share: number
  /** So many may be made at once, after a time without any. */
  readonly burst: number
  /** How long a turn is waited for. */
  readonly patience: Millis
  readonly now: IO<Millis>
}

/** Retries for each request (default, not specified by the interface document). */
export const SHARE = 0.2
/** What there is grows by this each ms, so that a few calls can always go on (default, not specified). */
const GROWTH = 2 / 1_000

// constructors

export const retryBudget = ({ share, burst, patience, now }: RetryBudgetOptions): RetryBudget => {
  const most = share === Number.POSITIVE_INFINITY ? share : burst
  let available = most // below 0: promised to those who wait
  let before = now()

  const add = (earned: number): void => {
    available = Math.min(most, available + earned)
  }

  return {
    earn: () => add(share),
    take: () => {
      const at = now()
      add(Math.max(0, at - before) * GROWTH)
      before = at
      const wait = Math.ceil(Math.max(0, (1 - available) / GROWTH))
      if (wait > patience) return O.none
      available--
      return O.some(wait)
    },
    giveBack: () => add(1),
  }
}
