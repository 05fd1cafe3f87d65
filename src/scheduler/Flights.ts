/**
 * ```ts
 * const flights: (options: Options) => Flights
 * ```
 *
 * What has started: when it departed, when it was answered, when it left, and what its buckets are
 * told of that.
 */
import type { Bucket, Permit } from './Bucket.js'
import type { Clock, Millis } from './Clock.js'
import type { Flow } from './Flow.js'
import { type RoundTrip, roundTrip } from './RoundTrip.js'

export interface Flight {
  readonly flow: Flow
  /** One for each bucket of the flow. */
  readonly permits: ReadonlyArray<Permit | undefined>
  readonly started: Millis
  departed: Millis | undefined
  answered: boolean
  left: boolean
}

export interface Flights {
  readonly start: (flow: Flow, now: Millis) => Flight
  readonly accepted: (flight: Flight) => void
  /** True if it was one of a burst, after which the tier cools down. */
  readonly refused: (flight: Flight, retryAfter: Millis) => boolean
  readonly left: (flight: Flight) => void
  readonly inFlight: () => number
}

export interface Options {
  readonly clock: Clock
  /** Whether departures matter to any tier. */
  readonly stamps: boolean
  /** How many wait. */
  readonly waiting: () => number
  readonly sooner: (buckets: ReadonlyArray<Bucket>) => void
  readonly changed: (buckets: ReadonlyArray<Bucket>) => void
}

/** What leaves without an answer may arrive this long after its departure, or after the longest of late. */
const ON_ITS_WAY: Millis = 1_000

/**
 * Those who wait will be through in this many windows. Then a place that is lost costs a whole window
 * at the end, and the place of a refused request, which the server does not count, is used at once.
 * Otherwise it is used when its burst comes round again: a request alone is refused more often.
 */
const SOON = 10

export const flights = ({ clock, stamps, waiting, sooner, changed }: Options): Flights => {
  const all: RoundTrip = roundTrip()
  let departing: Array<Flight> = []
  let inFlight = 0

  /** The bytes leave after the turn of the event loop that asked for it. */
  const stamp = (): void => {
    const now = clock.now()
    const batch = departing
    departing = []
    for (const flight of batch) {
      if (flight.departed !== undefined) continue
      flight.departed = now
      flight.flow.buckets.forEach((bucket, i) => {
        bucket.departed(flight.permits[i], now)
      })
      sooner(flight.flow.buckets)
    }
  }

  /** Tells how much longer than the shortest round trip of its kind it took. */
  const answer = (flight: Flight, givenBack: boolean): Millis => {
    const now = clock.now()
    flight.answered = true
    const took = now - (flight.departed ?? flight.started)
    flight.departed ??= now
    const { buckets, roundTrip } = flight.flow
    const shortest = roundTrip.shortest() || all.shortest()
    buckets.forEach((bucket, i) => {
      if (givenBack) bucket.givenBack(flight.permits[i], now)
      else bucket.answered(flight.permits[i], now)
    })
    if (!givenBack) {
      roundTrip.add(took)
      all.add(took)
    }
    return took - shortest
  }

  /** Whether those who wait will soon be through, as far as the limits of this flow tell. */
  const endInSight = ({ buckets, strands }: Flow, now: Millis): boolean => {
    const limits = buckets.map((bucket) => bucket.ceiling.limit(now))
    const here = strands.reduce((sum, { length }) => sum + length, 0)
    return here < SOON * Math.min(...limits) && waiting() < SOON * Math.max(...limits)
  }

  const fullest = (flow: Flow, now: Millis): number => {
    let best = -1
    let most = 0
    flow.buckets.forEach((bucket, i) => {
      const part = bucket.used(now) / bucket.ceiling.limit(now)
      if (part >= most) {
        best = i
        most = part
      }
    })
    return best
  }

  return {
    inFlight: () => inFlight,
    start: (flow, now) => {
      inFlight++
      flow.held++
      const permits = flow.buckets.map((bucket) => bucket.enter())
      const flight: Flight = {
        flow,
        permits,
        started: now,
        departed: undefined,
        answered: false,
        left: false,
      }
      if (stamps) {
        if (departing.length === 0) clock.after(0, stamp)
        departing.push(flight)
      }
      return flight
    },
    accepted: (flight) => {
      if (flight.answered || flight.left) return
      const excess = answer(flight, false)
      const now = clock.now()
      for (const bucket of flight.flow.buckets) bucket.accepted(now, excess)
      sooner(flight.flow.buckets)
    },
    refused: (flight, retryAfter) => {
      if (flight.answered || flight.left) return false
      const now = clock.now()
      const blamed = fullest(flight.flow, now)
      const burst =
        flight.flow.buckets[blamed]?.refused(flight.permits[blamed], now, retryAfter) ?? false
      answer(flight, !burst && endInSight(flight.flow, now))
      sooner(flight.flow.buckets)
      return burst
    },
    left: (flight) => {
      if (flight.left) return
      flight.left = true
      inFlight--
      flight.flow.held--
      const now = clock.now()
      const { buckets, roundTrip } = flight.flow
      const arrival = flight.started + Math.max(ON_ITS_WAY, roundTrip.longest())
      const until = flight.answered ? now : Math.max(now, arrival)
      flight.departed ??= now
      buckets.forEach((bucket, i) => {
        bucket.left(flight.permits[i], now, until)
      })
      changed(buckets)
    },
  }
}
