/**
 * ```ts
 * interface Core<R>
 * ```
 *
 * What `schedule` is made of: what each task asks of its scheduler.
 */
import type { Subscription } from 'rxjs'
import type { IO } from '../fp.js'
import type { Clock, Millis } from './Clock.js'
import type { Flights } from './Flights.js'
import type { Flow } from './Flow.js'
import type { RefusalOptions } from './Refusals.js'
import type { Strand, Ticket } from './Strand.js'

export interface Core<in R> {
  /** The names of its lanes. */
  readonly lanes: ReadonlyArray<string>
  readonly refusals: Required<RefusalOptions>
  readonly random: IO<number>
  readonly clock: Clock
  readonly flights: Flights
  /** Throws what a key function throws, and an `InvalidOption` when there is no such lane. */
  readonly strand: (request: R, lane: string | undefined) => Strand
  /** `again`: it had been let through before, and comes back. */
  readonly join: (ticket: Ticket, again: boolean) => void
  readonly quit: (ticket: Ticket) => void
  /** Waits, unless unsubscribed. */
  readonly backOff: (flow: Flow, wait: Millis, then: () => void) => Subscription
}
