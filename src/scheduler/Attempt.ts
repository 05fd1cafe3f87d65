/**
 * ```ts
 * class Attempt<A> extends Subscriber<A> implements Flight
 * ```
 *
 * One subscription to the source of a task: it is sent once, and what the source says goes to its task. A
 * class, since RxJS asks for one.
 */
import { Subscriber } from 'rxjs'
import type { Millis } from './Clock.js'
import type { Departure } from './Departure.js'
import type { Flight } from './Flights.js'
import type { Flow } from './Flow.js'

/** Who has it sent, hears what comes of it, and tears it down when it has ended. */
export interface Owner<A> {
  next(attempt: Attempt<A>, value: A): void
  /** `ended`: by the source itself. */
  error(attempt: Attempt<A>, error: unknown, ended: boolean): void
  complete(attempt: Attempt<A>): void
}

export class Attempt<A> extends Subscriber<A> implements Flight {
  answered = false
  readonly flow: Flow
  readonly departure: Departure<Flow>
  readonly place: number
  readonly started: Millis
  private readonly owner: Owner<A>

  constructor(owner: Owner<A>, flow: Flow, departure: Departure<Flow>, started: Millis) {
    super()
    this.owner = owner
    this.flow = flow
    this.departure = departure
    this.place = departure.count - 1
    this.started = started
  }

  protected override _next(value: A): void {
    this.owner.next(this, value)
  }

  protected override _error(error: unknown): void {
    this.owner.error(this, error, true)
  }

  protected override _complete(): void {
    this.owner.complete(this)
  }
}
