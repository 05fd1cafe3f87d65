/**
 * `payments.charges.changes()`: new and changed charges as a stream.
 *
 *     poll     newest charges ... lists of open statuses ... those that have left them     at most every 10 s
 *     between  charges that deliveries name
 *
 * A poll reads the two minutes before the newest charge. Every tenth poll reads the whole lookback, because a charge may appear
 * late in the list. Open charges are listed by status. A charge that is no longer listed as open is read by id; several that
 * are close in time are read with a page of that time. A row is dropped if the stream has already emitted the same version of
 * it.
 *
 * The stream is complete up to T, which is the time of the newest charge or of the earlier of two clocks, in whole seconds.
 * Only acknowledged rows change the state. After a kill, a stream repeats everything since its last saved state.
 */
import { Observable, ReplaySubject } from 'rxjs'
import { resolveOptions } from '../options/index.js'
import { iterator } from '../stream/Paged.js'
import { consume, pullFrom } from '../stream/Pull.js'
import type { FeedItem, FeedPage } from './ChangeFeed.js'
import {
  type ChangeEvent,
  type Changes,
  type ChangesOptions,
  changesTable,
} from './ChangesOptions.js'
import { type ChangesSource, feedPages } from './feedPages.js'

/** Throws an `InvalidOption` for invalid options. Sends nothing until it is subscribed to. */
export const changes =
  <A>(source: ChangesSource<A>) =>
  (given: ChangesOptions = {}): Changes<A> => {
    const options = resolveOptions(given, changesTable, { context: 'changes: ' })
    return changesOf((stop) => feedPages(source, options, stop))
  }

/** Creates a stream of pages. Each subscription opens a new source, which ends when `stop` emits. */
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
      consume(project)(() => pullFrom(iterated(open()))),
  })
}

interface Opened<A> {
  readonly pages: AsyncGenerator<FeedPage<A>, void, undefined>
  /** Aborts requests in flight. */
  readonly stop: () => void
}

// views

/** Pushes changes. A change is acknowledged when the subscriber's `next` returns, even if it unsubscribes there. */
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

/** Iterates over changes. A change is acknowledged when the next one is requested. */
const iterated = <A>({
  pages,
  stop,
}: Opened<A>): AsyncIteratorObject<ChangeEvent<A>, undefined, unknown> => {
  const events = eventsOf(pages)
  return iterator(
    () => events.next(),
    async () => {
      stop()
      await events.return(undefined)
    },
  )
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
