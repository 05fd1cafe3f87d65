/** A stream of changes from its beginning to its end: polls, outages, deliveries, and what is kept. */
import type { ReplaySubject, SchedulerLike, Subscription } from 'rxjs'
import { toMillis } from '../codec/times.js'
import { E } from '../fp.js'
import type { DestinationWait } from '../http/ClientEvent.js'
import type { Resolved } from '../options/index.js'
import { isStoreError, type StoreError } from '../store/StoreError.js'
import { asking, PollInterrupted } from './Asking.js'
import { ChangeFeed, clocksOf, type FeedPage, hintOf } from './ChangeFeed.js'
import { ChangeSession } from './ChangeSession.js'
import type { ChangesFailure, changesTable } from './ChangesOptions.js'
import type { Ledger, Seconds } from './Ledger.js'

// model

/** The charges of a client, and its clock. */
export interface ChangesSource<A> {
  readonly ledger: Ledger<A>
  readonly timer: SchedulerLike
  /** Adds an event to those of the client. */
  readonly tell: (wait: DestinationWait) => void
}

/** Rows of a request that has the service tell its time: the minimum (interface, Limits). */
const SMALL_PAGE = 10

// functions

/** Emits until `stop` does, or another owner of the store has taken over. */
export async function* feedPages<A>(
  { ledger, timer, tell }: ChangesSource<A>,
  { since, every, lookback, store, events }: Resolved<typeof changesTable>,
  stop: ReplaySubject<void>,
): AsyncGenerator<FeedPage<A>, void, undefined> {
  const window: Seconds = Math.ceil(lookback / 1_000)
  let lost: StoreError | undefined
  let bug: { readonly error: unknown } | undefined
  let session: ChangeSession | undefined
  let hints: Subscription | undefined
  try {
    session = await ChangeSession.open({
      ...{ store, timer, tell, stop },
      onLost: (error) => {
        lost = error
        stop.next()
      },
    })
    const asks = asking(ledger, stop)
    const feed = new ChangeFeed<A>({
      ...{ ledger, asking: asks, session, every, timer, stop },
      lookback: window,
    })
    hints = events?.subscribe({
      next: (event) => {
        const id = E.isRight(event) ? hintOf(event.right) : undefined
        if (id !== undefined) feed.hint(id)
      },
      error: (error: unknown) => {
        bug = { error }
        stop.next()
      },
    })
    for (;;) {
      const began = timer.now()
      try {
        if (session.isNew && since === undefined && ledger.serviceTime() === undefined) {
          await asks.page({ page: 0, size: SMALL_PAGE })
        }
        if (session.isNew) session.begin(beginning(ledger, since, window))
        yield* feed.poll()
      } catch (error) {
        const failure = outageOf(error)
        if (failure === undefined) throw error
        yield failed(failure)
      }
      yield* feed.pause(began + every)
    }
  } catch (error) {
    if (bug !== undefined) throw bug.error
    if (lost !== undefined) yield failed(lost)
    else if (isStoreError(error)) yield failed(error)
    else if (!(error instanceof PollInterrupted)) throw error
  } finally {
    hints?.unsubscribe()
    // what cannot be kept is emitted again by the next stream
    await session?.close().catch((error: unknown) => {
      if (!isStoreError(error)) throw error
    })
  }
}

/** The state of a stream that begins now. Charges of the lookback before it are known, so that late ones stand out. */
const beginning = (
  ledger: Ledger<unknown>,
  since: Date | string | undefined,
  lookback: Seconds,
): Parameters<ChangeSession['begin']>[0] => {
  const from = since === undefined ? clocksOf(ledger).earliest : Math.floor(toMillis(since) / 1_000)
  return { floor: from - lookback, upTo: from, baseline: from }
}

/** Returns the failure after which a stream goes on. */
const outageOf = (error: unknown): ChangesFailure | undefined => {
  if (error instanceof PollInterrupted) return error.failure
  return isStoreError(error) && error._tag !== 'Fenced' ? error : undefined
}

const failed = <A>(failure: ChangesFailure): FeedPage<A> => [
  { event: E.left(failure), acknowledge: () => {} },
]
