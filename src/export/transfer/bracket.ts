import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  from,
  ignoreElements,
  Observable,
  throwError,
} from 'rxjs'
import { O } from '../../fp.js'

/**
 * Uses a resource in a stream, and releases it exactly once: before the stream ends, however it ends; or after the last
 * unsubscription, even if that happens before the resource was acquired. A later subscription to the same stream waits until
 * earlier ones have released their resource. It acquires nothing if it was unsubscribed in the meantime. `acquire` may call
 * `tell` with the reason why it waits.
 */
export const bracket =
  <R, T = never>(
    acquire: (tell: (event: T) => void) => Promise<R>,
    release: (r: R) => Promise<void>,
  ) =>
  <A>(use: (r: R) => Observable<A>): Observable<A | T> => {
    const leaving = new Set<Promise<void>>()
    return new Observable((subscriber) => {
      const begin = () => acquire((event) => subscriber.next(event)).then(O.some)
      const acquired =
        leaving.size === 0
          ? begin()
          : Promise.all(leaving).then(() => (subscriber.closed ? O.none : begin()))
      let releasing: Promise<void> | undefined
      const once = (): Promise<void> => {
        releasing ??= acquired.then(O.match(async () => {}, release))
        return releasing
      }
      const released = defer(once).pipe(ignoreElements())
      const lent = (r: R): Observable<A> => {
        const failed = (error: unknown) =>
          concat(
            released,
            throwError(() => error),
          )
        return concat(use(r).pipe(catchError(failed)), released)
      }
      const flow = from(acquired).pipe(concatMap(O.match(() => EMPTY, lent)))
      subscriber.add(flow.subscribe(subscriber))
      return () => {
        const left = once().catch(() => {}) // the stream reports it
        leaving.add(left)
        left.then(() => leaving.delete(left))
      }
    })
  }
