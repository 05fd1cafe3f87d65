import { concatMap, type SchedulerLike, timer } from 'rxjs'
import { O, pipe } from '../fp.js'
import type { Millis } from './Backoff.js'
import { left, type ObservableEither, orElse } from './ObservableEither.js'

/**
 * Subscribes again, later, when a `Left` comes out and `after` has a pause for it. A `Left` without a
 * pause is passed on, and so is the last one.
 *
 *     first try         --L|
 *     second try             --R|
 *     retry(in 3)       -------R|
 */
export const retry =
  <E>(after: (failure: E, attempt: number) => O.Option<Millis>, scheduler?: SchedulerLike) =>
  <A>(source: ObservableEither<E, A>): ObservableEither<E, A> => {
    const attempt = (n: number): ObservableEither<E, A> =>
      source.pipe(
        orElse((failure: E) =>
          pipe(
            after(failure, n),
            O.match(
              (): ObservableEither<E, A> => left(failure),
              (ms) => timer(ms, scheduler).pipe(concatMap(() => attempt(n + 1))),
            ),
          ),
        ),
      )
    return attempt(1)
  }
