/** Sources that are asked, as RxJS has none. */
import { concatMap, defer, Observable, of, Subject, take, takeUntil, tap } from 'rxjs'

// model

/**
 * A source that is asked for each of its values. RxJS pushes, and has no way to say "wait": what reads
 * pages for a file that cannot keep up must ask for them one by one.
 */
export interface Pull<P> {
  /** Each subscription asks for one value: it emits that and completes, or just completes at the end. */
  readonly next: Observable<P>
  /** Gives up what is on its way. */
  readonly close: () => void
}

// constructors

/** One value, and no more. */
export const pullOf = <P>(value: P): Pull<P> => {
  const values = [value]
  return {
    next: defer(() => values.splice(0)),
    close: () => {
      values.length = 0
    },
  }
}

/** Pulls from a source that is known later: its first value is asked for when it is. */
export const pullLater = <P>(opening: Observable<Pull<P>>): Pull<P> => {
  let pull: Pull<P> | undefined
  let closed = false
  return {
    next: defer(() =>
      pull !== undefined
        ? pull.next
        : opening.pipe(
            take(1),
            concatMap((opened) => {
              pull = opened
              if (closed) opened.close()
              return opened.next
            }),
          ),
    ),
    close: () => {
      closed = true
      pull?.close()
    },
  }
}

// interop

/** Works on one value after the other: the next is asked for when `project(value)` has completed. */
export const consume =
  <P, B>(project: (value: P) => Observable<B>) =>
  (open: () => Pull<P>): Observable<B> =>
    new Observable((subscriber) => {
      const pull = open()
      const unsubscribed = new Subject<void>()
      let asking = false
      let again = true

      const ask = (): void => {
        asking = true
        // a loop, not a recursion: values that come at once would nest a frame each
        while (again && !subscriber.closed) {
          again = false
          let got = false
          pull.next
            .pipe(
              tap(() => {
                got = true
              }),
              concatMap(project),
              takeUntil(unsubscribed),
            )
            .subscribe({
              next: (b) => subscriber.next(b),
              error: (error: unknown) => subscriber.error(error),
              complete: () => {
                again = got
                if (!got) subscriber.complete()
                else if (!asking) ask()
              },
            })
        }
        asking = false
      }

      // before the first: who leaves while work comes at once has no subscription to end yet
      subscriber.add(() => {
        unsubscribed.next()
        pull.close()
      })
      ask()
    })

/** Asks for the next value when the one before has been taken by everyone downstream. */
export const observe: <P>(open: () => Pull<P>) => Observable<P> = consume((value) => of(value))
