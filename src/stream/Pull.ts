/** Sources that are asked, as RxJS has none: when a page is requested, and when it is delivered. */
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

/** Decides which pages are requested, and in which order they are delivered. */
export interface PagePlan<Answer, P> {
  /** Returns the next request, if one is known by now. */
  readonly next: () => PageRequest<Answer> | undefined
  /** Pages that have come and are not delivered. */
  readonly ready: () => number
  /** Removes and returns the page to deliver next, if it has come. Throws what the plan ended with. */
  readonly deliver: () => P | undefined
  /** Returns whether all pages were delivered. */
  readonly isDone: () => boolean
  /** Cancels all requests under way. */
  readonly cancel: () => void
}

export interface PageRequest<Answer> {
  readonly answer: Observable<Answer>
  readonly receive: (answer: Answer) => void
  /** The plan cancels the request by it. */
  readonly flight: Subscription
}

/** How many pages at a time, which may change meanwhile. */
export interface PullWidth {
  /** The most pages that are requested and not consumed: under way, ready, or being worked on. */
  readonly width: IO<number>
  /** The most requests under way at once. Default: `width`. */
  readonly concurrency?: IO<number>
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

/**
 * Pulls the pages of a plan. Nothing is requested before the first page is asked for. A page is consumed when
 * the one after it is asked for.
 *
 *     width 3      request -> under way -> ready -> worked on -> consumed
 *                             |--------- at most 3 ---------|
 */
export const pullPages = <Answer, P>(
  plan: PagePlan<Answer, P>,
  { width, concurrency = width }: PullWidth,
): Pull<P> => {
  let taker: Subscriber<P> | undefined
  let underWay = 0
  let workedOn = 0
  let findsReady = false // the taker, which need not wait
  let bug: { readonly error: unknown } | undefined
  let stepping = false
  let closed = false

  const fail = (error: unknown): void => {
    bug ??= { error }
    plan.cancel()
  }

  /** Runs what calls the plan, whose own calls back must not start a step before it is done. */
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
    // what came last is left when it has completed, and not cancelled
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
   * Delivers, then sends: a consumer that has enough leaves before more is requested. But what it finds ready may
   * be worked on for long: then requests are sent first. A loop, since a consumer asks for the next page from
   * within `next`.
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

      // before the first: while work comes at once, there is no subscription to end yet
      subscriber.add(() => {
        unsubscribed.next()
        pull.close()
      })
      ask()
    })

/** Asks for the next value when the one before has been taken by everyone downstream. */
export const observe: <P>(open: () => Pull<P>) => Observable<P> = consume((value) => of(value))

/** Pulls from an iterator, whose `return` gives up what is on its way. */
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
    leave?.().catch(() => {}) // its failure is reported by `next`
  },
})
