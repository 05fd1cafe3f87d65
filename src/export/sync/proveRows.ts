/** The nightly proof that a destination has all charges, and the sweep that re-reads a part of them. */
import type { OpenCharge } from '../../changes/KnownCharges.js'
import type { Ledger, Seconds, Stretch } from '../../changes/Ledger.js'
import type { Counted } from '../../changes/proof/Counting.js'
import type { CountedTable, ProofTable } from '../../changes/proof/ProofTable.js'
import { type Proof, prove } from '../../changes/proof/prove.js'
import { type SweepPosition, sweep } from '../../changes/proof/sweep.js'
import { finalChargeStatuses } from '../../codec/Charge.js'
import { withoutPrototype, withoutUndefined } from '../../fp.js'
import type { CountedRows } from '../transfer/Destination.js'
import type { Transfer } from '../transfer/Transfer.js'
import type { TransferEvent } from '../transfer/TransferEvent.js'
import type { RejectedRow, Upkeep } from '../transfer/TransferState.js'
import type { KeptTable } from './keepOpen.js'
import type { Sweep } from './SyncOptions.js'

/** Age below which rows may not be in the list yet: an hour, in seconds. */
export const SETTLING: Seconds = 3_600

/** Number of nights in one round of sweeps. */
export const NIGHTS = 30

/** Sweeps a part of the rows of a destination, then proves all rows. Emits after each. Rejects with `PollInterrupted`. */
export async function* proveRows<A>(
  kept: KeptTable<A>,
  sweeping: Sweep | 'first',
): AsyncGenerator<TransferEvent, void, undefined> {
  await sweepRows(kept, sweeping)
  yield kept.transfer.shown()
  await proveCounts(kept)
  yield kept.transfer.shown()
}

/** Re-reads a part of the rows. Rejects with `PollInterrupted`. */
const sweepRows = async <A>(kept: KeptTable<A>, sweeping: Sweep | 'first'): Promise<void> => {
  const { transfer, ledger, asks, memory, poll } = kept
  const { counted } = transfer.session.queries
  if (counted === undefined || sweeping === 'off') return
  const { from, to } = settledRows(transfer, ledger)
  const now = to + SETTLING
  if (sweeping === 'first') {
    const sweep = { began: now, before: now }
    await transfer.readAgain([], [], { sweep })
    return
  }
  const table = tableOf(kept, counted)
  // writes all rows, because a row may differ even if its version is equal
  const whole: typeof table = {
    ...table,
    write: async (rows) => {
      const { current, news } = await poll.compared(rows)
      await memory.write(current, news.length)
    },
  }
  const position: SweepPosition | undefined = transfer.upkeep.sweep
  const nights = sweeping === 'now' ? 1 : NIGHTS
  const { position: next, ...healed } = await sweep(asks, whole, {
    ...{ from, until: to, now, nights, depth: depthOf(transfer, now) },
    ...withoutUndefined({ position }),
  })
  transfer.swept = healed
  const { began, swept: last, before } = next
  await transfer.readAgain([], [], {
    sweep: { began, ...withoutUndefined({ swept: last, before }) },
  })
}

/** Compares the counts of all rows with the service, and repairs differences. Rejects with `PollInterrupted`. */
const proveCounts = async <A>(kept: KeptTable<A>): Promise<void> => {
  const { transfer, ledger, asks } = kept
  const { counted } = transfer.session.queries
  if (counted === undefined) return
  const { from, to: until } = settledRows(transfer, ledger)
  const { sweep } = transfer.upkeep
  const now = Math.floor(ledger.now() / 1_000)
  const depth = depthOf(transfer, now)
  const table = tableOf(kept, counted)
  const proof = await prove(asks, table, { from, until, final: finalChargeStatuses, depth })
  const { late = 0, gone = 0 } = transfer.swept ?? {}
  const unproven = unprovenAfter(transfer.upkeep.unproven, proof, now)
  transfer.proof = {
    ...proof,
    ...(unproven.length > 0 && { unprovenNights: Math.max(...unproven.map((one) => one.nights)) }),
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
    unproven,
  })
}

/** Maximum time between proofs of the same night, in seconds. */
const NIGHT: Seconds = 12 * 3_600

/** Maximum number of ranges that are stored. */
const MOST_UNPROVEN = 20

/** Counts consecutive nights for each differing range. A range continues an earlier range that it overlaps. */
const unprovenAfter = (
  before: Upkeep['unproven'] = [],
  { differences, uncountable, until }: Proof,
  now: Seconds,
): Required<Upkeep>['unproven'] => {
  const all: ReadonlyArray<Counted> =
    uncountable === undefined ? differences : [{ from: 0, to: until }]
  return all.slice(0, MOST_UNPROVEN).map(({ status, from, to }) => {
    const known = before.find((one) => one.status === status && one.from <= to && from <= one.to)
    const isCounted = known !== undefined && now - known.counted < NIGHT
    const nights = (known?.nights ?? 0) + (isCounted ? 0 : 1)
    const counted = isCounted ? known.counted : now
    return { from: Math.max(0, from), to, nights, counted, ...withoutUndefined({ status }) }
  })
}

/** Time after which deep pages that the service refused are tried again: 30 days, in seconds. */
const DEPTH_KEPT: Seconds = 30 * 86_400

/** Returns the known paging depth, unless it is outdated. */
const depthOf = <A>({ upkeep }: Transfer<A, A>, now: Seconds): Upkeep['depth'] => {
  if (upkeep.depth === undefined) return undefined
  const { answered, refused, learned = Number.NEGATIVE_INFINITY } = upkeep.depth
  return now - learned > DEPTH_KEPT
    ? { answered }
    : { answered, ...withoutUndefined({ refused, learned }) }
}

/** Returns the rows that a proof counts: from the first row of the sync up to an hour ago. */
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

/** Returns the rows as a proof counts them, including rejected ones and excluding those that are gone. */
const tableOf = <A>(
  { transfer, memory, absences, poll }: KeptTable<A>,
  counted: CountedRows,
): ProofTable<A> => {
  const table = (): CountedTable =>
    withoutGone(withRejected(counted, transfer.upkeep.rejected), absences.held)
  return {
    counts: (stretches) => table().counts(stretches),
    nth: counted.nth,
    find: (rows) => table().find(rows),
    write: async (rows) => memory.write((await poll.compared(rows)).news),
    markGone: async (rows) => absences.hold(rows),
    moved: async (rows) => {
      await counted.moved?.(rows)
      await transfer.readAgain([], [], {})
    },
  }
}

/** Excludes rows that the service no longer has. They are marked as gone at the end, unless there are too many. */
const withoutGone = (table: CountedTable, gone: ReadonlyMap<string, OpenCharge>): CountedTable => ({
  counts: async (stretches) => {
    const counts = (await table.counts(stretches)).map((one) => new Map(one))
    for (const { created, status } of gone.values()) {
      const i = stretches.findIndex(({ from, to }) => created >= from && created <= to)
      counts[i]?.set(status, (counts[i].get(status) ?? 0) - 1)
    }
    return counts
  },
  nth: table.nth,
  find: async (rows) => (await table.find(rows)).filter(({ id }) => !gone.has(id)),
})

/** Also counts rejected rows, which would otherwise be reported as missing every night. */
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
    find: async ({ status, ...stretch }) => {
      const waiting = await among(stretch)
      const wanted = waiting.filter((row) => status === undefined || row.status === status)
      return [...(await table.find({ status, ...stretch })), ...wanted]
    },
  }
}
