/** `Observable<Either<E, A>>`, and its operators. */
import { filter, lastValueFrom, map, mergeMap, Observable, of, single, takeUntil } from 'rxjs'
import { E, type TaskEither } from '../../fp.js'
import { checkArgument, is } from '../../options/index.js'
import { callerOf, withCaller } from '../caller.js'
import { mergeFlat } from './mergeFlat.js'
import { concatEach, mapEach } from './steps.js'

/**
 * A stream whose expected failures are values. A `Left` is typed and does not end the stream; the error channel is for
 * bugs.
 */
export interface ObservableEither<E, A> extends Observable<E.Either<E, A>> {}

/** Creates a stream of one failure. */
export const left = <E>(e: E): ObservableEither<E, never> => of(E.left(e))

/** Creates a stream of one value. */
export const right = <A>(a: A): ObservableEither<never, A> => of(E.right(a))

/** Maps the values; failures pass through. */
export const mapRight =
  <A, B>(f: (a: A) => B) =>
  <E>(source: Observable<E.Either<E, A>>): ObservableEither<E, B> =>
    source.pipe(mapEach(E.map(f)))

/** Maps the failures; values pass through. */
export const mapLeft =
  <E, F>(f: (e: E) => F) =>
  <A>(source: Observable<E.Either<E, A>>): ObservableEither<F, A> =>
    source.pipe(mapEach(E.mapLeft(f)))

/** Runs the next step for each value, one after the other and in order; failures pass through. */
export const concatChain = <A, E2, B>(f: (a: A) => Observable<E.Either<E2, B>>) => {
  const step = orPass(f)
  return <E>(source: Observable<E.Either<E, A>>): ObservableEither<E | E2, B> =>
    source.pipe(concatEach((ea: E.Either<E, A>) => step(ea)))
}

/**
 * Runs the next step for each value, up to `concurrent` at a time, and emits results as they arrive; failures pass through.
 * Without `concurrent`, all run at once, and calls of a client queue for its limits. Throws an `InvalidOption` if `concurrent` is
 * not a positive whole number.
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
      ? source.pipe(mergeMap((ea) => step(ea))) // none of the streams has to wait
      : source.pipe(mergeFlat((ea) => step(ea), concurrent))
}

/** Returns the next step for a value. Passes a failure through. */
const orPass =
  <A, E2, B>(f: (a: A) => Observable<E.Either<E2, B>>) =>
  <E>(ea: E.Either<E, A>): Observable<E.Either<E | E2, B>> =>
    E.isLeft(ea) ? of(ea) : f(ea.right)

/** Replaces each failure with another stream, one after the other and in order; values pass through. */
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

/** Emits only the values. Failures are dropped: count them with `lefts`, or stop at the first with `orThrow`. */
export const rights = <E, A>(source: Observable<E.Either<E, A>>): Observable<A> =>
  source.pipe(
    filter(E.isRight),
    map(({ right }) => right),
  )

/** Emits only the failures. */
export const lefts = <E, A>(source: Observable<E.Either<E, A>>): Observable<E> =>
  source.pipe(
    filter(E.isLeft),
    map(({ left }) => left),
  )

/**
 * Emits the values until the first failure, which ends the stream with the error that `toError` returns. The stack of the
 * error starts where the operator was added to a pipe.
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
 * Converts a call to a `TaskEither`, which sends it each time the task runs. The stream must emit exactly one `Either`; otherwise
 * the task rejects, as with RxJS's `single`. A list must be passed to `collect` first; the list itself does not compile.
 */
export const toTaskEither =
  <E, A>(source: Observable<E.Either<E, A>> & { readonly pages?: never }): TaskEither<E, A> =>
  () =>
    lastValueFrom(source.pipe(single()))

/**
 * Unsubscribes from the source when the signal is aborted, and errors with its `reason`, as `fetch` does: an interrupted
 * stream never looks complete. If the signal is already aborted, the source is never subscribed to.
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
