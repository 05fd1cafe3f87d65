import { concatMap, of, type SchedulerLike, timer } from 'rxjs'
import { E, O, pipe } from '../fp.js'
import type { Millis } from './Backoff.js'
import type { ObservableEither } from './ObservableEither.js'

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
        concatMap((ea) =>
          pipe(
            E.isLeft(ea) ? after(ea.left, n) : O.none,
            O.match(
              () => of(ea),
              (ms) => timer(ms, scheduler).pipe(concatMap(() => attempt(n + 1))),
            ),
          ),
        ),
      )
    return attempt(1)
  }
