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
 * however it ends, and when nobody listens any more, also before it was there; once. Who subscribes to the
 * same stream again has it when those who left have given it back.
 */
export const bracket =
  <R>(acquire: () => Promise<R>, release: (r: R) => Promise<void>) =>
  <A>(use: (r: R) => Observable<A>): Observable<A> => {
    const leaving = new Set<Promise<void>>()
    return new Observable((subscriber) => {
      const acquired = Promise.all(leaving).then(acquire)
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
        const left = once().catch(() => {}) // told by the stream to whoever listens
        leaving.add(left)
        left.then(() => leaving.delete(left))
      }
    })
  }
