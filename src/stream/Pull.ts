/** Sources that are pulled, which RxJS does not have. They control when a page is requested and when it is delivered. */
import {
  concatMap,
  defer,
  Observable,
  of,
  Subject,
  type Subscriber,
  type Subscription,
  take,
  takeUntil,
  tap,
} from 'rxjs'
import type { IO } from '../fp.js'

/**
 * A source from which each value is pulled. RxJS pushes and has no way to say "wait", so a reader that writes pages to a slow
 * file must ask for each page.
 */
export interface Pull<P> {
  /** Pulls one value per subscription: emits the value and completes, or only completes at the end. */
  readonly next: Observable<P>
  /** Abandons values in flight. */
  readonly close: () => void
}

/** Decides which pages are requested, and in what order they are delivered. */
export interface PagePlan<Answer, P> {
  /** Returns the next request if it is already known. */
  readonly next: () => PageRequest<Answer> | undefined
  /** Returns the number of pages that have arrived but were not yet delivered. */
  readonly ready: () => number
  /** Removes and returns the next page to deliver, if it has arrived. Throws the error that ended the plan. */
  readonly deliver: () => P | undefined
  /** Returns true if all pages have been delivered. */
  readonly isDone: () => boolean
  /** Cancels all requests in flight. */
  readonly cancel: () => void
}

export interface PageRequest<Answer> {
  readonly answer: Observable<Answer>
  readonly receive: (answer: Answer) => void
  /** The subscription with which the plan cancels the request. */
  readonly flight: Subscription
}

/** The number of pages to hold at a time. It may change during reading. */
export interface PullWidth {
  /** Maximum number of pages that have been requested but not consumed: in flight, ready, or being processed. */
  readonly width: IO<number>
  /** Maximum number of concurrent requests. Default: `width`. */
  readonly concurrency?: IO<number>
}

export const pullOf = <P>(value: P): Pull<P> => {
  const values = [value]
  return {
    next: defer(() => values.splice(0)),
    close: () => {
      values.length = 0
    },
  }
}

/** Pulls from a source that will be known later. */
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

/**
 * Pulls the pages of a plan. Nothing is requested until the first page is pulled. A page counts as consumed when the next one
 * is pulled.
 *
 *     width 3      request -> in flight -> ready -> processed -> consumed
 *                             |--------- at most 3 ---------|
 */
export const pullPages = <Answer, P>(
  plan: PagePlan<Answer, P>,
  { width, concurrency = width }: PullWidth,
): Pull<P> => {
  let taker: Subscriber<P> | undefined
  let underWay = 0
  let workedOn = 0
  let findsReady = false // the taker, which does not have to wait
  let bug: { readonly error: unknown } | undefined
  let stepping = false
  let closed = false

  const fail = (error: unknown): void => {
    bug ??= { error }
    plan.cancel()
  }

  /** Calls the plan. If the plan calls back, no step starts until the call is done. */
  const guarded = <T>(run: () => T): T | undefined => {
    const outer = stepping
    stepping = true
    try {
      return run()
    } catch (error) {
      fail(error)
      return undefined
    } finally {
      stepping = outer
    }
  }

  const deliver = (): boolean => {
    const to = taker
    if (to === undefined) return false
    const page = guarded(() => plan.deliver())
    // the last request may complete, and is not cancelled
    const isDone = plan.isDone() && underWay === 0
    if (page === undefined && bug === undefined && !isDone) return false
    taker = undefined
    findsReady = false
    if (page !== undefined) {
      workedOn = 1
      to.next(page)
      to.complete()
    } else if (bug !== undefined) to.error(bug.error)
    else to.complete()
    return true
  }

  const send = (): boolean => {
    const isFull = underWay >= concurrency() || underWay + plan.ready() + workedOn >= width()
    if (isFull || bug !== undefined) return false
    const request = guarded(() => plan.next())
    if (request === undefined) return bug !== undefined
    underWay++
    const subscription = defer(() => request.answer).subscribe({
      next: (answer) => {
        guarded(() => request.receive(answer))
        step()
      },
      error: fail,
    })
    request.flight.add(subscription)
    subscription.add(() => {
      underWay--
      step()
    })
    return true
  }

  /**
   * Delivers first and sends then, so that a consumer that has enough can unsubscribe before more is requested. If another page
   * is ready, however, processing may take long, so requests are sent first. This is a loop, because a consumer requests the
   * next page from within `next`.
   */
  const step = (): void => {
    if (stepping) return
    stepping = true
    while (!closed && ((findsReady && send()) || deliver() || send()));
    stepping = false
  }

  return {
    next: new Observable((subscriber) => {
      if (closed) return subscriber.complete()
      workedOn = 0
      taker = subscriber
      findsReady = plan.ready() > 0
      step()
      return () => {
        if (taker === subscriber) taker = undefined
      }
    }),
    close: () => {
      closed = true
      plan.cancel()
    },
  }
}

// interop

/** Processes one value after the other. Pulls the next value once `project(value)` has completed. */
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
        // a loop and not a recursion, because each value that arrives synchronously would nest a frame
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

      // added before the first value, because there is no subscription to end yet while work completes synchronously
      subscriber.add(() => {
        unsubscribed.next()
        pull.close()
      })
      ask()
    })

/** Pulls the next value once all of downstream has taken the previous one. */
export const observe: <P>(open: () => Pull<P>) => Observable<P> = consume((value) => of(value))

/** Pulls from an iterator. Its `return` abandons values in flight. */
export const pullFrom = <P>({
  next,
  return: leave,
}: Pick<AsyncIterator<P, unknown, undefined>, 'next' | 'return'>): Pull<P> => ({
  next: new Observable((subscriber) => {
    next().then(
      ({ done, value }) => {
        if (done !== true) subscriber.next(value)
        subscriber.complete()
      },
      (error: unknown) => subscriber.error(error),
    )
  }),
  close: () => {
    leave?.().catch(() => {}) // `next` reports its failure
  },
})
