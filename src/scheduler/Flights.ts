/**
 * ```ts
 * const flights: (options: FlightsOptions) => Flights
 * ```
 *
 * What has started: when it departed, when it was answered, when it left, and what its buckets are
 * told of that.
 */
import type { Blame, Bucket } from './bucket/Bucket.js'
import type { Clock, Millis } from './Clock.js'
import { accepted, type Departure } from './Departure.js'
import { departures } from './Departures.js'
import type { Flow } from './Flow.js'
import { roundTrip } from './RoundTrip.js'
import { suspects } from './Suspects.js'

/** One attempt. */
export interface Flight {
  readonly flow: Flow
  readonly departure: Departure<Flow>
  /** Its place among those that left with it, from 0. */
  readonly place: number
  readonly started: Millis
  answered: boolean
}

export interface Flights {
  /** Takes a place in every bucket. */
  readonly start: (flow: Flow, now: Millis) => Departure<Flow>
  readonly accepted: (flight: Flight, now: Millis) => void
  /** `soon`: it can be sent again as soon as there is room. */
  readonly refused: (flight: Flight, now: Millis, retryAfter: Millis, soon: boolean) => Blame
  /** To be called once. `ended`: the source has ended, so that the server is at work for it no more. */
  readonly left: (flight: Flight, now: Millis, ended: boolean) => void
  readonly inFlight: () => number
}

export interface FlightsOptions {
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
 * Those who wait will be through in this many windows: the place of a refused request, which the server does
 * not count, is used at once. Otherwise it is used when its burst comes round again: a request alone is
 * refused more often, which costs more than the place.
 */
const SOON = 50

export const flights = ({ clock, stamps, waiting, sooner, changed }: FlightsOptions): Flights => {
  const all = roundTrip()
  const suspected = suspects()
  const departed = departures({ clock, stamps, sooner })
  let inFlight = 0

  /**
   * Whether a place that is wasted costs a whole window at the end: those who wait will soon be through, as far
   * as the limits of this flow tell, and none was wasted yet. Once one was, the last window has room:
   * until as many were as fit into one.
   */
  const costly = (flow: Flow, now: Millis): boolean => {
    const limits = flow.buckets.map((bucket) => bucket.ceiling.limit(now))
    const here = flow.strands.reduce((sum, { length }) => sum + length, 0)
    const least = Math.min(...limits)
    return (
      flow.wasted % least === 0 && here < SOON * least && waiting() < SOON * Math.max(...limits)
    )
  }

  return {
    inFlight: () => inFlight,
    start: (flow, now) => {
      inFlight++
      flow.inFlight++
      const departure = departed.leave(flow, now)
      for (const bucket of flow.buckets) bucket.enter(departure, now)
      return departure
    },
    accepted: (flight, now) => {
      if (flight.answered) return
      flight.answered = true
      const { flow, departure, place } = flight
      departed.answered(departure)
      const took = now - departure.at
      flow.roundTrip.add(took)
      all.add(took)
      const excess = took - (flow.roundTrip.shortest() || all.shortest())
      accepted(departure, place, took, excess)
      for (const slack of flow.slacks) slack.answered(took, excess, departure)
      let known = false
      for (const bucket of flow.buckets) known = bucket.accepted(departure, now) || known
      if (known) sooner(flow.buckets, now)
      departed.settle(departure, now)
    },
    refused: (flight, now, retryAfter, soon) => {
      if (flight.answered) return 'others'
      flight.answered = true
      const { flow, departure } = flight
      departed.answered(departure)
      const blamed = suspected.refused(flow, departure, now)
      const blame = blamed?.refused(departure, now, retryAfter, soon) ?? 'others'
      const back = blame === 'luck' || (blame !== 'burst' && costly(flow, now))
      if (!back) flow.wasted++
      for (const bucket of flow.buckets) {
        if (back) bucket.givenBack(departure, now)
        else bucket.kept(departure, now)
      }
      sooner(flow.buckets, now)
      departed.settle(departure, now)
      return blame
    },
    left: (flight, now, ended) => {
      const { flow, departure, started, answered } = flight
      inFlight--
      flow.inFlight--
      const arrived = answered ? now : started + Math.max(ON_ITS_WAY, flow.roundTrip.longest())
      const until = Math.max(now, arrived)
      for (const bucket of flow.buckets) {
        if (!answered) bucket.lost(until)
        bucket.left(now, ended ? now : until)
      }
      if (!answered) departed.lost(departure, until, now)
      changed(flow.buckets, now)
    },
  }
}
