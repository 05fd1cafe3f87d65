/**
 * Guards for the caller's observing functions. An exception in one of them ends neither a call nor the process, and is reported
 * once.
 */
import { Observable, type Observer, type Operator, Subscriber, type Subscription } from 'rxjs'
import type { OnFailure } from './warnOnce.js'

/** Returns a version of the function that never throws. */
export const guarded =
  <Args extends ReadonlyArray<unknown>>(f: (...args: Args) => unknown, onFailure: OnFailure) =>
  (...args: Args): void => {
    try {
      const result = f(...args)
      if (isPromiseLike(result)) result.then(undefined, onFailure)
    } catch (error) {
      onFailure(error)
    }
  }

const isPromiseLike = (u: unknown): u is PromiseLike<unknown> =>
  typeof u === 'object' && u !== null && 'then' in u && typeof u.then === 'function'

/**
 * A stream whose subscribers may throw. RxJS rethrows their errors in a timer, which would end the process. Streams that
 * operators derive from this one are guarded as well.
 */
export class GuardedEvents<A> extends Observable<A> {
  readonly #onFailure: OnFailure

  constructor(source: Observable<A> | undefined, onFailure: OnFailure) {
    super(source && ((out) => source.subscribe(out)))
    this.#onFailure = onFailure
  }

  override lift<B>(operator?: Operator<A, B>): Observable<B> {
    const lifted = new GuardedEvents<B>(undefined, this.#onFailure)
    return Object.assign(lifted, { source: this, operator })
  }

  override subscribe(observer?: Partial<Observer<A>>): Subscription
  override subscribe(next: (value: A) => void): Subscription
  /** @deprecated Use an observer. */
  override subscribe(
    next?: ((value: A) => void) | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription
  override subscribe(
    first?: Partial<Observer<A>> | ((value: A) => void) | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    if (first instanceof Subscriber) return super.subscribe(first) // from an operator, which is itself guarded
    const onFailure = this.#onFailure
    const { next, ...ends } =
      typeof first === 'function' || !first
        ? { next: (value: A) => first?.(value), error, complete: () => complete?.() }
        : {
            next: (value: A) => first.next?.(value),
            error: first.error && ((failure: unknown) => first.error?.(failure)),
            complete: () => first.complete?.(),
          }
    return super.subscribe({
      next: guarded(next, onFailure),
      error: ends.error ? guarded(ends.error, onFailure) : onFailure,
      complete: guarded(ends.complete, onFailure),
    })
  }
}
