import {
  asyncScheduler,
  Observable,
  type SchedulerLike,
  Subject,
  type Subscriber,
  takeUntil,
} from 'rxjs'
import { E, O } from '../fp.js'
import { checkOptions, is, required } from '../options/index.js'
import type { Millis } from './Backoff.js'
import type { ObservableEither } from './either/ObservableEither.js'
import { later } from './later.js'

/** One subscription to the source, with its values that are not due yet. */
interface RetryState<V> {
  readonly number: number
  readonly waiting: Array<V>
  at: number // index of the next value, because shifting an array moves all of its items
  ended: boolean
}

/** Returns the pause before the next attempt, given the failure and the number of the failed attempt; `none` to stop. */
export type RetryPolicy<E> = (failure: E, attempt: number) => O.Option<Millis>

const rules = { after: required(is.fn()), timer: required(is.rxScheduler()) }

/**
 * Resubscribes after the pause that `after` returns for a `Left` of the source. A `Left` without a pause is passed on. Pauses run
 * on `timer`, by default `asyncScheduler`. Throws an `InvalidOption` if `after` is not a function (such as a number of attempts)
 * or `timer` is not a scheduler.
 *
 *     first try         --L|
 *     second try             --R|
 *     retry(in 3)       -------R|
 */
export const retry = <E>(after: RetryPolicy<E>, timer: SchedulerLike = asyncScheduler) => {
  checkOptions({ after, timer }, rules, { context: 'retry: ' })
  return <A>(source: ObservableEither<E, A>): ObservableEither<E, A> =>
    new Observable((out) => new RetrySubscription(source, after, timer, out).begin())
}

/** All subscriptions to the source, one after the other, for one subscriber. */
class RetrySubscription<E, A> {
  readonly #source: ObservableEither<E, A>
  readonly #after: RetryPolicy<E>
  readonly #timer: SchedulerLike
  readonly #out: Subscriber<E.Either<E, A>>
  readonly #unsubscribed = new Subject<void>()
  readonly #attempts: Array<RetryState<E.Either<E, A>>> = [] // not finished; the last one is the current one
  #isPaused = true // until the next attempt starts, nothing that precedes it is emitted
  #due: number | undefined = 1 // the next attempt, which starts after its pause
  #isEmitting = false
  #isStarting = false

  constructor(
    source: ObservableEither<E, A>,
    after: RetryPolicy<E>,
    timer: SchedulerLike,
    out: Subscriber<E.Either<E, A>>,
  ) {
    this.#source = source
    this.#after = after
    this.#timer = timer
    this.#out = out
  }

  begin(): void {
    // added before the first value, because there is no subscription to end yet while values arrive synchronously
    this.#out.add(() => this.#unsubscribed.next())
    this.#step()
  }

  /** Loops, because attempts that start each other from within would silently overflow the stack. */
  #step(): void {
    if (this.#isEmitting) return
    this.#isEmitting = true
    try {
      while (!this.#isPaused && !this.#out.closed && this.#emitNext());
    } catch (bug) {
      this.#fail(bug)
    }
    this.#isEmitting = false
    if (this.#isStarting) return
    this.#isStarting = true
    for (let due = this.#due; due !== undefined && !this.#out.closed; due = this.#due) {
      this.#due = undefined
      this.#isPaused = false
      this.#start(due)
    }
    this.#isStarting = false
  }

  #start(number: number): void {
    const attempt: RetryState<E.Either<E, A>> = { number, waiting: [], at: 0, ended: false }
    this.#attempts.push(attempt)
    this.#source.pipe(takeUntil(this.#unsubscribed)).subscribe({
      next: (value) => {
        attempt.waiting.push(value)
        this.#step()
      },
      error: (bug) => this.#fail(bug),
      complete: () => {
        attempt.ended = true
        const { length } = attempt.waiting
        if (length === 0) this.#attempts.splice(this.#attempts.lastIndexOf(attempt), 1)
        this.#step()
      },
    })
  }

  /** Emits the next value, or starts a pause instead. Returns true if there was a value. */
  #emitNext(): boolean {
    const attempt = this.#attempts.at(-1)
    if (attempt === undefined) this.#out.complete()
    const value = attempt?.waiting[attempt.at]
    if (attempt === undefined || value === undefined) return false
    if (++attempt.at === attempt.waiting.length) {
      attempt.waiting.length = 0
      attempt.at = 0
      if (attempt.ended) this.#attempts.pop()
    }
    const after = this.#after
    const pause = E.isLeft(value) ? after(value.left, attempt.number) : O.none
    this.#isPaused = O.isSome(pause)
    if (O.isSome(pause)) this.#pause(pause.value, attempt.number + 1)
    else this.#out.next(value)
    return true
  }

  #pause(length: Millis, next: number): void {
    const over = (): void => {
      this.#due = next
      this.#step()
    }
    later(length, this.#timer)
      .pipe(takeUntil(this.#unsubscribed))
      .subscribe({ next: over, error: (bug) => this.#fail(bug) })
  }

  #fail(bug: unknown): void {
    this.#out.error(bug)
  }
}
