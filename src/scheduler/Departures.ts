/**
 * ```ts
 * const departures: (options: DeparturesOptions) => Departures
 * ```
 *
 * Who leaves with whom: those that start in one turn of the event loop do so together, and their bytes
 * leave at its end.
 */
import type { Bucket } from './bucket/Bucket.js'
import { type Clock, type Millis, TICK } from './Clock.js'
import { type Departure, departure } from './Departure.js'
import type { Flow } from './Flow.js'

export interface Departures {
  /** One starts. */
  readonly leave: (flow: Flow, now: Millis) => Departure<Flow>
  /** One of these was answered; to be followed by `settle`, once its answer is known to all. */
  readonly answered: (departure: Departure<Flow>) => void
  readonly settle: (departure: Departure<Flow>, now: Millis) => void
  /** One of these will not be answered. `until`: when at the latest the server has counted it. */
  readonly lost: (departure: Departure<Flow>, until: Millis, now: Millis) => void
}

export interface DeparturesOptions {
  readonly clock: Clock
  /** Whether departures matter to any tier. */
  readonly stamps: boolean
  /** These buckets may have room sooner than thought. */
  readonly sooner: (buckets: ReadonlyArray<Bucket>, now: Millis) => void
}

export const departures = ({ clock, stamps, sooner }: DeparturesOptions): Departures => {
  let turn: Departure<Flow> | undefined // of those that start now
  let heard = false // whether there was an answer, since the last of them started

  /** Once none of it is open: what is known of it will not change, and those who wait for it are told. */
  const settle = (departure: Departure<Flow>, now: Millis): void => {
    if (departure.open > 0 || !departure.over) return
    const { flows } = departure
    departure.flows = []
    for (const slack of new Set(flows.flatMap((flow) => flow.slacks))) slack.settled(departure)
    for (const flow of flows) sooner(flow.buckets, now)
  }

  /** Nobody else leaves with it: by now its bytes have left. */
  const close = (begun: Departure<Flow>, now: Millis): void => {
    begun.leaving = now - begun.at
    begun.at = now
    begun.over = true
    turn = undefined
    settle(begun, now)
  }

  /**
   * A turn in which many answers are read takes long, and each of them lets somebody go, whose bytes leave
   * before the next one is read. Those who start without that in between leave together, however long it takes.
   */
  const departing = ({ slacks }: Flow, now: Millis): Departure<Flow> => {
    const together = !heard
    heard = false
    if (turn !== undefined && (together || now - turn.at <= TICK)) return turn
    if (turn !== undefined) close(turn, now)
    const begun = departure<Flow>(now, !slacks.every((slack) => slack.known()))
    if (!stamps) return begun
    turn = begun
    clock.after(0, () => {
      if (!begun.over) close(begun, clock.now())
    })
    return begun
  }

  return {
    leave: (flow, now) => {
      const departure = departing(flow, now)
      departure.count++
      departure.open++
      if (departure.flows.at(-1) !== flow) departure.flows.push(flow)
      return departure
    },
    answered: (departure) => {
      heard ||= departure !== turn // what answers before its turn is over shows nothing
      departure.open--
    },
    settle,
    lost: (departure, until, now) => {
      departure.open--
      departure.lost = Math.max(departure.lost, until - departure.at)
      settle(departure, now)
    },
  }
}
