/** `Observable<Either<E, A>>`, and its operators. */
import { filter, lastValueFrom, map, mergeMap, Observable, of, single, takeUntil } from 'rxjs'
import { E, type TaskEither } from '../../fp.js'
import { checkArgument, is } from '../../options/index.js'
import { callerOf, withCaller } from '../caller.js'
import { mergeFlat } from './mergeFlat.js'
import { concatEach, mapEach } from './steps.js'

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
    source.pipe(mapEach(E.map(f)))

/** Changes the failures, and lets values pass. */
export const mapLeft =
  <E, F>(f: (e: E) => F) =>
  <A>(source: Observable<E.Either<E, A>>): ObservableEither<F, A> =>
    source.pipe(mapEach(E.mapLeft(f)))

/** For each value the next step, one after the other and in order; failures pass. */
export const concatChain = <A, E2, B>(f: (a: A) => Observable<E.Either<E2, B>>) => {
  const step = orPass(f)
  return <E>(source: Observable<E.Either<E, A>>): ObservableEither<E | E2, B> =>
    source.pipe(concatEach((ea: E.Either<E, A>) => step(ea)))
}

/**
 * For each value the next step, up to `concurrent` at a time and as they come; failures pass. Without `concurrent`,
 * all at once: calls of a client then wait for its limits. Throws an `InvalidOption` for what is no number of steps.
 */
export const mergeChain = <A, E2, B>(
  f: (a: A) => Observable<E.Either<E2, B>>,
  concurrent = Number.POSITIVE_INFINITY,
) => {
  checkArgument('concurrent', concurrent, is.positiveIntOrInfinity)
  if (concurrent === 1) return concatChain(f)
  const step = orPass(f)
  return <E>(source: Observable<E.Either<E, A>>): ObservableEither<E | E2, B> =>
    concurrent === Number.POSITIVE_INFINITY
      ? source.pipe(mergeMap((ea) => step(ea))) // none waits
      : source.pipe(mergeFlat((ea) => step(ea), concurrent))
}

/** Makes the next step for a value; for a failure, the failure. */
const orPass =
  <A, E2, B>(f: (a: A) => Observable<E.Either<E2, B>>) =>
  <E>(ea: E.Either<E, A>): Observable<E.Either<E | E2, B>> =>
    E.isLeft(ea) ? of(ea) : f(ea.right)

/** In place of each failure another stream, one after the other and in order; values pass. */
export const orElse =
  <E, E2, B>(f: (e: E) => Observable<E.Either<E2, B>>) =>
  <A>(source: Observable<E.Either<E, A>>): ObservableEither<E2, A | B> =>
    source.pipe(
      concatEach(
        (ea: E.Either<E, A>): Observable<E.Either<E2, A | B>> =>
          E.isLeft(ea) ? f(ea.left) : of(ea),
      ),
    )

// interop

/** The values alone. Failures are dropped: count it with `lefts`, or end on it with `orThrow`. */
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

/**
 * The values, until the first failure, which ends the stream as the error that `toError` makes. The stack of the error
 * begins where the operator was put into a pipe.
 */
export const orThrow = <E>(toError: (e: E) => unknown) => {
  const values = <A>(source: Observable<E.Either<E, A>>): Observable<A> => {
    const caller = callerOf(values)
    return source.pipe(
      map((ea) => {
        if (E.isLeft(ea)) throw withCaller(toError(ea.left), caller)
        return ea.right
      }),
    )
  }
  return values
}

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
 * platform aborts does: what was cut short is never taken for complete. With a signal that is aborted
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
