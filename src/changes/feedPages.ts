/** A stream of changes from start to end, with its polls, outages, deliveries and stored state. */
import type { ReplaySubject, SchedulerLike, Subscription } from 'rxjs'
import { toMillis } from '../codec/times.js'
import { E } from '../fp.js'
import type { DestinationWait } from '../http/ClientEvent.js'
import type { Resolved } from '../options/index.js'
import { isStoreError, type StoreError } from '../store/StoreError.js'
import type { Millis } from '../stream/index.js'
import { asking, PollInterrupted } from './Asking.js'
import { ChangeFeed, type FeedPage, failed, hintOf } from './ChangeFeed.js'
import { ChangeSession } from './ChangeSession.js'
import type { ChangesFailure, changesTable } from './ChangesOptions.js'
import type { Ledger, Seconds } from './Ledger.js'
import { clocksOf } from './Poll.js'
import { polling } from './polling.js'

/** The charges of a client, and its clock. */
export interface ChangesSource<A> {
  readonly ledger: Ledger<A>
  readonly timer: SchedulerLike
  /** Adds an event to those of the client. */
  readonly tell: (wait: DestinationWait) => void
}

/** Page size of a request that is sent only to learn the time of the service: the API minimum. */
const SMALL_PAGE = 10

/** Emits until `stop` emits, or until another owner takes over the store. */
export async function* feedPages<A>(
  { ledger, timer, tell }: ChangesSource<A>,
  { since, initial, every, lookback, allowGone, store, events }: Resolved<typeof changesTable>,
  stop: ReplaySubject<void>,
): AsyncGenerator<FeedPage<A>, void, undefined> {
  const window: Seconds = Math.ceil(lookback / 1_000)
  let lost: StoreError | undefined
  let bug: { readonly error: unknown } | undefined
  let session: ChangeSession | undefined
  let hints: Subscription | undefined
  try {
    session = await ChangeSession.open({
      ...{ store, timer, tell, stop, lookback: window },
      onLost: (error) => {
        lost = error
        stop.next()
      },
    })
    const asks = asking(ledger, stop)
    const feed = new ChangeFeed<A>({
      ...{ ledger, asking: asks, session, timer, stop, allowGone },
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
    const state = session
    const poll = async function* (): AsyncGenerator<FeedPage<A>, void, undefined> {
      if (state.isNew && since === undefined && ledger.serviceTime() === undefined) {
        await asks.page({ page: 0, size: SMALL_PAGE })
      }
      if (state.isNew) {
        state.begin({
          ...beginning(ledger, since, window),
          ...(initial === 'silent' ? { silent: true } : {}),
        })
      }
      yield* feed.poll()
    }
    const pause = (until: Millis) => feed.pause(until)
    yield* polling({ every, timer, stop, poll, outage: failed<A>, outageOf, pause })
  } catch (error) {
    if (bug !== undefined) throw bug.error
    if (lost !== undefined) yield failed(lost)
    else if (isStoreError(error)) yield failed(error)
    else if (!(error instanceof PollInterrupted)) throw error
  } finally {
    hints?.unsubscribe()
    // changes that could not be saved are emitted again by the next stream
    await session?.close().catch((error: unknown) => {
      if (!isStoreError(error)) throw error
    })
  }
}

/** Returns the state of a stream that starts now. Remembers charges within the lookback, to recognize late ones. */
const beginning = (
  ledger: Ledger<unknown>,
  since: Date | string | undefined,
  lookback: Seconds,
): Parameters<ChangeSession['begin']>[0] => {
  const from = since === undefined ? clocksOf(ledger).earliest : Math.floor(toMillis(since) / 1_000)
  return { floor: from - lookback, upTo: from, baseline: from }
}

/** Returns the failure if the stream continues after this error. */
const outageOf = (error: unknown): ChangesFailure | undefined => {
  if (error instanceof PollInterrupted) return error.failure
  return isStoreError(error) && error._tag !== 'Fenced' ? error : undefined
}
