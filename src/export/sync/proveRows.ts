/** The proof that a destination has all charges, each night, and the sweep that reads a part of them whole. */
import { concat, defer, map, type Observable } from 'rxjs'
import { type Asking, asking } from '../../changes/Asking.js'
import type { Ledger, Seconds, Stretch } from '../../changes/Ledger.js'
import type { Counted } from '../../changes/proof/Counting.js'
import type { CountedTable, ProofTable } from '../../changes/proof/ProofTable.js'
import { prove } from '../../changes/proof/prove.js'
import { type SweepPosition, sweep } from '../../changes/proof/sweep.js'
import { finalChargeStatuses } from '../../codec/Charge.js'
import { withoutPrototype, withoutUndefined } from '../../fp.js'
import type { CountedRows } from '../transfer/Destination.js'
import type { Transfer } from '../transfer/Transfer.js'
import type { TransferEvent } from '../transfer/TransferEvent.js'
import type { RejectedRow, Upkeep } from '../transfer/TransferState.js'
import { endWith, markGone, written } from './keepOpen.js'
import type { Sweep } from './SyncOptions.js'

/** Rows younger than this may still be on their way to the list, in seconds: an hour. */
export const SETTLING: Seconds = 3_600

/** A round of sweeps takes so many nights. */
export const NIGHTS = 30

/** Sweeps a part of the rows of a destination, and proves them all. Emits at the end of each. */
export const proveRows = <A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
  sweeping: Sweep | 'first',
): Observable<TransferEvent> =>
  concat(
    ...[sweepRows, proveCounts].map((work) =>
      defer(async () => {
        if (transfer.isCut) return
        try {
          await work(transfer, ledger, asking(ledger, transfer.cuts), sweeping)
        } catch (error) {
          endWith(transfer, error)
        }
      }),
    ),
  ).pipe(map(() => transfer.shown()))

/** Reads a part of the rows whole. Rejects with `Interrupted`. */
export const sweepRows = async <A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
  asks: Asking<A>,
  sweeping: Sweep | 'first',
): Promise<void> => {
  const { counted } = transfer.session.queries
  if (counted === undefined || sweeping === 'off') return
  const { from, to } = settledRows(transfer, ledger)
  const now = to + SETTLING
  if (sweeping === 'first') {
    const sweep = { began: now, before: now }
    await transfer.readAgain([], [], { sweep })
    return
  }
  const table = tableOf(transfer, counted, ledger)
  // whole: a row may differ in what its version does not tell
  const whole = {
    ...table,
    write: (rows: Parameters<typeof table.write>[0]) => written(transfer, rows, 'all'),
  }
  const position: SweepPosition | undefined = transfer.upkeep.sweep
  const nights = sweeping === 'now' ? 1 : NIGHTS
  const { position: next, ...healed } = await sweep(asks, whole, {
    ...{ from, until: to, now, nights, depth: depthOf(transfer, now) },
    ...withoutUndefined({ position }),
  })
  transfer.swept = healed
  const { began, swept: last, before } = next
  const kept = { began, ...withoutUndefined({ swept: last, before }) }
  await transfer.readAgain([], [], { sweep: kept })
}

/** Counts all rows against the service, and puts right what differs. Rejects with `Interrupted`. */
export const proveCounts = async <A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
  asks: Asking<A>,
): Promise<void> => {
  const { counted } = transfer.session.queries
  if (counted === undefined) return
  const { from, to: until } = settledRows(transfer, ledger)
  const { sweep } = transfer.upkeep
  const now = Math.floor(ledger.now() / 1_000)
  const depth = depthOf(transfer, now)
  const table = tableOf(transfer, counted, ledger)
  const proof = await prove(asks, table, { from, until, final: finalChargeStatuses, depth })
  const { late = 0, gone = 0 } = transfer.swept ?? {}
  transfer.proof = {
    ...proof,
    late: proof.late + late,
    gone: proof.gone + gone + (transfer.rereads?.gone ?? 0),
    ...withoutUndefined({
      readSince: sweep?.before === undefined ? undefined : sweep.before * 1_000,
    }),
  }
  const { answered, refused } = proof.depth
  const learned =
    refused === undefined ? undefined : refused === depth?.refused ? depth.learned : now
  await transfer.readAgain([], [], {
    depth: { answered, ...withoutUndefined({ refused, learned }) },
    proved: Math.floor(ledger.now() / 1_000),
  })
}

