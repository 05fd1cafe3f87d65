/**
 * ```ts
 * const excesses: () => Excesses
 * ```
 *
 * By how much round trips were longer than the shortest, of late. Those that had to open a connection
 * count only until there are enough of the others.
 */
import type { Millis } from '../Clock.js'
import { ENOUGH } from './Opening.js'
import { variance } from './variance.js'

export interface Excesses {
  readonly add: (excess: Millis, cold: boolean) => void
  readonly look: () => Look
}

export interface Look {
  /** Of the fastest quarter of the answers: the others tell of the server, not of the way. */
  readonly spread: Millis
  readonly deviation: Millis
}

/** So many are remembered: a network that has changed is forgotten after these. */
export const KEPT = 256

export const excesses = (): Excesses => {
  const cold: Array<Millis> = []
  const recent = new Float64Array(KEPT)
  let seen = 0

  return {
    add: (excess, isCold) => {
      if (isCold) {
        if (seen < ENOUGH && cold.length < KEPT) cold.push(excess)
        return
      }
      recent[seen % KEPT] = excess
      seen++
      if (seen === ENOUGH) cold.length = 0
    },
    look: () => {
      const warm = recent.subarray(0, Math.min(seen, KEPT))
      const sorted = new Float64Array(cold.length + warm.length)
      sorted.set(cold)
      sorted.set(warm, cold.length)
      sorted.sort()
      const quantile = (part: number): Millis => sorted[Math.floor(part * sorted.length)] ?? 0
      let [sum, squares] = [0, 0]
      for (const excess of sorted) {
        sum += excess
        squares += excess * excess
      }
      return {
        spread: quantile(0.25) - quantile(0.05),
        deviation: Math.sqrt(variance(sum, squares, sorted.length)),
      }
    },
  }
}
