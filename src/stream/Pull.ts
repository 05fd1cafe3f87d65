/** Sources that are asked, as RxJS has none. */
import {
  concatMap,
  defer,
  EMPTY,
  Observable,
  of,
  ReplaySubject,
  Subject,
  Subscription,
  takeUntil,
  tap,
} from 'rxjs'
import { inTurn } from './inTurn.js'

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

// combinators

/**
 * Asks for up to `count` values before they are wanted: while one is worked on, the next are on their
 * way, one at a time. Values asked for less values taken never exceed `count + 1`.
 */
export const ahead =
  (count: number) =>
  <P>(source: Pull<P>): Pull<P> => {
    const waiting: Array<ReplaySubject<P>> = [] // asked for, and not taken yet
    let inFlight = Subscription.EMPTY
    let asking = false
    let ended = false

    const ask = (): void => {
      const slot = new ReplaySubject<P>(1)
      let got = false
      waiting.push(slot)
      asking = true
      const flight = new Subscription()
      inFlight = flight // before subscribing: a value that comes at once asks for the next from within
      const asked = source.next.subscribe({
        next: (p) => {
          got = true
          slot.next(p)
        },
        error: (error: unknown) => {
          asking = false
          ended = true
          slot.error(error)
        },
        complete: () => {
          asking = false
          ended ||= !got
          slot.complete()
          fill()
        },
      })
      flight.add(asked)
    }

    const fill = (): void => {
      while (!ended && !asking && waiting.length < count) ask()
    }

    return {
      next: defer(() => {
        if (waiting.length === 0 && !ended) ask()
        const slot = waiting.shift() ?? EMPTY
        fill()
        return slot
      }),
      close: () => {
        ended = true
        inFlight.unsubscribe()
        source.close()
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
      const left = new Subject<void>()
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
              takeUntil(left),
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
        left.next()
        pull.close()
      })
      ask()
    })

/** Asks for the next value when the one before has been taken by everyone downstream. */
export const observe: <P>(open: () => Pull<P>) => Observable<P> = consume((value) => of(value))

/** For `for await`: leaving the loop aborts what is on its way. */
export const iterate = <P>(open: () => Pull<P>): AsyncIterableIterator<P> => {
  let pull: Pull<P> | undefined
  let inner: Subscription | undefined
  let finish: (() => void) | undefined
  let closed = false

  const close = (): void => {
    if (closed) return
    closed = true
    inner?.unsubscribe()
    pull?.close()
    finish?.()
  }

  const next = (): Promise<IteratorResult<P>> =>
    new Promise((resolve, reject) => {
      if (closed) return resolve({ done: true, value: undefined })
      pull ??= open()
      let result: IteratorResult<P> = { done: true, value: undefined }
      finish = () => resolve({ done: true, value: undefined })
      inner = pull.next.subscribe({
        next: (value) => {
          result = { done: false, value }
        },
        error: (error: unknown) => {
          reject(error) // first: closing ends what is pending
          close()
        },
        complete: () => {
          if (result.done === true) close()
          resolve(result)
        },
      })
    })

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: inTurn(next),
    return: () => {
      close()
      return Promise.resolve({ done: true, value: undefined })
    },
  }
}
