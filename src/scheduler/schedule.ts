/**
 * ```ts
 * const schedule: <R, A>(scheduler: Scheduler<R>, request: R, options?: Options<A>) => MonoTypeOperatorFunction<A>
 * ```
 *
 * Starts the source when every tier of the scheduler has room for `request`. Its places are taken
 * until it completes, fails or is unsubscribed, and in a rolling window for as long as the server
 * counts it. Whoever unsubscribes while it waits has never been there.
 *
 *     source                  --a|
 *     schedule, room in 3     -----a|
 *     refused, room in 10     --r       then again, after backoff, through all tiers
 */
import { type MonoTypeOperatorFunction, Observable, Subscriber, type Subscription } from 'rxjs'
import { O } from '../fp.js'
import type { Millis } from './Clock.js'
import type { Flight } from './Flights.js'
import { cap, delay } from './Refusals.js'
import type { Scheduler } from './Scheduler.js'

export interface ScheduleOptions<in A> {
  /** One of the lanes of the scheduler. */
  readonly lane?: string
  /**
   * Recognises a value by which the server refuses for its limits, such as HTTP 429. The source is
   * then subscribed again later. The refusal comes out only when all attempts are used up.
   */
  readonly refused?: (value: A) => O.Option<{ readonly retryAfter?: Millis }>
  /** How often it is sent at most. Default: what the scheduler says. */
  readonly attempts?: number
}

export const schedule =
  <R, A>(
    scheduler: Scheduler<R>,
    request: R,
    options: ScheduleOptions<A> = {},
  ): MonoTypeOperatorFunction<A> =>
  (source) =>
    new Observable((subscriber) => {
      const { core } = scheduler
      const { flights } = core
      const attempts = options.attempts ?? core.refusals.attempts
      let attempt = 0
      let current: Flight | undefined
      let running: Subscriber<A> | undefined
      let backoff: Subscription | undefined

      /** What is to be done with a value that refuses: wait so long, or pass it on. */
      const verdict = (flight: Flight, value: A): O.Option<Millis> => {
        const refusal = flight.answered ? O.none : (options.refused?.(value) ?? O.none)
        if (O.isNone(refusal)) {
          flights.accepted(flight)
          return O.none
        }
        const { retryAfter } = refusal.value
        const burst = flights.refused(flight, cap(core.refusals, retryAfter ?? 0))
        return attempt < attempts
          ? O.some(delay(core.refusals, core.random, { attempt, burst, retryAfter }))
          : O.none
      }

      const endBackoff = (): void => {
        if (backoff === undefined) return
        backoff.unsubscribe()
        backoff = undefined
        ticket.strand.flow.held--
        core.backingOff(-1)
      }

      const again = (wait: Millis): void => {
        if (wait === 0) {
          core.join(ticket, true)
          return
        }
        ticket.strand.flow.held++
        core.backingOff(1)
        backoff = core.clock.after(wait, () => {
          endBackoff()
          core.join(ticket, true)
        })
      }

      const end = (flight: Flight, tell: () => void): void => {
        current = undefined
        tell()
        flights.left(flight)
      }

      const start = (flight: Flight): void => {
        attempt++
        current = flight
        const inner = new Subscriber<A>({
          next: (value) => {
            const wait = flight.answered ? O.none : verdict(flight, value)
            if (O.isNone(wait)) return subscriber.next(value)
            inner.unsubscribe()
            end(flight, () => again(wait.value))
          },
          error: (error: unknown) => end(flight, () => subscriber.error(error)),
          complete: () => {
            flights.accepted(flight)
            end(flight, () => subscriber.complete())
          },
        })
        running = inner
        source.subscribe(inner)
      }

      const ticket = core.ticket(request, options.lane, start)
      subscriber.add(() => {
        core.quit(ticket)
        endBackoff()
        running?.unsubscribe()
        if (current !== undefined) end(current, () => {})
      })
      core.join(ticket, false)
    })
