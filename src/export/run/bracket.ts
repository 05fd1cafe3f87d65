import {
  catchError,
  concat,
  concatMap,
  defer,
  from,
  ignoreElements,
  Observable,
  throwError,
} from 'rxjs'

/**
 * A stream of what is done with something that has to be given back: it is, before the stream ends,
 * however it ends, and when nobody listens any more, also before it was there; once.
 */
export const bracket =
  <R>(acquire: () => Promise<R>, release: (r: R) => Promise<void>) =>
  <A>(use: (r: R) => Observable<A>): Observable<A> =>
    new Observable((subscriber) => {
      const acquired = acquire()
      let releasing: Promise<void> | undefined
      const once = (): Promise<void> => {
        releasing ??= acquired.then(release)
        return releasing
      }
      const released = defer(() => from(once())).pipe(ignoreElements())
      const flow = from(acquired).pipe(
        concatMap((r) =>
          concat(
            use(r).pipe(
              catchError((error: unknown) =>
                concat(
                  released,
                  throwError(() => error),
                ),
              ),
            ),
            released,
          ),
        ),
      )
      subscriber.add(flow.subscribe(subscriber))
      return () => {
        once().catch(() => {}) // told by the stream to whoever listens
      }
    })
