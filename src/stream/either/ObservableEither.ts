/** `Observable<Either<E, A>>`, and its operators. */
import {
  filter,
  from,
  lastValueFrom,
  map,
  mergeMap,
  Observable,
  of,
  Subscriber,
  single,
  takeUntil,
} from 'rxjs'
import { E, type TaskEither } from '../../fp.js'
import { checkArgument, is } from '../../options/index.js'

// model

/**
 * A stream whose expected failures are values. A `Left` has a type and ends nothing; the error channel is
 * for bugs.
 */
export interface ObservableEither<E, A> extends Observable<E.Either<E, A>> {}

// constructors

/** One failure. */
export const left = <E>(e: E): ObservableEither<E, never> => of(E.left(e))

/** One value. */
export const right = <A>(a: A): ObservableEither<never, A> => of(E.right(a))

// combinators

/** Changes the values, and lets failures pass. */
export const mapRight =
  <A, B>(f: (a: A) => B) =>
  <E>(source: Observable<E.Either<E, A>>): ObservableEither<E, B> =>
    source.pipe(map(E.map(f)))

/** Changes the failures, and lets values pass. */
export const mapLeft =
  <E, F>(f: (e: E) => F) =>
  <A>(source: Observable<E.Either<E, A>>): ObservableEither<F, A> =>
    source.pipe(map(E.mapLeft(f)))

/** For each value the next step, one after the other and in order; failures pass. */
export const concatChain =
  <A, E2, B>(f: (a: A) => Observable<E.Either<E2, B>>) =>
  <E>(source: Observable<E.Either<E, A>>): ObservableEither<E | E2, B> =>
    source.pipe(mergeChain(f, 1))

/**
 * For each value the next step, up to `concurrent` at a time and as they come; failures pass. Without `concurrent`,
 * all at once: calls of a client then wait for its limits. Throws an `InvalidOption` for what is no number of steps.
 */
export const mergeChain = <A, E2, B>(
  f: (a: A) => Observable<E.Either<E2, B>>,
  concurrent = Number.POSITIVE_INFINITY,
) => {
  checkArgument('concurrent', concurrent, is.positiveIntOrInfinity)
  return <E>(source: Observable<E.Either<E, A>>): ObservableEither<E | E2, B> =>
    source.pipe(
      mergeFlat(
        (ea): Observable<E.Either<E | E2, B>> => (E.isLeft(ea) ? of(ea) : f(ea.right)),
        concurrent,
      ),
    )
}

/** In place of each failure another stream, one after the other and in order; values pass. */
export const orElse =
  <E, E2, B>(f: (e: E) => Observable<E.Either<E2, B>>) =>
  <A>(source: Observable<E.Either<E, A>>): ObservableEither<E2, A | B> =>
    source.pipe(
      mergeFlat((ea): Observable<E.Either<E2, A | B>> => (E.isLeft(ea) ? f(ea.left) : of(ea)), 1),
    )

// interop

/** The values alone. What failed is dropped: count it with `lefts`, or end on it with `orThrow`. */
export const rights = <E, A>(source: Observable<E.Either<E, A>>): Observable<A> =>
  source.pipe(
    filter(E.isRight),
    map(({ right }) => right),
  )

/** The failures alone. */
export const lefts = <E, A>(source: Observable<E.Either<E, A>>): Observable<E> =>
  source.pipe(
    filter(E.isLeft),
    map(({ left }) => left),
  )

/** The values, until the first failure, which ends the stream as the error that `toError` makes. */
export const orThrow =
  <E>(toError: (e: E) => unknown) =>
  <A>(source: Observable<E.Either<E, A>>): Observable<A> =>
    source.pipe(
      map((ea) => {
        if (E.isLeft(ea)) throw toError(ea.left)
        return ea.right
      }),
    )

/**
 * A call as a TaskEither: lazy, and asked anew each time it is run. The stream should have one `Either`: one
 * that has none, or a second, rejects, as with RxJS's `single`. So `collect` a list first; given as it is, it
 * does not compile.
 */
