/**
 * ```ts
 * const slack: (per: Millis, learned: () => void) => Slack
 * ```
 *
 * The guard that is `'learned'`: so many times what round trips scatter by, more after a refusal, and a little
 * less with each answer.
 */

import { type Millis, TICK } from '../Clock.js'
import type { Departure } from '../Departure.js'
import { bursts, late } from './Bursts.js'
import { excesses, KEPT, type Look } from './Excesses.js'
import { opening } from './Opening.js'

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
   * What is added for this burst: more than `value` if it was held up on its way as a whole, and less if a place
   * is `spare`, which the server does not count.
   */
  readonly after: (departure: Departure, spare: boolean) => Millis
  /** A request was answered, after `took`; `excess`: how much longer that was than the shortest of its kind. */
  readonly answered: (took: Millis, excess: Millis, departure: Departure) => void
  /** None of this burst will be answered any more: its places may be free sooner than was told. */
  readonly settled: (departure: Departure) => void
  /**
   * A request was refused that followed closely upon a place that had just become free. Unless `sure`, the limit may
   * be lower than it says.
   */
  readonly refused: (now: Millis, sure?: boolean) => void
  /** Those that were refused of late tell of a lower limit, and not of the network. */
  readonly forgive: () => void
}

// Found by bench/scheduler/simulate.ts, over all its networks.

/** Windows with a refusal, as a part of the requests that were let in: where the slack settles. */
const CHANCE = 0.0025
/** How much it grows when a window has a refusal: in spreads; and in ms, at least, for a busy machine. */
const GROWTH = 0.16
const GROWTH_LEAST = 4
/** When so many are refused in one window, it doubles. */
const MANY = 8
/** It is certain that this was right when nothing was refused for so many windows, and no burst followed. */
const FORGIVEN = 3
/** What it begins with, and what it shrinks to when nothing is refused, in spreads. */
const START = 1.5
const LEAST = 0.4
/**
 * Nearly all that are refused are the last ones of a burst. With a place to spare the last one need not come after
 * the last one of the burst before it, but after the last but one: sooner by so many spreads, or half of it all.
 */
const SOONER = 0.6
/** The clock ticks, timers are late, and a burst takes a while to leave. */
const OWN: Millis = 3 * TICK

/** What a burst takes to leave, the next one takes as well: half of it, for it may be faster, and at most this. */
const AS_LONG: Millis = 2 * TICK

/** Fewer answers tell nothing; the next ones are looked at one by one, then a few at a time, then all that are kept. */
const FEW = 5
const LESSONS = 32

export const slack = (per: Millis, learned: () => void): Slack => {
  const most = per / 2
  const recent = excesses()
  let seen = 0
  let looked: Departure | undefined // its answers come in their order: a part of many hundreds seems even
  let look: Look = { spread: 0, deviation: 0 }
  let learnt = 0 // more, or less, than at the start
  let learntAt = 0 // with this spread
  let value = most
  let told = value // to those who wait
  let next = Number.NEGATIVE_INFINITY
  let together = 0 // refused in the present window
  let doubled = 0 // what was learnt of windows that refused many, and may be forgiven
  const opened = opening()
  const burst = bursts()

  const sooner = (): Millis => Math.min(SOONER * look.spread, value / 2)

  const step = (): Millis => Math.max(GROWTH * look.spread, GROWTH_LEAST)

  const measure = (): void => {
    look = recent.look()
    const { spread } = look
    if (spread > learntAt) {
      learntAt = spread
    } else if (spread < learntAt / 2) {
      learnt *= spread / learntAt // of another network
      learntAt = spread
    }
  }

  const learn = (by: Millis): void => {
    const { spread } = look
    learnt = Math.max((LEAST - START) * spread, Math.min(most, learnt + by))
    const part = START * spread + learnt
    value = Math.min(most, Math.sqrt(OWN * OWN + part * part))
  }

  /** How much later than others a burst arrived. */
  const shift = (departure: Departure): Millis => {
    const { cold, answers, usual } = departure
    if (answers === 0) return cold ? proven(departure) : 0
    return cold ? opened.late(departure) : late(departure, usual ?? burst.look(look.deviation))
  }

  /** When none is open, none of them can have arrived later than the last answer allows. */
  const proven = ({ open, answers, lost, most }: Departure): Millis =>
    open > 0 || (answers === 0 && lost === 0)
      ? Number.POSITIVE_INFINITY
      : Math.max(OWN + most, lost)

  /** How long its places stay taken beyond their window. */
  const held = (departure: Departure, spare: boolean): Millis => {
    if (seen < FEW) return Math.min(most + per, proven(departure))
    const { cold, leaving } = departure
    const tracked = value - (spare ? sooner() : 0) + Math.max(0, Math.min(most, shift(departure)))
    if (cold) return Math.min(tracked, per)
    return Math.min(tracked - Math.min(leaving / 2, AS_LONG), proven(departure))
  }

  return {
    value: () => value,
    known: () => seen >= FEW,
    after: held,
    answered: (took, excess, departure) => {
      const { cold } = departure
      if (seen >= FEW) departure.usual ??= burst.look(look.deviation) // others may have left with it that know more
      recent.add(excess, cold)
      seen++
      if (!cold && opened.answered(took)) learned()
      if (seen < FEW) return
      const due = seen < KEPT ? seen % FEW === 0 : seen % KEPT === 0 && departure !== looked
      if (seen < FEW + LESSONS || due) measure()
      if (seen % KEPT === 0) looked = departure
      learn(-step() * CHANCE)
      told = Math.max(told, value)
      if (value > told - TICK) return
      told = value
      learned()
    },
    settled: burst.settled,
    refused: (now, sure = true) => {
      if (now >= next) {
        if (now >= next + FORGIVEN * per) doubled = 0
        next = now + per
        together = 0
        learn(step())
      }
      together++ // what refuses one often refuses several
      if (together !== MANY || !sure) return
      const before = learnt
      learn(value)
      doubled += learnt - before
    },
    forgive: () => {
      learn(-doubled)
      doubled = 0
    },
  }
}
