/**
 * ```ts
 * type Guard = 'learned' | 'safe' | Millis
 * ```
 *
 * A server counts arrivals; we see departures and answers. The guard is how much longer than its
 * window a place stays taken, so that two requests a window apart here are a window apart there.
 *
 *     departure     |-- uplink --> arrival      answer
 *     'safe'                                      |-- window --> free
 *     milliseconds  |-- window + guard --> free
 *     'learned'     |-- window + slack --> free
 */
import { type Millis, TICK } from './Clock.js'

export type Guard = 'learned' | 'safe' | Millis

/**
 * What `learned` adds to the window after a departure. One for all tiers of the same window, so that
 * their places become free together.
 *
 * Those who depart together arrive in some order, and so do those who depart a window later. The first
 * takes the place of the first, the last that of the last, which differ less than any two: much less
 * than the whole spread of the round trips is enough, as long as bursts stay together.
 */
export interface Slack {
  readonly value: () => Millis
  /** Whether there were answers enough to tell. */
  readonly known: () => boolean
  /**
   * What is added for those that departed before. They may have had to open their connections, which
   * nobody after them does: that took no longer than the shortest round trip of theirs.
   */
  readonly opening: () => Millis
  /** Rises while little is known, whenever what departed before should be thought of anew. */
  readonly lesson: () => number
  /** A request was answered: how much longer than the shortest round trip of its kind that took. */
  readonly answered: (took: Millis, excess: Millis) => void
  /**
   * How much longer than the window the place of one stays taken that was answered after so much
   * more than usual, such as those of a burst that had to open its connections first: 0 for others.
   */
  readonly late: (excess: Millis) => Millis
  /** A request was refused that followed closely upon a place that had just become free. */
  readonly refused: (now: Millis) => void
}

// Found by bench/scheduler/simulate.ts, over all its networks.

/** Windows with a refusal, of all requests let in, at which the slack settles. */
const CHANCE = 0.0023
/** How much it grows when a window has a refusal: in spreads, and at least, for a busy machine. */
const GROWTH = 0.1
const GROWTH_LEAST: Millis = 4
/** What it shrinks to when nothing is refused, in spreads. */
const LEAST = 0.4
/** The clock ticks, timers are late, and a burst takes a while to leave. */
const OWN: Millis = 3 * TICK

/** Fewer answers tell nothing; the next ones are looked at one by one, then many at a time. */
const FEW = 5
const LESSONS = 32
const EVERY = 128
/** An answer is late when it is so many spreads behind the median. */
const LATE = 8
/** So many answers are remembered: a network that has changed is forgotten after these. */
const KEPT = 512

export const slack = (per: Millis, learned: () => void): Slack => {
  const most = per / 2
  const recent = new Float64Array(KEPT)
  let seen = 0
  let spread = 0 // of the faster half of the answers: the slower half tells of the server, not of the way
  let median = 0
  let shortest = per // of the first
  let lesson = 0
  let learnt = 0 // more, or less, than one spread
  let next = Number.NEGATIVE_INFINITY

  const step = (): Millis => Math.max(GROWTH * spread, GROWTH_LEAST)

  const measure = (): void => {
    const sorted = recent.slice(0, Math.min(seen, KEPT)).sort()
    const quantile = (part: number): Millis => sorted[Math.floor(part * sorted.length)] ?? 0
    median = quantile(0.5)
    spread = median - quantile(0.05)
  }

  return {
    value: () =>
      seen < FEW
        ? most
        : Math.min(most, Math.hypot(OWN, Math.max(LEAST * spread, spread + learnt))),
    known: () => seen >= FEW,
    opening: () => shortest,
    lesson: () => lesson,
    late: (excess) => (excess > median + LATE * spread ? OWN + excess : 0),
    answered: (took, excess) => {
      recent[seen % KEPT] = excess
      seen++
      learnt = Math.max((LEAST - 1) * spread, learnt - step() * CHANCE)
      if (lesson < LESSONS) {
        shortest = Math.min(shortest, took)
        if (seen < FEW) return
        measure()
        lesson++
        learned()
      } else if (seen % (seen < EVERY ? FEW : EVERY) === 0) {
        measure()
      }
    },
    refused: (now) => {
      if (now < next) return // what refuses one often refuses several
      next = now + per
      learnt = Math.min(most, learnt + step())
    },
  }
}
