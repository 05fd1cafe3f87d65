/** Polls that keep a table current, with the lease and the state of its sync. */
import { finalize, from, merge, type Observable, ReplaySubject, type SchedulerLike } from 'rxjs'
import { polling } from '../../changes/polling.js'
import type { Millis } from '../../stream/index.js'
import type { Transfer } from '../transfer/Transfer.js'
import type { TransferEvent } from '../transfer/TransferEvent.js'
import { endWith } from './keepOpen.js'
import type { Sweep } from './SyncOptions.js'

export interface FollowPace {
  readonly every: Millis
  /** Time of day of the proof, in ms since midnight, UTC. */
  readonly prove: Millis
  readonly sweep: Sweep
  readonly allowGone: number | undefined
  readonly timer: SchedulerLike
}

/**
 * Polls until the transfer is stopped or its lease is lost. Emits an outage, and continues with the next poll. `pollUntil`:
 * returns a poll; the first value of `stop` interrupts the requests of that poll.
 */
export const followPolls = <A>(
  transfer: Transfer<A, A>,
  { every, timer }: FollowPace,
  pollUntil: (stop: Observable<unknown>) => () => AsyncIterable<TransferEvent>,
): Observable<TransferEvent> => {
  const over = new ReplaySubject<void>(1)
  const stop = merge(transfer.cuts, over)
  async function* events(): AsyncGenerator<TransferEvent, void, undefined> {
    try {
      yield* polling({
        ...{ every, timer, stop, poll: pollUntil(stop) },
        outage: (outage): TransferEvent => ({ ...transfer.shown(), outage }),
      })
    } catch (error) {
      endWith(transfer, error)
    }
  }
  return from(events()).pipe(finalize(() => over.next()))
}
