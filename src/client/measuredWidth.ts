/** Requests under way that use a rate limit up, measured while a list is read. */
import { concatMap, defer, map, type Observable, scan, startWith } from 'rxjs'
import type { IO } from '../fp.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import type { ListLimits } from '../http/limits.js'
import type { Millis } from '../stream/index.js'

// model

/** Round trips of a list, in ms. */
interface MeasuredRoundTrips {
  /** Round trip of the first page, which travels alone. */
  readonly first: Millis
  /** Mean of the last pages. */
  readonly mean: Millis
}

/** Round trip of a page of 2,000 charges before one was measured. */
const USUAL: MeasuredRoundTrips = { first: 400, mean: 400 }

/** Weight of the last round trip in the mean. */
const WEIGHT = 1 / 8

/**
 * A mean of more than so many times the first round trip comes from a queue: at the service, on the line, or at a busy
 * processor. More requests would only lengthen it, and hold more pages.
 */
const QUEUEING = 4

/** So many times the requests that would do if all round trips were alike. */
const MARGIN = 1.25

/** Requests where nothing limits them: one is under way while the page of another is worked on. */
const UNLIMITED = 2

// constructors

/**
 * Emits how many concurrent requests use the limits up, by Little's law: their rate times the round trip. The first at
 * once, and then one for each answer of the list. `events` are those of the list alone: short look-ups on its route
 * would make its pages seem queued.
 */
export const measuredWidth = (
  events: Observable<ClientEvent>,
  limits: IO<ListLimits>,
): Observable<number> =>
  defer(() =>
    events.pipe(
      concatMap((event) => (event._tag === 'Answered' && event.status === 200 ? [event.took] : [])),
      scan<Millis, MeasuredRoundTrips, undefined>(
        (trips, took) =>
          trips === undefined
            ? { first: took, mean: took }
            : { ...trips, mean: trips.mean + (took - trips.mean) * WEIGHT },
        undefined,
      ),
      startWith(USUAL),
      map((trips) => requestsFor(limits(), trips)),
    ),
  )

const requestsFor = (
  { global, endpoint, concurrency }: ListLimits,
  { first, mean }: MeasuredRoundTrips,
): number => {
  const requests = widthFor(
    Math.min(global, endpoint),
    Math.min(mean, first * QUEUEING),
    concurrency,
  )
  return requests === Number.POSITIVE_INFINITY ? UNLIMITED : requests
}

/**
 * Returns the concurrent requests that use up a rate of `perSecond`, with one for the page that is worked on; no more than
 * `concurrency`.
 */
export const widthFor = (perSecond: number, roundTrip: Millis, concurrency: number): number => {
  const underWay = Math.ceil((perSecond * roundTrip * MARGIN) / 1_000)
  return Math.max(1, Math.floor(Math.min(underWay + 1, concurrency)))
}
