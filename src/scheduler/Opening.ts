/**
 * ```ts
 * const opening: () => Opening
 * ```
 *
 * How much later than others the first burst arrived, which had to open its connections. Those who
 * follow it on them tell; before they do, it is guessed.
 */
import type { Millis } from './Clock.js'
import type { Departure } from './Departure.js'
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
/** The same as long as nobody knows what else scatters them. */
const LAST_GUESSED = 0.5
/** So many answers tell, and so many are listened to. */
const ENOUGH = 16
const MOST = 256

export const opening = (): Opening => {
  const open = { answers: 0, took: 0, squares: 0 } // those who found connections open

  return {
    answered: (took) => {
      if (open.answers === MOST) return false
      open.answers++
      open.took += took
      open.squares += took * took
      return open.answers === ENOUGH
    },
    late: ({ answers, took, squares, excess }) => {
      const mean = took / answers
      const scatter = variance(took, squares, answers)
      if (open.answers < ENOUGH) {
        return Math.max(TRIPS * mean, excess / answers + LAST_GUESSED * Math.sqrt(scatter))
      }
      const usual = variance(open.took, open.squares, open.answers)
      return mean - open.took / open.answers + LAST * Math.sqrt(Math.max(0, scatter - usual))
    },
  }
}
