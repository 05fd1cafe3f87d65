/**
 * ```ts
 * const lentBy: (name: string, ask: () => Observable<Lent>) => Observable<Required<Lent>>
 * ```
 *
 * One answer of a store, as it is to be taken. A store is a program of its own: it may answer with anything.
 */
import { defer, map, type Observable, take, throwIfEmpty } from 'rxjs'
import type { Millis } from '../Clock.js'
import type { Lent } from '../Tier.js'

/**
 * The store is asked again so long after it has failed, or had nothing and did not say until when. What it lends is
 * valid for as long, unless it says otherwise.
 */
export const AGAIN: Millis = 1_000
/** The same when it said that it would have something by now. */
const SOON: Millis = 100

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && !Number.isNaN(value)

const span = (ms?: Millis): Millis => (isNumber(ms) ? Math.max(0, ms) : AGAIN)

/** One that said "never" would close a limit for good; asked at once again, one would be asked without end. */
const pause = (ms?: Millis): Millis => (ms === Number.POSITIVE_INFINITY ? AGAIN : span(ms) || SOON)

export const lentBy = (name: string, ask: () => Observable<Lent>): Observable<Required<Lent>> => {
  const wrong = (why: string): Error => new TypeError(`shared '${name}': take must answer ${why}`)

  return defer(ask).pipe(
    take(1),
    throwIfEmpty(() => wrong('before it completes')),
    map((lent: Lent) => {
      const { places, wait, valid } = lent ?? {}
      if (!isNumber(places)) throw wrong('with a number of places')
      return { places, wait: pause(wait), valid: span(valid) }
    }),
  )
}
