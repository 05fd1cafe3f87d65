/** Arrays of streams, under fp-ts's names. */
import { defer, type Observable } from 'rxjs'
import type { E } from '../../fp.js'
import { ap } from './apply.js'
import { concatChain, mapRight, type ObservableEither, right } from './ObservableEither.js'

/** The values so far, in reverse order. Several values of one element can therefore share the earlier values. */
type Reversed<B> = { readonly last: B; readonly before: Reversed<B> } | undefined

type Make<A, E, B> = (index: number, a: A) => Observable<E.Either<E, B>>

const toArray = <B>(values: Reversed<B>): ReadonlyArray<B> => {
  const all: Array<B> = []
  for (let rest = values; rest !== undefined; rest = rest.before) all.push(rest.last)
  return all.reverse()
}

const traverse =
  <A, E, B>(
    f: Make<A, E, B>,
    add: (
      before: ObservableEither<E, Reversed<B>>,
      next: Observable<E.Either<E, B>>,
    ) => ObservableEither<E, Reversed<B>>,
  ) =>
  (as: ReadonlyArray<A>): ObservableEither<E, ReadonlyArray<B>> =>
    defer(() =>
      as
        .reduce<ObservableEither<E, Reversed<B>>>(
          (before, a, i) => add(before, f(i, a)),
          right(undefined),
        )
        .pipe(mapRight(toArray)),
    )

const append =
  <B>(before: Reversed<B>) =>
  (last: B): Reversed<B> => ({ last, before })

// all at once

/** Creates a stream for each element, subscribes to all at once, and emits the values in the order of the elements. */
export const traverseArrayWithIndex = <A, E, B>(f: Make<A, E, B>) =>
  traverse(f, (before, next) => before.pipe(mapRight(append<B>), ap(next)))

/** Creates a stream for each element, subscribes to all at once, and emits the values in the order of the elements. */
export const traverseArray = <A, E, B>(f: (a: A) => Observable<E.Either<E, B>>) =>
  traverseArrayWithIndex((_, a: A) => f(a))

/** Subscribes to all streams at once. At the end, emits their values in order, or the first failure. */
export const sequenceArray = <E, A>(
  streams: ReadonlyArray<Observable<E.Either<E, A>>>,
): ObservableEither<E, ReadonlyArray<A>> =>
  traverseArray((stream: Observable<E.Either<E, A>>) => stream)(streams)

// one after the other

/** Creates a stream for each element and subscribes to one after the other. The first failure ends it. */
export const traverseSeqArrayWithIndex = <A, E, B>(f: Make<A, E, B>) =>
  traverse(f, (before, next) => before.pipe(concatChain((bs) => next.pipe(mapRight(append(bs))))))

/** Creates a stream for each element and subscribes to one after the other. The first failure ends it. */
export const traverseSeqArray = <A, E, B>(f: (a: A) => Observable<E.Either<E, B>>) =>
  traverseSeqArrayWithIndex((_, a: A) => f(a))

/** Subscribes to one stream after the other, and emits their values, or the first failure, which ends it. */
export const sequenceSeqArray = <E, A>(
  streams: ReadonlyArray<Observable<E.Either<E, A>>>,
): ObservableEither<E, ReadonlyArray<A>> =>
  traverseSeqArray((stream: Observable<E.Either<E, A>>) => stream)(streams)
