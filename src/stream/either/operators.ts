/**
 * Operators that fp-ts users expect for a stream of `Either`. All of them widen types, like the fp-ts functions whose names end
 * in `W`.
 */
import {
  defaultIfEmpty,
  defer,
  map,
  type Observable,
  of,
  filter as rxFilter,
  takeLast,
  takeWhile,
} from 'rxjs'
import { E, type IO, pipe } from '../../fp.js'
import { concatChain, mapRight, type ObservableEither, orElse } from './ObservableEither.js'
import { concatEach, mapEach } from './steps.js'

// both sides

/** Maps failures and values. */
export const bimap =
  <E, G, A, B>(f: (e: E) => G, g: (a: A) => B) =>
  (source: Observable<E.Either<E, A>>): ObservableEither<G, B> =>
    source.pipe(mapEach(E.bimap(f, g)))

/** Turns failures and values into plain values. */
export const match =
  <E, B, A, C>(onLeft: (e: E) => B, onRight: (a: A) => C) =>
  (source: Observable<E.Either<E, A>>): Observable<B | C> =>
    source.pipe(map(E.matchW(onLeft, onRight)))

/** Turns failures and values into streams of plain values, one after the other and in order. */
export const matchE =
  <E, B, A, C>(onLeft: (e: E) => Observable<B>, onRight: (a: A) => Observable<C>) =>
  (source: Observable<E.Either<E, A>>): Observable<B | C> =>
    source.pipe(
      concatEach((ea: E.Either<E, A>): Observable<B | C> => pipe(ea, E.matchW(onLeft, onRight))),
    )

// failures

/** Replaces each failure with a stream of plain values, one after the other and in order. */
export const getOrElse =
  <E, B>(onLeft: (e: E) => Observable<B>) =>
  <A>(source: Observable<E.Either<E, A>>): Observable<A | B> =>
    source.pipe(matchE(onLeft, (a: A) => of(a)))

/** Replaces each failure with another stream, created each time. */
export const alt =
  <E2, B>(that: () => Observable<E.Either<E2, B>>) =>
  <A>(source: Observable<E.Either<unknown, A>>): ObservableEither<E2, A | B> =>
    source.pipe(orElse(() => that()))

// values

/** Drops values that do not match; failures pass through. */
export function filter<A, B extends A>(
  refinement: (a: A) => a is B,
): <E>(source: Observable<E.Either<E, A>>) => ObservableEither<E, B>
export function filter<A>(
  predicate: (a: A) => boolean,
): <E>(source: Observable<E.Either<E, A>>) => ObservableEither<E, A>
export function filter<A>(predicate: (a: A) => boolean) {
  return <E>(source: Observable<E.Either<E, A>>): ObservableEither<E, A> =>
    source.pipe(rxFilter((ea) => E.isLeft(ea) || predicate(ea.right)))
}

/** Turns values that do not match into failures. */
export function filterOrElse<A, B extends A, E2>(
  refinement: (a: A) => a is B,
  onFalse: (a: A) => E2,
): <E>(source: Observable<E.Either<E, A>>) => ObservableEither<E | E2, B>
export function filterOrElse<A, E2>(
  predicate: (a: A) => boolean,
  onFalse: (a: A) => E2,
): <E>(source: Observable<E.Either<E, A>>) => ObservableEither<E | E2, A>
export function filterOrElse<A, E2>(predicate: (a: A) => boolean, onFalse: (a: A) => E2) {
  return <E>(source: Observable<E.Either<E, A>>): ObservableEither<E | E2, A> =>
    source.pipe(mapEach(E.filterOrElseW(predicate, onFalse)))
}

/** Emits the running result of all values so far; failures pass through unchanged. */
export const scan =
  <A, B>(initial: B, f: (b: B, a: A) => B) =>
  <E>(source: Observable<E.Either<E, A>>): ObservableEither<E, B> =>
    defer(() => {
      let result = initial
      return source.pipe(
        mapRight((a) => {
          result = f(result, a)
          return result
        }),
      )
    })

/**
 * Emits the result of all values at the end, or the first failure, which unsubscribes from the source, like `collect`.
 *
 *     --a--b--|             --a--L
 *     reduce(0, add)        reduce(0, add)
 *     --------(sum|)        -----(L|)
 */
export const reduce =
  <A, B>(initial: B, f: (b: B, a: A) => B) =>
  <E>(source: Observable<E.Either<E, A>>): ObservableEither<E, B> =>
    source.pipe(
      scan(initial, f),
      takeWhile(E.isRight, true),
      takeLast(1),
      defaultIfEmpty(E.right(initial)),
    )

// effects

/** Runs a step for each value, in order, and keeps the value. A failure of the step replaces the value. */
export const tap = <A, E2>(f: (a: A) => Observable<E.Either<E2, unknown>>) =>
  concatChain((a: A) => f(a).pipe(mapRight(() => a)))

/** Runs a step for each failure, in order, and keeps the failure. A failure of the step replaces it. */
export const tapError = <E, E2>(f: (e: E) => Observable<E.Either<E2, unknown>>) =>
  orElse((e: E) => f(e).pipe(map(E.flatMap(() => E.left(e)))))

/** Runs an effect for each value, such as logging it. */
export const tapIO = <A>(f: (a: A) => IO<unknown>) =>
  mapRight((a: A) => {
    f(a)()
    return a
  })
