/** Combinations of streams, and `Do` notation. */
import { map, type Observable, of } from 'rxjs'
import { E, pipe } from '../../fp.js'
import { concatChain, type ObservableEither, right } from './ObservableEither.js'
import { concatEachWith, mapEach } from './steps.js'

/** The fields so far, plus another one. */
export type Bound<N extends string, A, B> = {
  readonly [K in N | keyof A]: K extends keyof A ? A[K] : B
}

/**
 * Subscribes to both streams at once, and combines each value of `first` with all values of `second`, in the order of
 * `concatChain`. `second` is kept in memory, so it should be a call or a short list.
 */
const withAll =
  <A, E2, B, E3, C>(
    second: Observable<E.Either<E2, B>>,
    combine: (a: A) => (eb: E.Either<E2, B>) => E.Either<E3, C>,
  ) =>
  <E>(first: Observable<E.Either<E, A>>): ObservableEither<E | E3, C> =>
    first.pipe(
      concatEachWith(
        second,
        (ea: E.Either<E, A>, all: typeof second): Observable<E.Either<E | E3, C>> =>
          E.isLeft(ea) ? of(ea) : all.pipe(map(combine(ea.right))),
      ),
    )

/** Applies functions to values. Subscribes to both streams at once. */
export const ap =
  <E2, A>(fa: Observable<E.Either<E2, A>>) =>
  <E, B>(fab: Observable<E.Either<E, (a: A) => B>>): ObservableEither<E | E2, B> =>
    fab.pipe(withAll(fa, (f: (a: A) => B) => E.map(f)))

/** The empty record, to which `bind`, `apS` and `let` add fields. */
export const Do: ObservableEither<never, Record<never, never>> = /* @__PURE__ */ right({})

/** Wraps each value in a record with one field. */
export const bindTo =
  <N extends string>(name: N) =>
  <E, A>(source: Observable<E.Either<E, A>>): ObservableEither<E, { readonly [K in N]: A }> =>
    source.pipe(mapEach(E.bindTo(name)))

/** Adds a field with a step that knows the previous fields; steps run one after the other. */
export const bind = <N extends string, A, E2, B>(
  name: Exclude<N, keyof A>,
  f: (a: A) => Observable<E.Either<E2, B>>,
) => concatChain((a: A) => f(a).pipe(map((eb) => pipe(E.right(a), E.apSW(name, eb)))))

/** Adds a field from a stream that needs no previous field. Subscribes to it at once. */
export const apS = <N extends string, A, E2, B>(
  name: Exclude<N, keyof A>,
  fb: Observable<E.Either<E2, B>>,
): (<E>(source: Observable<E.Either<E, A>>) => ObservableEither<E | E2, Bound<N, A, B>>) =>
  withAll(fb, (a) => (eb) => pipe(E.right(a), E.apSW(name, eb)))

/** Adds a field that is computed from the fields before it. */
const let_ =
  <N extends string, A, B>(name: Exclude<N, keyof A>, f: (a: A) => B) =>
  <E>(source: Observable<E.Either<E, A>>): ObservableEither<E, Bound<N, A, B>> =>
    source.pipe(mapEach(E.let(name, f)))

export { let_ as let }
