/**
 * ```ts
 * const task: <R, A>(core: Core<R>, request: R, options: ScheduleOptions<A>, source: Observable<A>, subscriber: Subscriber<A>) => void
 * ```
 *
 * One subscription to a scheduled source: it waits, is under way, or backs off. The classes are what
 * RxJS asks for, and keep what waits to one object each: a hundred thousand may.
 */
import { type Observable, Subscriber, type Subscription, type Unsubscribable } from 'rxjs'
import { O } from '../fp.js'
import type { Millis } from './Clock.js'
import type { Flight } from './Flights.js'
import { cap, delay } from './Refusals.js'
import type { Core } from './Scheduler.js'
import type { Strand, Ticket } from './Strand.js'
import type { ScheduleOptions } from './schedule.js'

class Task<A> implements Ticket, Unsubscribable {
  readonly #core: Core<never>
  readonly #options: ScheduleOptions<A>
  readonly #source: Observable<A>
  readonly #subscriber: Subscriber<A>
  readonly strand: Strand
  waiting = false
  before: Ticket | undefined = undefined
  after: Ticket | undefined = undefined
  #attempt = 0
  #flight: Flight | undefined = undefined
  #under: Subscription | undefined = undefined // the source, or the backoff

  constructor(
    core: Core<never>,
    strand: Strand,
    options: ScheduleOptions<A>,
    source: Observable<A>,
    subscriber: Subscriber<A>,
  ) {
    this.#core = core
    this.strand = strand
    this.#options = options
    this.#source = source
    this.#subscriber = subscriber
  }

  start(flight: Flight): void {
    this.#attempt++
    this.#flight = flight
    const attempt = new Attempt(this)
    this.#under = attempt
    this.#source.subscribe(attempt)
  }

  /** What the source says. */
  next(value: A): void {
    const flight = this.#flight
    if (flight === undefined || flight.answered) {
      this.#subscriber.next(value)
      return
    }
    try {
      const wait = this.#verdict(flight, value)
      if (wait === undefined) {
        this.#subscriber.next(value)
      } else {
        this.#under?.unsubscribe()
        this.#leave(() => this.#again(wait))
      }
    } catch (error) {
      this.#under?.unsubscribe()
      this.error(error) // of `refused`, or of the function that gives the key
    }
  }

  error(error: unknown): void {
    this.#leave(() => this.#subscriber.error(error))
  }

  complete(): void {
    const { clock, flights } = this.#core
    if (this.#flight?.answered === false) flights.accepted(this.#flight, clock.now())
    this.#leave(() => this.#subscriber.complete())
  }

  /** Nobody wants it any more. */
  unsubscribe(): void {
    this.#core.quit(this)
    this.#under?.unsubscribe()
    this.#leave(() => {})
  }

  #leave(tell: () => void): void {
    const flight = this.#flight
    this.#flight = undefined
    this.#under = undefined
    tell()
    if (flight !== undefined) this.#core.flights.left(flight, this.#core.clock.now())
  }

  /** How long until it is sent again; `undefined` when the value is to be passed on. */
  #verdict(flight: Flight, value: A): Millis | undefined {
    const { clock, flights, random, refusals } = this.#core
    const refusal = this.#options.refused?.(value) ?? O.none
    if (O.isNone(refusal)) {
      flights.accepted(flight, clock.now())
      return undefined
    }
    const { retryAfter } = refusal.value
    const burst = flights.refused(flight, clock.now(), cap(refusals, retryAfter ?? 0))
    const attempt = this.#attempt
    return attempt < (this.#options.attempts ?? refusals.attempts)
      ? delay(refusals, random, { attempt, burst, retryAfter })
      : undefined
  }

  #again(wait: Millis): void {
    if (wait === 0) {
      this.#core.join(this, true)
    } else {
      this.#under = this.#core.backOff(this.strand.flow, wait, () => {
        this.#under = undefined
        this.#core.join(this, true)
      })
    }
  }
}

class Attempt<A> extends Subscriber<A> {
  readonly #task: Task<A>

  constructor(task: Task<A>) {
    super()
    this.#task = task
  }

  protected override _next(value: A): void {
    this.#task.next(value)
  }

  protected override _error(error: unknown): void {
    this.#task.error(error)
    this.unsubscribe()
  }

  protected override _complete(): void {
    this.#task.complete()
    this.unsubscribe()
  }
}

export const task = <R, A>(
  core: Core<R>,
  request: R,
  options: ScheduleOptions<A>,
  source: Observable<A>,
  subscriber: Subscriber<A>,
): void => {
  const self = new Task(core, core.strand(request, options.lane), options, source, subscriber)
  subscriber.add(self)
  core.join(self, false)
}
