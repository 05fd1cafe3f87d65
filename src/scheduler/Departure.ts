/**
 * ```ts
 * interface Departure<Flow>
 * ```
 *
 * Those that left in one turn of the event loop, as a burst; where answers were read in between, within a
 * tick of the clock. What holds up one of them before it is on its way, such as a connection to be opened or
 * a busy process, holds them all up.
 */
import type { Millis } from './Clock.js'

/** What is usual at a moment, for the excesses of a burst. */
export interface Usual {
  readonly mean: Millis
  /** Of those of one burst. */
  readonly variance: number
}

/** What knows only of times need not know what the flows are. */
export interface Departure<Flow = unknown> {
  /** Its end: the bytes leave after it. Its beginning, until it is over. */
  at: Millis
  /** From its beginning to its end, once it is over. */
  leaving: Millis
  /** Whether nobody else leaves with it. */
  over: boolean
  /** When it left, nothing was known of the network. */
  readonly cold: boolean
  /** How many left together. */
  count: number
  /** How many of them may still be answered. */
  open: number
  /** By when the last of those that had no answer was counted, since it left: 0 when all had one. */
  lost: Millis
  /** Whose they are, until none is open. Some may stand here twice. */
  flows: Array<Flow>
  answers: number
  /** The sum of their round trips. */
  took: Millis
  /** The sum of the squares of those. */
  squares: number
  /** The sum of what their round trips were more than the shortest. */
  excess: Millis
  /** The greatest of those. */
  most: Millis
  /** What was usual before the first of them was answered. */
  usual: Usual | undefined
  /** When cold, the places of those answered in the order in which they left, from 0: their sum ... */
  places: number
  /** ... the sum of their squares ... */
  placesSquared: number
  /** ... and the sum of place times round trip. */
  placesTook: Millis
}

export const departure = <Flow>(at: Millis, cold: boolean): Departure<Flow> => ({
  at,
  leaving: 0,
  over: false,
  cold,
  count: 0,
  open: 0,
  lost: 0,
  flows: [],
  answers: 0,
  took: 0,
  squares: 0,
  excess: 0,
  most: 0,
  usual: undefined,
  places: 0,
  placesSquared: 0,
  placesTook: 0,
})

/** One of them was let in. `place`: which of them it was, in the order in which they left, from 0. */
export const accepted = (
  departure: Departure,
  place: number,
  took: Millis,
  excess: Millis,
): void => {
  departure.answers++
  departure.took += took
  departure.squares += took * took
  departure.excess += excess
  departure.most = Math.max(departure.most, excess)
  if (!departure.cold) return
  departure.places += place
  departure.placesSquared += place * place
  departure.placesTook += place * took
}
