import { defaultIfEmpty, defer, filter, map, type Observable, reduce, take } from 'rxjs'
import { E, O } from '../fp.js'
import { is, type OptionsOf, required, resolveOptions } from '../options/index.js'
import type { ObservableEither } from './either/ObservableEither.js'

// model

const table = {
  /** Values that may come; `Infinity` is no bound. */
  max: required(is.nonNegativeIntOrInfinity),
}

/** Options of `collect`. */
export interface CollectOptions extends OptionsOf<typeof table> {}

/** More came than there was to be. */
export interface TooMany {
  readonly _tag: 'TooMany'
  /** How many may come. */
  readonly max: number
  readonly message: string
}

/** How many of each came. */
export interface Tally {
  /** How many were a `Right`. */
  readonly rights: number
  /** How many were a `Left`. */
  readonly lefts: number
}

// combinators

/**
 * `toArray` with a cap: all values in one array, at the end; or the first failure, or a `TooMany` when one value
 * more than `max` comes. With either of these the source is left. Throws an `InvalidOption` for a `max` that is
 * no count, or is missing.
 *
 *     --a--b--c|            --a--L            --a--b--c
 *     collect({ max: 3 })   collect(...)      collect({ max: 2 })
 *     ---------([abc]|)     -----(L|)         --------(TooMany|)
 */
export const collect = (options: CollectOptions) => {
  const { max } = resolveOptions(options, table, { context: 'collect: ' })
  return <E, A>(
    source: Observable<E.Either<E, A>>,
  ): ObservableEither<E | TooMany, ReadonlyArray<A>> =>
    defer(() => {
      const all: Array<A> = []
      return source.pipe(
        map((ea): O.Option<E.Either<E | TooMany, never>> => {
          if (E.isLeft(ea)) return O.some(ea)
          return all.push(ea.right) > max ? O.some(E.left(tooMany(max))) : O.none
        }),
        filter(O.isSome),
        map(({ value }) => value),
        take(1),
        defaultIfEmpty(E.right(all)),
      )
    })
}

/** `count` of both sides: how many values and failures came, at the end. */
export const tally = <E, A>(source: Observable<E.Either<E, A>>): Observable<Tally> =>
  source.pipe(
    reduce(
      ({ rights, lefts }: Tally, ea): Tally =>
        E.isRight(ea) ? { rights: rights + 1, lefts } : { rights, lefts: lefts + 1 },
      { rights: 0, lefts: 0 },
    ),
  )

const tooMany = (max: number): TooMany => ({
  _tag: 'TooMany',
  max,
  message: `collect: more than ${max} ${max === 1 ? 'value' : 'values'} came`,
})
