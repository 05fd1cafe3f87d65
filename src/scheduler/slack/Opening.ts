/**
 * ```ts
 * const opening: () => Opening
 * ```
 *
 * How much later than others the first burst arrived, which had to open its connections. Those who
 * follow it on them tell; before they do, it is guessed.
 */
import type { Millis } from '../Clock.js'
import type { Departure } from '../Departure.js'
import { variance } from './variance.js'

export interface Opening {
  /** Somebody who found a connection open was answered. True when it is known from now on. */
  readonly answered: (took: Millis) => boolean
  /** By how much the last of this burst was late. It has answers. */
  readonly late: (first: Departure) => Millis
}

/** A trip for TCP, another one for TLS 1.3: so much of what it took passed before it was on its way. */
const TRIPS = 2 / 3
/** Opened one after the other: the last request leaves so many standard deviations after the mean. */
const LAST = Math.sqrt(3)
/** So many that found a connection open tell. */
export const ENOUGH = 16

/** How much later than those that were answered, on average, the last one left: they were opened in turn. */
const inTurn = ({ answers, took, count, places, placesSquared, placesTook }: Departure): Millis => {
  const middle = places / answers
  const spread = placesSquared - places * middle
  if (spread <= 0) return 0
  return Math.max(0, (placesTook - took * middle) / spread) * (count - 1 - middle)
}

export const opening = (): Opening => {
  const open = { answers: 0, took: 0, squares: 0 } // those who found connections open

  return {
    answered: (took) => {
      open.answers++
      open.took += took
      open.squares += took * took
      return open.answers === ENOUGH
    },
    late: (first) => {
      const { answers, took, squares, excess } = first
      const mean = took / answers
      const scatter = variance(took, squares, answers)
      if (open.answers < ENOUGH) {
        return Math.max(TRIPS * mean, excess / answers + inTurn(first))
      }
      const usual = variance(open.took, open.squares, open.answers)
      return mean - open.took / open.answers + LAST * Math.sqrt(Math.max(0, scatter - usual))
    },
  }
}