/** Deep pages that the service has refused are tried again after so long, in seconds: 30 days. */
const DEPTH_KEPT: Seconds = 30 * 86_400

/** Returns what is known of the depth of pages, as far as that is not too old. */
const depthOf = <A>({ upkeep }: Transfer<A, A>, now: Seconds): Upkeep['depth'] => {
  if (upkeep.depth === undefined) return undefined
  const { answered, refused, learned = Number.NEGATIVE_INFINITY } = upkeep.depth
  return now - learned > DEPTH_KEPT
    ? { answered }
    : { answered, ...withoutUndefined({ refused, learned }) }
}

/** Returns the rows that a proof counts: from the first one of the sync on, up to an hour ago. */
const settledRows = <A>(transfer: Transfer<A, A>, ledger: Ledger<A>): Counted => {
  const { since = 0 } = withoutPrototype(transfer.upkeep)
  return {
    from: since <= 0 ? Number.NEGATIVE_INFINITY : Math.floor(since / 1_000),
    to: settledBy(ledger),
  }
}

/** Returns the upper bound of the rows that can be counted, in seconds since 1970. */
export const settledBy = (ledger: Pick<Ledger<unknown>, 'now' | 'serviceTime'>): Seconds =>
  Math.floor(Math.min(ledger.now(), ledger.serviceTime() ?? Number.POSITIVE_INFINITY) / 1_000) -
  SETTLING

const tableOf = <A>(
  transfer: Transfer<A, A>,
  counted: CountedRows,
  ledger: Ledger<A>,
): ProofTable<A> => {
  const table = (): CountedTable => withRejected(counted, transfer.upkeep.rejected)
  let read: Stretch = { from: Number.NEGATIVE_INFINITY, to: 0 } // where ids were asked for last
  return {
    counts: (stretches) => table().counts(stretches),
    nth: counted.nth,
    ids: (rows) => {
      read = rows
      return table().ids(rows)
    },
    write: (rows) => written(transfer, rows),
    markGone: (ids) => markGone(transfer, ids, ledger.now(), read),
  }
}

/** Counts rows that came and could not be written, too: else they would be missed each night anew. */
export const withRejected = (
  table: CountedTable & Partial<Pick<CountedRows, 'versions'>>,
  rejected: ReadonlyArray<RejectedRow>,
): CountedTable => {
  const among = async ({ from, to }: Stretch): Promise<ReadonlyArray<RejectedRow>> => {
    const rows = rejected.filter(({ created }) => created >= from && created <= to)
    if (rows.length === 0) return []
    const there: ReadonlyMap<string, unknown> = (await table.versions?.(rows)) ?? new Map()
    return rows.filter(({ id }) => !there.has(id))
  }
  return {
    counts: async (stretches) => {
      const counts = (await table.counts(stretches)).map((one) => new Map(one))
      for (const [i, stretch] of stretches.entries()) {
        for (const { status } of await among(stretch)) {
          counts[i]?.set(status, (counts[i].get(status) ?? 0) + 1)
        }
      }
      return counts
    },
    nth: table.nth,
    ids: async ({ status, ...stretch }) => {
      const waiting = await among(stretch)
      const wanted = waiting.filter((row) => status === undefined || row.status === status)
      return [...(await table.ids({ status, ...stretch })), ...wanted.map(({ id }) => id)]
    },
  }
}