export const toTaskEither =
  <E, A>(source: Observable<E.Either<E, A>> & { readonly pages?: never }): TaskEither<E, A> =>
  () =>
    lastValueFrom(source.pipe(single()))

/**
 * Leaves the source when the signal is aborted, and ends as an error with its `reason`, as what the
 * platform aborts does: what was cut short is never taken for complete. Of a signal that is aborted
 * already, the source is not subscribed to at all.
 *
 *     source            --a--b--c|
 *     signal            -----x
 *     until(signal)     --a--#
 */
export const until =
  (signal: AbortSignal) =>
  <A>(source: Observable<A>): Observable<A> =>
    source.pipe(takeUntil(aborted(signal)))

const aborted = (signal: AbortSignal): Observable<never> =>
  new Observable((subscriber) => {
    const abort = () => subscriber.error(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    return () => signal.removeEventListener('abort', abort)
  })

// operators

/**
 * `mergeMap`, but flat. RxJS starts what waits from within the end of the one before: when a thousand streams
 * that wait complete at once, their frames overflow the stack, and the whole is lost without a word. In a
 * loop, none is nested in another. The classes are those that RxJS asks for.
 */
const mergeFlat =
  <A, B>(project: (a: A) => Observable<B>, concurrent = Number.POSITIVE_INFINITY) =>
  (source: Observable<A>): Observable<B> =>
    concurrent === Number.POSITIVE_INFINITY
      ? source.pipe(mergeMap((a) => project(a))) // none waits
      : new Observable((out) => {
          source.subscribe(new Flat(out, project, concurrent))
        })

/** A list, since an array moves all that is behind what it loses. */
interface Waiting<A> {
  readonly value: A
  next: Waiting<A> | undefined
}

class Flat<A, B> extends Subscriber<A> {
  private readonly out: Subscriber<B>
  private readonly project: (a: A) => Observable<B>
  private readonly concurrent: number
  private first: Waiting<A> | undefined = undefined
  private last: Waiting<A> | undefined = undefined
  private running = 0
  private ended = false
  private filling = false

  constructor(out: Subscriber<B>, project: (a: A) => Observable<B>, concurrent: number) {
    super()
    this.out = out
    this.project = project
    this.concurrent = concurrent
    out.add(this)
  }

  protected override _next(value: A): void {
    const waiting = { value, next: undefined }
    if (this.first === undefined || this.last === undefined) this.first = waiting
    else this.last.next = waiting
    this.last = waiting
    this.fill()
  }

  protected override _error(error: unknown): void {
    this.out.error(error)
  }

  protected override _complete(): void {
    this.ended = true
    this.unsubscribe()
    this.fill()
  }

  /** One of those that run has ended, and what it held is given back. */
  innerEnded(): void {
    this.running--
    this.fill()
  }

  private fill(): void {
    if (this.filling) return
    this.filling = true
    while (this.running < this.concurrent && this.first !== undefined && !this.out.closed) {
      const { value, next } = this.first
      this.first = next
      this.running++
      this.start(value)
    }
    this.filling = false
    if (this.ended && this.running === 0 && this.first === undefined) this.out.complete()
  }

  private start(value: A): void {
    try {
      from(this.project(value)).subscribe(new Inner(this.out, this))
    } catch (error) {
      this.out.error(error)
    }
  }
}

class Inner<A, B> extends Subscriber<B> {
  private readonly out: Subscriber<B>
  private readonly flat: Flat<A, B>

  constructor(out: Subscriber<B>, flat: Flat<A, B>) {
    super()
    this.out = out
    this.flat = flat
    out.add(this)
  }

  protected override _next(value: B): void {
    this.out.next(value)
  }

  protected override _error(error: unknown): void {
    this.out.error(error)
  }

  protected override _complete(): void {
    this.unsubscribe()
    this.flat.innerEnded()
  }
}
