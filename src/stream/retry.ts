import { asyncScheduler, concatMap, type SchedulerLike } from 'rxjs'
import { O, pipe } from '../fp.js'
import type { Millis } from './Backoff.js'
import { later } from './later.js'
import { left, type ObservableEither, orElse } from './ObservableEither.js'

/**
 * Subscribes again, later, when a `Left` comes out and `after` has a pause for it. A `Left` without a
 * pause is passed on, and so is the last one. Pauses are those of `timer`, `asyncScheduler` unless given.
 *
 *     first try         --L|
 *     second try             --R|
 *     retry(in 3)       -------R|
 */
export const retry =
  <E>(
    after: (failure: E, attempt: number) => O.Option<Millis>,
    timer: SchedulerLike = asyncScheduler,
  ) =>
  <A>(source: ObservableEither<E, A>): ObservableEither<E, A> => {
    const attempt = (n: number): ObservableEither<E, A> =>
      source.pipe(
        orElse((failure: E) =>
          pipe(
            after(failure, n),
            O.match(
              (): ObservableEither<E, A> => left(failure),
              (ms) => later(ms, timer).pipe(concatMap(() => attempt(n + 1))),
            ),
          ),
        ),
      )
    return attempt(1)
  }
