/**
 * ```ts
 * interface Departure
 * ```
 *
 * Those that left in one turn of the event loop, as a burst. What holds up one of them before it is on
 * its way, such as a connection to be opened or a busy process, holds them all up.
 */
import type { Millis } from './Clock.js'

export interface Departure {
  /** The end of that turn: the bytes leave after it. Its beginning, until it is over. */
  at: Millis
  /** When it left, nothing was known of the network. */
  readonly cold: boolean
  /** How many of them are not answered yet. */
  open: number
  answers: number
  /** The sum of their round trips. */
  took: Millis
  /** The sum of the squares of those. */
  squares: number
  /** The sum of what their round trips were more than the shortest. */
  excess: Millis
  /** The greatest of those. */
  most: Millis
}

export const departure = (at: Millis, cold: boolean): Departure => ({
  at,
  cold,
  open: 0,
  answers: 0,
  took: 0,
  squares: 0,
  excess: 0,
  most: 0,
})
