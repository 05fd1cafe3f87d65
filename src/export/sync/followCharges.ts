/**
 * Keeps charges current, poll by poll, in a table that a sync has filled. Uses the lease and the state of the sync.
 *
 *     poll     newest charges ... lists of open statuses ... those that have left them     each page is a step
 *     daily    rejected rows again ... a sweep ... the proof
 *
 * The table serves as memory: rows that it already has in the same version are not written. An outage is emitted, and the next
 * poll continues.
 */
import type { Observable } from 'rxjs'
import { PollInterrupted } from '../../changes/Asking.js'
import type { Ledger, Seconds } from '../../changes/Ledger.js'
import type { PollPage } from '../../changes/Poll.js'
import { withoutPrototype, withoutUndefined } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import { exportError } from '../ExportError.js'
import type { Transfer } from '../transfer/Transfer.js'
import type { TransferEvent } from '../transfer/TransferEvent.js'
import { type FollowPace, followPolls } from './followPolls.js'
import { judged, type KeptTable, keptTable, rereadRejected } from './keepOpen.js'
import { proveRows } from './proveRows.js'
import type { Sweep } from './SyncOptions.js'

/** Maximum delay between a charge's creation and its first appearance in the list. Every tenth poll reads back this far. */
const LOOKBACK: Seconds = 3_600

/** Delay after a failed proof before the next attempt. */
const RETRY: Millis = 600_000

const DAY: Millis = 86_400_000

/** Polls until stopped or the lease is lost. Emits after each page, poll and proof. `readsAll`: all rows were just read. */
export const followCharges = <A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
  pace: FollowPace,
  readsAll: boolean,
): Observable<TransferEvent> => {
  const { counted, open, name } = transfer.session.destination
  if (counted === undefined || open === undefined) {
    const why = `follow cannot write to ${name}, because it does not count its rows`
    throw exportError('UnusableDestination', why, { destination: name })
  }
  return followPolls(transfer, pace, (stop) => {
    const { sweep, allowGone } = pace
    const kept = keptTable(transfer, ledger, { lookback: LOOKBACK, allowGone }, stop)
    let isNew = readsAll
    let notBefore = 0 // earliest time of the next proof, in ms since 1970
    return async function* () {
      for await (const page of kept.poll.next()) yield* taken(kept, page)
      const { upTo } = withoutPrototype(transfer.upkeep)
      yield { ...transfer.shown(), ...withoutUndefined({ upTo }) }
      if (ledger.now() < notBefore || !isProofDue(kept, pace)) return
      notBefore = ledger.now() + RETRY
      yield* proven(kept, isNew ? 'first' : sweep)
      isNew = false
      yield { ...transfer.shown(), ...withoutUndefined({ proof: transfer.proof }) }
    }
  })
}

/** Writes a page of a poll. Rejects with `PollInterrupted` if too many rows cannot be written. */
async function* taken<A>(
  { transfer, memory }: KeptTable<A>,
  { rows, doubt }: PollPage<A>,
): AsyncGenerator<TransferEvent, void, undefined> {
  await memory.write(rows)
  if (transfer.upkeep.rejected.length > (transfer.plan.maxRejects ?? Number.POSITIVE_INFINITY)) {
    transfer.endWith('rejects')
    throw new PollInterrupted(undefined)
  }
  yield { ...transfer.shown(), ...(doubt && { outage: doubt }) }
}

async function* proven<A>(
  kept: KeptTable<A>,
  sweeping: Sweep | 'first',
): AsyncGenerator<TransferEvent, void, undefined> {
  const { transfer, asks, absences, memory } = kept
  transfer.swept = undefined
  transfer.proof = undefined
  const before = asks.rows()
  absences.held.clear() // they will be read again
  yield* rereadRejected(kept)
  yield* proveRows(kept, sweeping)
  memory.reset()
  yield* taken(kept, await judged(kept, asks.rows() === before))
}

/** Returns true if the daily proof is due. */
const isProofDue = <A>({ transfer, ledger }: KeptTable<A>, { prove }: FollowPace): boolean => {
  const now = ledger.now()
  const last = now - ((now - prove) % DAY)
  const { proved = 0 } = withoutPrototype(transfer.upkeep)
  const isToday = proved * 1_000 >= last && proved * 1_000 <= now // also true if a clock was wrong
  return !isToday
}
