/**
 * ```ts
 * const bursts: () => Bursts
 * ```
 *
 * By how much bursts arrived later than others as a whole, such as from a busy process: the mean of their
 * answers tells, as far as it is more than chance makes of it. What is usual is the best of late, since a
 * machine that is busy holds up one burst after the other, and the next one perhaps not.
 *
 *     excess of a burst   2  3  2  2 | 30  28  | 3
 *     late                0  0  0  0 | 26  24  | 0
 */
import type { Millis } from '../Clock.js'
import type { Departure, Usual } from '../Departure.js'
import { variance } from './variance.js'

export interface Bursts {
  /** None of it will be answered any more. */
  readonly settled: (departure: Departure) => void
  /** `deviation`: of all round trips, which counts as one more answer: at first, as all there is. */
  readonly look: (deviation: Millis) => Usual
}

/** So many standard errors are chance. */
const CHANCE = 3
/** So many are remembered; those that leave within so long are one. */
const KEPT = 8
const TOGETHER: Millis = 60
/** What one burst tells of the scatter of round trips is worth this part of the next one. */
const FADE = 0.9

interface Told {
  readonly at: Millis
  answers: number
  /** The sum, of them all. */
  excess: Millis
}

/** The sum of the squares of how much its round trips differ from their mean. */
const squaresOf = ({ answers, took, squares }: Departure): number =>
  variance(took, squares, answers) * answers

/** How late this one was, which has answers; below 0 if it was not. */
export const late = (departure: Departure, usual: Usual): Millis => {
  const { answers, excess } = departure
  const scatter = Math.sqrt((usual.variance + squaresOf(departure)) / answers)
  return excess / answers - usual.mean - (CHANCE * scatter) / Math.sqrt(answers)
}

export const bursts = (): Bursts => {
  const recent: Array<Told> = []
  const within = { squares: 0, freedom: 0 } // of round trips in one burst

  return {
    settled: (departure) => {
      const { at, cold, answers, excess } = departure
      if (answers === 0) return
      if (!cold) {
        // connections that are opened in turn are no scatter
        within.squares = FADE * within.squares + squaresOf(departure)
        within.freedom = FADE * within.freedom + answers - 1
      }
      const last = recent.at(-1)
      if (last !== undefined && Math.abs(at - last.at) < TOGETHER) {
        last.answers += answers
        last.excess += excess
      } else {
        if (recent.length === KEPT) recent.shift()
        recent.push({ at, answers, excess })
      }
    },
    look: (deviation) => {
      const scatter = (within.squares + deviation * deviation) / (within.freedom + 1)
      let mean = Number.POSITIVE_INFINITY
      for (const { answers, excess } of recent) {
        mean = Math.min(mean, excess / answers + Math.sqrt(scatter / answers))
      }
      return { mean, variance: scatter }
    },
  }
}
