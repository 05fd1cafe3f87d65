/**
 * `payments.charges.changes()`: charges that come or change, as a stream.
 *
 *     poll     newest charges ... lists of open statuses ... those that have left them     at most every 10 s
 *     between  charges that deliveries name
 *
 * A poll reads the last two minutes before the newest charge, or, each tenth time, the whole lookback: a charge may come
 * late to the list. Open charges are listed by their status. A charge that is not listed as open any more is read by id, or,
 * where some are close in time, by a page of their time. A row that the stream has emitted in the same version is dropped.
 *
 * The stream stands up to T: the time of the newest charge, or of the earlier of two clocks, in whole seconds. State is
 * changed by acknowledged rows only; after a kill, a stream emits again everything since it saved its state last.
 */
import { Observable, ReplaySubject } from 'rxjs'
import { resolveOptions } from '../options/index.js'
import { consume, type Pull } from '../stream/Pull.js'
import type { FeedItem, FeedPage } from './ChangeFeed.js'
import {
  type ChangeEvent,
  type Changes,
  type ChangesOptions,
  changesTable,
} from './ChangesOptions.js'
import { type ChangesSource, feedPages } from './feedPages.js'

// constructors

/** Throws an `InvalidOption` for options that cannot work. Sends nothing until it is subscribed to. */
export const changes =
  <A>(source: ChangesSource<A>) =>
  (given: ChangesOptions = {}): Changes<A> => {
    const options = resolveOptions(given, changesTable, { context: 'changes: ' })
    return changesOf((stop) => feedPages(source, options, stop))
  }

/** The stream of pages that are opened anew for each subscription, until `stop` emits. */
export const changesOf = <A>(
  pagesUntil: (stop: ReplaySubject<void>) => Opened<A>['pages'],
): Changes<A> => {
  const open = (): Opened<A> => {
    const stop = new ReplaySubject<void>(1)
    return { pages: pagesUntil(stop), stop: () => stop.next() }
  }
  return Object.assign(pushed(open), {
    [Symbol.asyncIterator]: () => iterated(open()),
    drain: <B>(project: (event: ChangeEvent<A>) => Observable<B>) =>
      consume(project)(() => pulled(iterated(open()))),
  })
}

interface Opened<A> {
  readonly pages: AsyncGenerator<FeedPage<A>, void, undefined>
  /** Aborts what is on its way. */
  readonly stop: () => void
}

// views

/** A change is acknowledged when `next` of the subscriber has returned, also when it unsubscribes there. */
const pushed = <A>(open: () => Opened<A>): Observable<ChangeEvent<A>> =>
  new Observable((subscriber) => {
    const { pages, stop } = open()
    const push = async (): Promise<void> => {
      for await (const page of pages) {
        for (const { event, acknowledge } of page) {
          subscriber.next(event)
          acknowledge()
          if (subscriber.closed) return
        }
      }
      subscriber.complete()
    }
    push().catch((error: unknown) => subscriber.error(error))
    return stop
  })

/** A change is acknowledged when the next one is asked for. */
const iterated = <A>({
  pages,
  stop,
}: Opened<A>): AsyncIteratorObject<ChangeEvent<A>, undefined, unknown> => {
  const events = eventsOf(pages)
  const close = async (): Promise<void> => {
    stop()
    await events.return(undefined)
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => events.next(),
    return: async () => {
      await close()
      return { done: true, value: undefined }
    },
    throw: async (error: unknown) => {
      await close()
      throw error
    },
    [Symbol.asyncDispose]: close,
  }
}

async function* eventsOf<A>(
  pages: AsyncIterable<ReadonlyArray<FeedItem<A>>>,
): AsyncGenerator<ChangeEvent<A>, undefined, undefined> {
  for await (const page of pages) {
    for (const { event, acknowledge } of page) {
      yield event
      acknowledge()
    }
  }
  return undefined
}

const pulled = <A>(events: AsyncIteratorObject<A, undefined, unknown>): Pull<A> => ({
  next: new Observable<A>((subscriber) => {
    events.next().then(
      ({ done, value }) => {
        if (done !== true) subscriber.next(value)
        subscriber.complete()
      },
      (error: unknown) => subscriber.error(error),
    )
  }),
  close: () => {
    events.return?.().catch(() => {}) // its failure is reported by `next`
  },
})
