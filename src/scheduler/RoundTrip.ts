/**
 * ```ts
 * const roundTrip: () => RoundTrip
 * ```
 *
 * How long answers take: the shortest and the longest of late, so that a change of network is
 * forgotten after a while.
 */
import type { Millis } from './Clock.js'

export interface RoundTrip {
  readonly add: (roundTrip: Millis) => void
  /** 0 before there are enough answers to tell. */
  readonly shortest: () => Millis
  /** 0 before the first answer. */
  readonly longest: () => Millis
}

/** Fewer than these do not tell what is shortest. */
const FEW = 20
/** Of so many answers at least, and of twice as many at most. */
const GENERATION = 256

export const roundTrip = (): RoundTrip => {
  let count = 0
  let enough = false
  let [least, leastBefore] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let [most, mostBefore] = [0, 0]

  return {
    add: (value) => {
      if (count === GENERATION) {
        leastBefore = least
        mostBefore = most
        least = Number.POSITIVE_INFINITY
        most = 0
        count = 0
      }
      count++
      if (count >= FEW) enough = true
      if (value < least) least = value
      if (value > most) most = value
    },
    shortest: () => (enough ? Math.min(least, leastBefore) : 0),
    longest: () => Math.max(most, mostBefore),
  }
}
