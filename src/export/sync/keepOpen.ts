/** Reads charges that are open or were open before from the status lists, and reads rejected charges by id. */
import type { Observable } from 'rxjs'
import { Absences } from '../../changes/Absences.js'
import { type Asking, asking, PollInterrupted } from '../../changes/Asking.js'
import { type Ledger, PAGE_SIZE, type Seconds } from '../../changes/Ledger.js'
import { Poll, type PollPage } from '../../changes/Poll.js'
import { countOf } from '../../changes/proof/ProofTable.js'
import type { CountedRows } from '../transfer/Destination.js'
import type { Transfer } from '../transfer/Transfer.js'
import type { TransferEvent } from '../transfer/TransferEvent.js'
import { TableMemory } from './TableMemory.js'

/** A table that is kept current, and the rows of the service with which it is compared. */
export interface KeptTable<A> {
  readonly transfer: Transfer<A, A>
  readonly ledger: Ledger<A>
  readonly asks: Asking<A>
  readonly memory: TableMemory<A>
  readonly absences: Absences
  readonly poll: Poll<A>
}

export interface KeptTableOptions {
  readonly lookback: Seconds
  readonly allowGone: number | undefined
}

/** `stop`: interrupts requests when it emits. */
export const keptTable = <A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
  { lookback, allowGone: allowed }: KeptTableOptions,
  stop: Observable<unknown> = transfer.cuts,
): KeptTable<A> => {
  const asks = asking(ledger, stop)
  const memory = new TableMemory(transfer, ledger)
  const { name } = transfer.session.destination
  const absences = new Absences({ name, allowed, now: ledger.now })
  const poll = new Poll({ ledger, asking: asks, memory, lookback, absences })
  return { transfer, ledger, asks, memory, absences, poll }
}

/** Reads open charges into the destination. Emits after each step. Rejects with `PollInterrupted`. */
export async function* keepOpen<A>(
  kept: KeptTable<A>,
): AsyncGenerator<TransferEvent, void, undefined> {
  const { transfer, ledger, memory, absences, poll } = kept
  const { open, counted } = transfer.session.queries
  if (open === undefined) return
  let done = 0
  const seen = new Set(transfer.upkeep.rejected.map(({ id }) => id))
  yield* rereadRejected(kept, transfer.rejected) // except those rejected by this run
  const now = Math.floor(ledger.now() / 1_000)
  for await (const { rows, read } of poll.open(seen, await pageSpanOf(counted, now))) {
    done += read
    await memory.write(rows)
    transfer.rereads = { done, gone: absences.held.size }
    yield transfer.shown()
  }
  transfer.rereads = { done, gone: absences.held.size }
}

/** Re-reads rejected rows, each in its own step. */
export async function* rereadRejected<A>(
  { transfer, asks, memory, absences, poll }: KeptTable<A>,
  except: ReadonlyMap<string, unknown> = new Map(),
): AsyncGenerator<TransferEvent, void, undefined> {
  for (const rejected of transfer.upkeep.rejected) {
    if (except.has(rejected.id)) continue
    const row = await asks.retrieve(rejected.id)
    if (row === undefined) absences.hold([rejected])
    else await memory.write((await poll.compared([row])).news)
    yield transfer.shown()
  }
}

/** Decides about rows that a run or a proof found missing. Rows that are not marked count as a difference. */
export const judged = async <A>(
  { transfer, absences, memory, poll }: KeptTable<A>,
  isEmpty: boolean,
): Promise<PollPage<A>> => {
  const page = await poll.judged(isEmpty)
  const { proof } = transfer
  if (absences.held.size === 0 || proof === undefined) return page
  const times = [...absences.held.values()].map(({ created }) => created)
  const stretch = { from: Math.min(...times), to: Math.max(...times) }
  const here = await memory.total(stretch)
  const difference = { ...stretch, here, there: here - absences.held.size }
  transfer.proof = { ...proof, gone: 0, differences: [...proof.differences, difference] }
  return page
}

/** Ends a transfer with the interruption. Rethrows any other error. */
export const endWith = <A>(transfer: Transfer<A, A>, error: unknown): void => {
  if (!(error instanceof PollInterrupted)) throw error
  transfer.interrupt(error.failure)
}

/** Estimates from existing rows the time span of a page of all charges. */
const pageSpanOf = async (counted: CountedRows | undefined, now: Seconds): Promise<Seconds> => {
  const all = { from: Number.NEGATIVE_INFINITY, to: now }
  const first = await counted?.nth(all, 0)
  const total = counted && (await countOf(counted, all))
  return first === undefined || total === undefined || total === 0
    ? 86_400
    : Math.max(1, ((now - first) / total) * PAGE_SIZE)
}
