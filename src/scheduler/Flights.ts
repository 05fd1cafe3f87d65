/**
 * ```ts
 * const flights: (options: Options) => Flights
 * ```
 *
 * What has started: when it departed, when it was answered, when it left, and what its buckets are
 * told of that.
 */
import type { Blame, Bucket } from './Bucket.js'
import { type Clock, type Millis, TICK } from './Clock.js'
import { type Departure, departure } from './Departure.js'
import type { Flow } from './Flow.js'
import { roundTrip } from './RoundTrip.js'
import { suspects } from './Suspects.js'

/** One attempt. */
export interface Flight {
  readonly flow: Flow
  readonly departure: Departure
  /** Its place among those that left with it, from 0. */
  readonly place: number
  readonly started: Millis
  answered: boolean
}

export interface Flights {
  /** Takes a place in every bucket. */
  readonly start: (flow: Flow, now: Millis) => Departure
  readonly accepted: (flight: Flight, now: Millis) => void
  /** `soon`: it is sent again as soon as there is room. */
  readonly refused: (flight: Flight, now: Millis, retryAfter: Millis, soon: boolean) => Blame
  /** To be called once. `ended`: the source has ended, so that the server is at work for it no more. */
  readonly left: (flight: Flight, now: Millis, ended: boolean) => void
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
 * Those who wait will be through in this many windows: the place of a refused request, which the server does
 * not count, is used at once. Otherwise it is used when its burst comes round again: a request alone is
 * refused more often, which costs more than the place.
 */
const SOON = 50

export const flights = ({ clock, stamps, waiting, sooner, changed }: Options): Flights => {
  const all = roundTrip()
  const suspected = suspects()
  let turn: Departure | undefined // of those that start now
  let heard = false // whether an answer was, since the last of them started
  let inFlight = 0

  /** Once none of it is pending: what is known of it will not change, and those who wait for it are told. */
  const settle = (departure: Departure, now: Millis): void => {
    if (departure.pending > 0 || !departure.over) return
    const { flows } = departure
    departure.flows = []
    const slacks = new Set(flows.flatMap((flow) => flow.slacks))
    const known = [...slacks].map((slack) => slack.settled(departure))
    if (known.includes(true)) for (const flow of flows) sooner(flow.buckets, now)
  }

  /** Nobody else leaves with it: by now its bytes have left. */
  const close = (begun: Departure, now: Millis): void => {
    begun.at = now
    begun.over = true
    turn = undefined
    settle(begun, now)
  }

  /**
   * A turn in which many answers are read takes long, and each of them lets somebody go, whose bytes leave
   * before the next one is read. Those who start without that in between leave together, however long it takes.
   */
  const departing = ({ slacks }: Flow, now: Millis): Departure => {
    const together = !heard
    heard = false
    if (turn !== undefined && (together || now - turn.at <= TICK)) return turn
    if (turn !== undefined) close(turn, now)
    const begun = departure(now, !slacks.every((slack) => slack.known()))
    if (!stamps) return begun
    turn = begun
    clock.after(0, () => {
      if (!begun.over) close(begun, clock.now())
    })
    return begun
  }

  /**
   * Whether a place that is lost costs a whole window at the end: those who wait will soon be through, as far
   * as the limits of this flow tell, and none was lost yet. Once one was, the last window has room.
   */
  const costly = (flow: Flow, now: Millis): boolean => {
    const limits = flow.buckets.map((bucket) => bucket.ceiling.limit(now))
    const here = flow.strands.reduce((sum, { length }) => sum + length, 0)
    const least = Math.min(...limits)
    return flow.lost % least === 0 && here < SOON * least && waiting() < SOON * Math.max(...limits)
  }

  return {
    inFlight: () => inFlight,
    start: (flow, now) => {
      inFlight++
      flow.held++
      const departure = departing(flow, now)
      departure.count++
      departure.open++
      departure.pending++
      if (departure.flows.at(-1) !== flow) departure.flows.push(flow)
      for (const bucket of flow.buckets) bucket.enter(departure, now)
      return departure
    },
    accepted: (flight, now) => {
      if (flight.answered) return
      flight.answered = true
      const { flow, departure, place } = flight
      heard ||= departure !== turn // what answers before its turn is over shows nothing
      const took = now - departure.at
      flow.roundTrip.add(took)
      all.add(took)
      const excess = took - (flow.roundTrip.shortest() || all.shortest())
      departure.open--
      departure.pending--
      departure.answers++
      departure.took += took
      departure.squares += took * took
      departure.excess += excess
      departure.most = Math.max(departure.most, excess)
      if (departure.cold) {
        departure.places += place
        departure.placesSquared += place * place
        departure.placesTook += place * took
      }
      for (const slack of flow.slacks) slack.answered(took, excess, departure)
      let known = false
      for (const bucket of flow.buckets) known = bucket.accepted(departure, now) || known
      if (known) sooner(flow.buckets, now)
      settle(departure, now)
    },
    refused: (flight, now, retryAfter, soon) => {
      if (flight.answered) return 'others'
      flight.answered = true
      const { flow, departure } = flight
      heard ||= departure !== turn
      departure.open--
      departure.pending--
      const blamed = suspected.refused(flow, departure, now)
      const blame = blamed?.refused(departure, now, retryAfter, soon) ?? 'others'
      const back = blame === 'luck' || (blame !== 'burst' && costly(flow, now))
      if (!back) flow.lost++
      for (const bucket of flow.buckets) {
        if (back) bucket.givenBack(departure, now)
        else bucket.kept(now)
      }
      sooner(flow.buckets, now)
      settle(departure, now)
      return blame
    },
    left: (flight, now, ended) => {
      const { flow, departure, started, answered } = flight
      inFlight--
      flow.held--
      const arrived = answered ? now : started + Math.max(ON_ITS_WAY, flow.roundTrip.longest())
      const until = Math.max(now, arrived)
      for (const bucket of flow.buckets) {
        if (!answered) bucket.lost(until)
        bucket.left(now, ended ? now : until)
      }
      if (!answered) {
        departure.pending--
        settle(departure, now)
      }
      changed(flow.buckets, now)
    },
  }
}
