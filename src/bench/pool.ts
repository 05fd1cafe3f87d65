/** Many requests at a time, as many as a width that may change says. */
import {
  type BehaviorSubject,
  defer,
  filter,
  merge,
  type Observable,
  repeat,
  switchMap,
  take,
} from 'rxjs'

/**
 * Subscribes to `unit` again and again, up to `width` at a time. A lower width aborts nothing: workers rest once
 * their unit is done. Completes when `width` has, and the last unit is done. `most` bounds the width.
 */
export const pool = <A>(
  unit: Observable<A>,
  width: BehaviorSubject<number>,
  most: number,
): Observable<A> =>
  merge(
    ...Array.from({ length: most }, (_, worker) => {
      const isWanted = defer(() =>
        width.pipe(
          filter((wanted) => worker < wanted),
          take(1),
        ),
      )
      return isWanted.pipe(switchMap(() => unit.pipe(repeat({ delay: () => isWanted }))))
    }),
  )
