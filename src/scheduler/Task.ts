/**
 * ```ts
 * const task: <R, A>(core: Core<R>, request: R, options: ScheduleOptions<A>, source: Observable<A>, subscriber: Subscriber<A>) => void
 * ```
 *
 * One subscription to a scheduled source: it waits, is under way, or backs off. A class keeps what waits
 * to one object: a hundred thousand may.
 */
import type { Observable, Subscriber, Unsubscribable } from 'rxjs'
import { O } from '../fp.js'
import { checkArgument } from '../options/index.js'
import { Attempt, type Owner } from './Attempt.js'
import type { Millis } from './Clock.js'
import type { Core } from './Core.js'
import { attemptsRule, cap, delay } from './Refusals.js'
import type { ScheduleOptions } from './ScheduleOptions.js'
import type { Strand, Ticket } from './Strand.js'

class Task<A> implements Ticket, Owner<A>, Unsubscribable {
  readonly strand: Strand
  waiting = false
  before: Ticket | undefined = undefined
  after: Ticket | undefined = undefined
  private readonly core: Core<never>
  private readonly options: ScheduleOptions<A>
  private readonly source: Observable<A>
  private readonly subscriber: Subscriber<A>
  private attempts = 0
  private backoffs = 0
  private under: Attempt<A> | Unsubscribable | undefined = undefined // or the backoff

  constructor(
    core: Core<never>,
    strand: Strand,
    options: ScheduleOptions<A>,
    source: Observable<A>,
    subscriber: Subscriber<A>,
  ) {
    this.strand = strand
    this.core = core
    this.options = options
    this.source = source
    this.subscriber = subscriber
  }

  start(now: Millis): void {
    const { flow } = this.strand
    const attempt = new Attempt(this, flow, this.core.flights.start(flow, now), now)
    this.attempts++
    this.under = attempt
    try {
      this.source.subscribe(attempt)
    } catch (error) {
      if (this.under !== attempt) throw error // nobody is left to be told
      attempt.error(error)
    }
  }

  // What the source says.

  next(attempt: Attempt<A>, value: A): void {
    if (attempt.answered) {
      this.subscriber.next(value)
      return
    }
    try {
      const refusal = this.options.refused?.(value)
      if (this.under !== attempt) return // `refused` has had it unsubscribed
      const wait = this.verdict(attempt, refusal ?? O.none)
      if (wait === undefined) {
        this.subscriber.next(value)
      } else {
        attempt.unsubscribe()
        if (this.under !== attempt) return // what the source does when it is left has
        this.again(wait)
        this.gone(attempt)
      }
    } catch (error) {
      if (this.under !== attempt) throw error // nobody is left to be told
      try {
        attempt.unsubscribe() // of `refused`, or of the function that gives the key
      } finally {
        if (this.under === attempt) this.error(attempt, error, false) // else its teardown had us leave
      }
    }
  }

  error(attempt: Attempt<A>, error: unknown, ended: boolean): void {
    this.under = undefined
    try {
      this.subscriber.error(error)
    } finally {
      try {
        attempt.unsubscribe()
      } finally {
        this.gone(attempt, ended)
      }
    }
  }

  complete(attempt: Attempt<A>): void {
    const { clock, flights } = this.core
    const now = clock.now()
    flights.accepted(attempt, now)
    this.under = undefined
    try {
      this.subscriber.complete() // throws what a teardown of the consumer throws
    } finally {
      try {
        attempt.unsubscribe() // what the source frees is free before the next one starts
      } finally {
        flights.left(attempt, now, true)
      }
    }
  }

  /** Nobody wants it any more. */
  unsubscribe(): void {
    this.core.quit(this)
    const under = this.under
    if (under === undefined) return
    this.under = undefined
    try {
      under.unsubscribe()
    } finally {
      if (under instanceof Attempt) this.gone(under)
    }
  }

  /** `ended`: by the source itself, and not because nobody wants it. */
  private gone(attempt: Attempt<A>, ended = false): void {
    const { clock, flights } = this.core
    flights.left(attempt, clock.now(), ended)
  }

  /** How long until it is sent again; `undefined` when the value is to be passed on. */
  private verdict(
    attempt: Attempt<A>,
    refusal: O.Option<{ readonly retryAfter?: Millis }>,
  ): Millis | undefined {
    const { clock, flights, random, refusals } = this.core
    if (O.isNone(refusal)) {
      flights.accepted(attempt, clock.now())
      return undefined
    }
    const { attempts, backoffs } = this
    const told = cap(refusals, refusal.value.retryAfter)
    const most = this.options.attempts ?? refusals.attempts
    const soon = attempts === 1 && most > 1 && told === 0 && refusals.lone === 'resend'
    const blame = flights.refused(attempt, clock.now(), told, soon)
    if (attempts >= most) return undefined
    const wait = delay(refusals, random, { attempts, backoffs, blame, told })
    if (wait > 0) this.backoffs++
    return wait
  }

  private again(wait: Millis): void {
    this.under = undefined
    if (wait === 0) {
      this.core.join(this, true)
    } else {
      this.under = this.core.backOff(this.strand.flow, wait, () => {
        this.under = undefined
        this.core.join(this, true)
      })
    }
  }
}

export const task = <R, A>(
  core: Core<R>,
  request: R,
  options: ScheduleOptions<A>,
  source: Observable<A>,
  subscriber: Subscriber<A>,
): void => {
  const { attempts } = options
  if (attempts !== undefined) checkArgument('attempts', attempts, attemptsRule)
  const self = new Task(core, core.strand(request, options.lane), options, source, subscriber)
  subscriber.add(self)
  if (!subscriber.closed) core.join(self, false) // as RxJS' own have been left before they begin
}
