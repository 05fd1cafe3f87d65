import { defaultIfEmpty, defer, filter, map, type Observable, reduce, take } from 'rxjs'
import { E, O } from '../fp.js'
import { is, type OptionsOf, required, resolveOptions } from '../options/index.js'
import type { ObservableEither } from './either/ObservableEither.js'

const table = {
  /** Maximum number of values; `Infinity` for no limit. */
  max: required(is.nonNegativeIntOrInfinity),
}

/** Options of `collect`. */
export interface CollectOptions extends OptionsOf<typeof table> {}

/** The stream emitted more than `max` values. */
export interface TooMany {
  readonly _tag: 'TooMany'
  /** The maximum number of values. */
  readonly max: number
  readonly message: string
}

/** Counts of values and failures. */
export interface Tally {
  /** Number of `Right`s. */
  readonly rights: number
  /** Number of `Left`s. */
  readonly lefts: number
}

/**
 * Works like `toArray` with a limit: emits all values as one array at the end, or the first failure, or a `TooMany` once there
 * are more than `max` values. A failure or `TooMany` unsubscribes from the source. Throws an `InvalidOption` if `max` is
 * missing or invalid.
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

/** Counts both sides: emits the number of values and the number of failures at the end. */
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
  message: `collect: the stream emitted more than ${max} ${max === 1 ? 'value' : 'values'}`,
})
