/** The charges that are open, and those that were: read by lists of their status, and rejected ones again by id. */
import { from, map, type Observable } from 'rxjs'
import { type Asking, asking, PollInterrupted } from '../../changes/Asking.js'
import { openStatuses } from '../../changes/ChangeState.js'
import { isOpenStatus } from '../../changes/KnownCharges.js'
import {
  type Ledger,
  type LedgerRow,
  PAGE_SIZE,
  type Seconds,
  type Stretch,
} from '../../changes/Ledger.js'
import { readOpen } from '../../changes/openRows.js'
import { countOf } from '../../changes/proof/ProofTable.js'
import { finalChargeStatuses } from '../../codec/Charge.js'
import { E } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import type { Reject } from '../source/sortPage.js'
import type { CountedRows, PlacedRow, RowVersion } from '../transfer/Destination.js'
import type { Transfer } from '../transfer/Transfer.js'
import { rejectedRows, type TransferEvent } from '../transfer/TransferEvent.js'

/** Reads open charges into the destination. Emits after each step. */
export const keepOpen = <A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
): Observable<TransferEvent> =>
  from(steps(transfer, ledger, asking(ledger, transfer.cuts))).pipe(map(() => transfer.shown()))

async function* steps<A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
  asks: Asking<A>,
): AsyncGenerator<void, void, undefined> {
  const { open, counted } = transfer.session.queries
  if (open === undefined) return
  let done = 0
  let gone = 0
  const lost = async (rows: ReadonlyArray<PlacedRow>): Promise<void> => {
    gone += rows.length
    await markLost(transfer, rows, ledger.now())
  }
  try {
    const seen = new Set<string>()
    for (const rejected of transfer.upkeep.rejected) {
      const { id } = rejected
      if (transfer.rejected.has(id)) continue // of this run
      const row = await asks.retrieve(id)
      if (row === undefined) await lost([rejected])
      else await written(transfer, [row])
      seen.add(id)
      yield
    }
    // where rows cannot be looked up, those that were read by time are left to the next run
    const byTime = counted === undefined ? (transfer.recorder.bounds?.from ?? 0) / 1_000 : Infinity
    const known = (await open(finalChargeStatuses)).filter(({ created }) => created < byTime)
    const versions = new Map(
      known.map(({ id, status, updated = Number.NaN }) => [id, { status, updated }]),
    )
    const statuses = new Set([...openStatuses, ...known.map(({ status }) => status)])
    const pages = readOpen(asks, {
      statuses: [...statuses].filter((status) => status !== '' && isOpenStatus(status)),
      unlisted: new Set(),
      openCharges: () => known,
      seen,
      now: Math.floor(ledger.now() / 1_000),
      pageSpan: await pageSpanOf(counted, Math.floor(ledger.now() / 1_000)),
    })
    for await (const { rows, gone: ids } of pages) {
      done += rows.length
      const older = rows.filter(({ created }) => created < byTime)
      await written(transfer, older, 'different', counted === undefined ? versions : undefined)
      await lost(known.filter(({ id }) => ids.includes(id)))
      transfer.rereads = { done, gone }
      yield
    }
    transfer.rereads = { done, gone }
  } catch (error) {
    endWith(transfer, error)
  }
}

/** Ends a transfer by what has interrupted it. Throws what is no interruption. */
export const endWith = <A>(transfer: Transfer<A, A>, error: unknown): void => {
  if (!(error instanceof PollInterrupted)) throw error
  transfer.interrupt(error.failure)
}

/** Writes rows as they stand, in a step: those that differ from what is there, or `all`. */
export const written = async <A>(
  transfer: Transfer<A, A>,
  rows: ReadonlyArray<LedgerRow<A>>,
  which: 'different' | 'all' = 'different',
  known?: ReadonlyMap<string, RowVersion>,
): Promise<void> => {
  // those that this run could not write were reported
  const given = rows.filter(({ id }) => !transfer.rejected.has(id))
  const { counted } = transfer.session.queries
  const versions = known ?? (await counted?.versions(given))
  const isThere = ({ id, status, updated }: LedgerRow<A>): boolean => {
    const version = versions?.get(id)
    return version?.status === status && version.updated === updated
  }
  const different = given.filter((row) => E.isLeft(row.row) || !isThere(row))
  const wanted = which === 'all' ? given : different
  if (wanted.length === 0) return
  const { redact = (row: unknown) => row } = transfer.plan
  const good: Array<A> = []
  const bad: Array<Reject> = []
  for (const { id, raw, row } of wanted) {
    const reason = E.isLeft(row)
      ? row.left.message
      : transfer.session.destination.check(row.right)?.message
    if (E.isRight(row) && reason === undefined) good.push(row.right)
    else bad.push({ reason: reason ?? '', row: redact(raw ?? { id }) })
  }
  const read = new Set(wanted.map(({ id }) => id))
  const found = rejectedRows(bad)
  const rejected = [...transfer.upkeep.rejected.filter(({ id }) => !read.has(id)), ...found]
  await transfer.readAgain(good, bad, { rejected }, different.length)
  for (const row of found) transfer.rejected.set(row.id, row)
}

/** Marks rows as gone, in a step. */
export const markGone = async <A>(
  transfer: Transfer<A, A>,
  ids: ReadonlyArray<string>,
  at: Millis,
  within: Stretch,
): Promise<void> => {
  await transfer.session.queries.counted?.markGone(ids, at, within)
  const gone = new Set(ids)
  const rejected = transfer.upkeep.rejected.filter(({ id }) => !gone.has(id))
  await transfer.readAgain([], [], { rejected })
}

/** Marks rows as gone that the service was asked for by their ids, in a step. */
export const markLost = async <A>(
  transfer: Transfer<A, A>,
  rows: ReadonlyArray<PlacedRow>,
  at: Millis,
): Promise<void> => {
  if (rows.length === 0) return
  const times = rows.map(({ created }) => created)
  const within = { from: Math.min(...times), to: Math.max(...times) }
  await markGone(
    transfer,
    rows.map(({ id }) => id),
    at,
    within,
  )
}

/** The time that a page of all charges spans, by the rows that are there. */
const pageSpanOf = async (counted: CountedRows | undefined, now: Seconds): Promise<Seconds> => {
  const all = { from: Number.NEGATIVE_INFINITY, to: now }
  const first = await counted?.nth(all, 0)
  const total = counted && (await countOf(counted, all))
  return first === undefined || total === undefined || total === 0
    ? 86_400
    : Math.max(1, ((now - first) / total) * PAGE_SIZE)
}
