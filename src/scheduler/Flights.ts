/**
 * ```ts
 * const flights: (options: Options) => Flights
 * ```
 *
 * What has started: when it departed, when it was answered, when it left, and what its buckets are
 * told of that.
 */
import type { Bucket } from './Bucket.js'
import type { Clock, Millis } from './Clock.js'
import type { Flow } from './Flow.js'
import { roundTrip } from './RoundTrip.js'

/** One attempt. */
export interface Flight {
  readonly flow: Flow
  readonly started: Millis
  /** `undefined` until the turn of the event loop that started it is over. */
  departed: Millis | undefined
  answered: boolean
}

export interface Flights {
  readonly start: (flow: Flow, now: Millis) => Flight
  readonly accepted: (flight: Flight, now: Millis) => void
  /** True if it was one of a burst, after which the tier cools down. */
  readonly refused: (flight: Flight, now: Millis, retryAfter: Millis) => boolean
  /** To be called once. */
  readonly left: (flight: Flight, now: Millis) => void
  readonly inFlight: () => number
}

export interface Options {
  readonly clock: Clock
  /** Whether departures matter to any tier. */
  readonly stamps: boolean
  /** How many wait. */
  readonly waiting: () => number
  readonly sooner: (buckets: ReadonlyArray<Bucket>, now: Millis) => void
  readonly changed: (buckets: ReadonlyArray<Bucket>, now: Millis) => void
}

/** What leaves without an answer has arrived so long after its start, or after the longest of late. */
const ON_ITS_WAY: Millis = 1_000

/**
 * Those who wait will be through in this many windows. Then a place that is lost costs a whole window
 * at the end, and the place of a refused request, which the server does not count, is used at once.
 * Otherwise it is used when its burst comes round again: a request alone is refused more often.
 */
const SOON = 10

export const flights = ({ clock, stamps, waiting, sooner, changed }: Options): Flights => {
  const all = roundTrip()
  let departing: Array<Flight> = []
  let inFlight = 0

  const depart = (flight: Flight, now: Millis): Millis => {
    flight.departed = now
    for (const bucket of flight.flow.buckets) bucket.departed(now)
    return now
  }

  /** The bytes leave after the turn of the event loop that asked for it. */
  const stamp = (): void => {
    const now = clock.now()
    const batch = departing
    departing = []
    for (const flight of batch) {
      if (flight.departed !== undefined) continue
      depart(flight, now)
      sooner(flight.flow.buckets, now)
    }
  }

  /** Whether those who wait will soon be through, as far as the limits of this flow tell. */
  const endInSight = ({ buckets, strands }: Flow, now: Millis): boolean => {
    const limits = buckets.map((bucket) => bucket.ceiling.limit(now))
    const here = strands.reduce((sum, { length }) => sum + length, 0)
    return here < SOON * Math.min(...limits) && waiting() < SOON * Math.max(...limits)
  }

  /** Which limit probably refused it. */
  const fullest = ({ buckets }: Flow, now: Millis): Bucket | undefined => {
    let best: Bucket | undefined
    let most = 0
    for (const bucket of buckets) {
      const part = bucket.used(now) / bucket.ceiling.limit(now)
      if (part < most) continue
      best = bucket
      most = part
    }
    return best
  }

  return {
    inFlight: () => inFlight,
    start: (flow, now) => {
      inFlight++
      flow.held++
      for (const bucket of flow.buckets) bucket.enter(now)
      const flight: Flight = { flow, started: now, departed: undefined, answered: false }
      if (stamps) {
        if (departing.length === 0) clock.after(0, stamp)
        departing.push(flight)
      }
      return flight
    },
    accepted: (flight, now) => {
      if (flight.answered) return
      flight.answered = true
      const { started, flow } = flight
      const took = now - (flight.departed ?? started)
      const departed = flight.departed ?? depart(flight, now)
      flow.roundTrip.add(took)
      all.add(took)
      const excess = took - (flow.roundTrip.shortest() || all.shortest())
      for (const bucket of flow.buckets) {
        bucket.answered(departed, now, excess)
        bucket.accepted(now, took, excess)
      }
      sooner(flow.buckets, now)
    },
    refused: (flight, now, retryAfter) => {
      if (flight.answered) return false
      flight.answered = true
      const { flow } = flight
      const departed = flight.departed ?? depart(flight, now)
      const burst = fullest(flow, now)?.refused(departed, now, retryAfter) ?? false
      const back = !burst && endInSight(flow, now)
      for (const bucket of flow.buckets) {
        if (back) bucket.givenBack(departed, now)
        else bucket.answered(departed, now, 0)
      }
      sooner(flow.buckets, now)
      return burst
    },
    left: (flight, now) => {
      const { flow, started, answered } = flight
      inFlight--
      flow.held--
      const arrived = started + Math.max(ON_ITS_WAY, flow.roundTrip.longest())
      const until = answered ? now : Math.max(now, arrived)
      const departed = flight.departed ?? depart(flight, now)
      for (const bucket of flow.buckets) {
        if (!answered) bucket.lost(departed, until)
        bucket.left(now, until)
      }
      changed(flow.buckets, now)
    },
  }
}
