/**
 * ```ts
 * type Guard = 'learned' | 'safe' | Millis
 * ```
 *
 * A server counts arrivals; we see departures and answers. The guard is how much longer than its
 * window a place stays taken, so that two requests a window apart here are a window apart there.
 *
 *     departure   |-- uplink --> arrival    answer
 *     'safe'                                |-- window --> free
 *     milliseconds|-- window + guard --> free
 *     'learned'   the earlier of: departure + window + slack, answer + window - shortest round trip
 */
import { type Millis, TICK } from './Clock.js'

export type Guard = 'learned' | 'safe' | Millis

/** What `learned` adds to the window after a departure. One for every tier. */
export interface Slack {
  readonly value: () => Millis
  /** A request was answered after a round trip of so long, and not refused. */
  readonly answered: (roundTrip: Millis) => void
  /** A request was refused that followed closely upon a place that had just become free. */
  readonly refused: (now: Millis) => void
}

/** Chance of a refusal at which the slack settles. */
const P = 0.003
/** Shrinks by so much for every request that is let in. */
const STEP: Millis = 0.05

export const slack = (per: Millis): Slack => {
  const most = per / 2
  let value = Number.NaN // until the first answer
  let shortest = Number.POSITIVE_INFINITY
  let longest = 0
  let seen = 0
  let next = Number.NEGATIVE_INFINITY

  return {
    value: () => (Number.isNaN(value) ? most : value),
    answered: (roundTrip) => {
      shortest = Math.min(shortest, roundTrip)
      longest = Math.max(longest, roundTrip)
      seen++
      if (seen <= 20) value = Math.min(most, Math.max(TICK, (longest - shortest) / 2))
      else value = Math.max(TICK, value - STEP)
    },
    refused: (now) => {
      if (now < next) return // one event may refuse several
      next = now + per
      value = Math.min(most, (Number.isNaN(value) ? TICK : value) + STEP / P)
    },
  }
}
