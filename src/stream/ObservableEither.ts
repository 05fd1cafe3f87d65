/** `Observable<Either<E, A>>`, and what is done with it. */
import { concatMap, filter, map, mergeMap, type Observable, of } from 'rxjs'
import { E } from '../fp.js'

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
    source.pipe(
      concatMap((ea): Observable<E.Either<E | E2, B>> => (E.isLeft(ea) ? of(ea) : f(ea.right))),
    )

/** For each value the next step, up to `concurrent` at a time and as they come; failures pass. */
export const mergeChain =
  <A, E2, B>(f: (a: A) => Observable<E.Either<E2, B>>, concurrent?: number) =>
  <E>(source: Observable<E.Either<E, A>>): ObservableEither<E | E2, B> =>
    source.pipe(
      mergeMap(
        (ea): Observable<E.Either<E | E2, B>> => (E.isLeft(ea) ? of(ea) : f(ea.right)),
        concurrent,
      ),
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
