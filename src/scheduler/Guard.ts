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
import { is, type Rule } from '../options/index.js'
import type { Millis } from './Clock.js'

/**
 * How long a place stays taken beyond its window: as answers teach (`'learned'`), until a window after the
 * answer (`'safe'`), or for so many milliseconds.
 */
export type Guard = 'learned' | 'safe' | Millis

/** What a guard may be. */
export const guardRule: Rule = {
  accepts: (u) => u === 'learned' || u === 'safe' || is.finiteMillis.accepts(u),
  expected: "'learned', 'safe' or milliseconds",
}
