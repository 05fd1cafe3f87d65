/** The stages of a sync: what an earlier run has left, what is new or may have changed, and rows that are not final. */
import { asyncScheduler, concat, defer, EMPTY, from, ignoreElements, type Observable } from 'rxjs'
import type { Ledger } from '../../changes/Ledger.js'
import { fromDate, millisOf } from '../../codec/Instant.js'
import { toMillis } from '../../codec/times.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E, type IO, withoutPrototype } from '../../fp.js'
import type { ListDescription } from '../../http/list/List.js'
import type { Millis } from '../../stream/index.js'
import { exportTable } from '../ExportOptions.js'
import { type ExportSource, sourceOf } from '../source/ExportSource.js'
import type { Transfer, TransferPlan } from '../transfer/Transfer.js'
import type { TransferEvent } from '../transfer/TransferEvent.js'
import { NO_UPKEEP, type TransferState } from '../transfer/TransferState.js'
import { childStages } from './childStages.js'
import type { ChildSource } from './itemsOfAllBatches.js'
import { keepOpen } from './keepOpen.js'
import { proveRows } from './proveRows.js'
import type { SyncOptions, TimedSource } from './SyncOptions.js'

// model

/** The list that is read, and how. */
export interface SyncReading<A> {
  /** A list that can be narrowed by time. */
  readonly timed: TimedSource<A> | undefined
  /** Rows that are listed by parent. */
  readonly family: ChildSource<A> | undefined
  /** A list that is read whole. */
  readonly list: ExportSource<A> | undefined
  /** Describes whichever it is. */
  readonly description: ListDescription<A>
  readonly options: SyncOptions<A>
  /** Goes on once all was read, and as long as the transfer is not stopped; `readsAll`: this is the first run. */
  readonly following?:
    | ((transfer: Transfer<A, A>, readsAll: boolean) => Observable<TransferEvent>)
    | undefined
  /** Takes over rows that are there. */
  readonly adopts?: ((transfer: Transfer<A, A>) => Observable<TransferEvent>) | undefined
}

// constructors

export const syncStages =
  <A>(reading: SyncReading<A>): TransferPlan<A, A>['stages'] =>
  (transfer) => {
    const { timed, family, list, options, adopts, following } = reading
    if (list !== undefined)
      return [() => following?.(transfer, true) ?? readAll(transfer, list, options)]
    if (family !== undefined) return childStages(family, () => nowOf(transfer))(transfer)
    if (timed === undefined) return []
    // the first run reads everything: nothing is read twice
    const readsAll = withoutPrototype(transfer.upkeep).upTo === undefined
    return [
      () => adopts?.(transfer) ?? EMPTY,
      () => readRest(transfer, timed, options),
      () => catchUp(transfer, timed, options),
      ...(following !== undefined
        ? [() => following(transfer, readsAll)]
        : timed.ledger === undefined
          ? []
          : upkeepOf(transfer, timed.ledger, options, readsAll)),
    ]
  }

const upkeepOf = <A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
  { sweep = '30d' }: SyncOptions<A>,
  readsAll: boolean,
): ReturnType<TransferPlan<A, A>['stages']> => [
  () => from(transfer.place()).pipe(ignoreElements()),
  () => keepOpen(transfer, ledger),
  () => proveRows(transfer, ledger, readsAll ? 'first' : sweep),
]

const SECOND: Millis = 1_000

/**
 * The state after the end of a run, or of a stage: up to when all rows are there, and how much of that is believed. `now`:
 * the time of this machine.
 */
export const reachedState =
  (now: IO<Millis>) =>
  (state: TransferState): TransferState => {
    const { run, sync, ...rest } = withoutPrototype(state)
    if (run?.bounds === undefined || sync === undefined) return state
    const { from, to: upTo } = run.bounds
    const { since = from, ...before } = withoutPrototype(sync)
    const newest =
      Math.max(withoutPrototype(run).newest ?? 0, before.believed ?? before.upTo ?? 0) || upTo
    const believed = SECOND * Math.floor(Math.min(upTo, now(), newest) / SECOND)
    return { ...rest, sync: { ...before, since: Math.min(since, from), upTo, believed } }
  }

/** From when on a run reads, in ms since 1970. */
export const syncFrom = (
  { since, lookback = exportTable.lookback.default }: SyncOptions<never>,
  { run, sync }: TransferState,
): Millis => {
  if (run?.bounds !== undefined) return run.bounds.from
  const {
    since: first,
    upTo: reached,
    believed: upTo = reached,
  } = withoutPrototype(sync ?? NO_UPKEEP)
  const wanted = since === undefined ? (first ?? 0) : toMillis(since)
  if (first === undefined || upTo === undefined || wanted < first) return wanted
  return Math.max(first, upTo - lookback)
}

/** Reads what an earlier run has left. */
const readRest = <A>(
  transfer: Transfer<A, A>,
  timed: TimedSource<A>,
  options: SyncOptions<A>,
): Observable<TransferEvent> => {
  const { run } = transfer.session.state
  if (run?.bounds === undefined) return EMPTY
  const { position, share, bounds } = run
  return concat(
    position === undefined
      ? EMPTY
      : readTimed(transfer, snapshotOf(timed, bounds.from, options), bounds.from, {
          position,
          share,
        }),
    reached(transfer),
  )
}

/** Reads what came since the last run, and what may have changed. */
const catchUp = <A>(
  transfer: Transfer<A, A>,
  timed: TimedSource<A>,
  options: SyncOptions<A>,
): Observable<TransferEvent> => {
  const from = syncFrom(options, transfer.session.state)
  return concat(readTimed(transfer, snapshotOf(timed, from, options), from), reached(transfer))
}

const readTimed = <A>(
  transfer: Transfer<A, A>,
  list: ExportSource<A>,
  from: Millis,
  rest: Pick<Parameters<Transfer<A, A>['read']>[0], 'position' | 'share'> = {},
): Observable<TransferEvent> => {
  const source = sourceOf(list, false)
  const boundsOf: Parameters<Transfer<A, A>['read']>[0]['boundsOf'] = ({ position, items }) => {
    const { recorder } = transfer
    for (const item of items) {
      const created = E.isLeft(item) ? Number.NaN : millisOf(fieldsOf(item.right).created_at)
      if (created > (recorder.newest ?? 0)) recorder.newest = created
    }
    return { from, to: Math.floor(source.boundsOf(position)?.to ?? nowOf(transfer)) }
  }
  return transfer.read({ source, boundsOf, ...rest })
}

/** Reads a list that cannot be narrowed by time. */
const readAll = <A>(
  transfer: Transfer<A, A>,
  list: ExportSource<A>,
  { untilStable = false }: SyncOptions<A>,
): Observable<TransferEvent> => {
  const to = nowOf(transfer)
  const source = sourceOf(list, untilStable)
  return transfer.read({ source, boundsOf: () => ({ from: 0, to }) })
}

/** Keeps that a list was read to its end. */
const reached = <A>(transfer: Transfer<A, A>): Observable<never> =>
  defer(async () => {
    if (transfer.isCut || transfer.session.state.run === undefined) return
    await transfer.keep(reachedState(() => nowOf(transfer))(transfer.session.state))
  }).pipe(ignoreElements())

const snapshotOf = <A>(
  timed: TimedSource<A>,
  from: Millis,
  { parallel }: SyncOptions<A>,
): ExportSource<A> => {
  const filter = from > 0 ? { from_created_at: fromDate(new Date(from)) } : {}
  return timed.snapshot(filter).parallel(parallel)
}

const nowOf = <A>({ plan }: Transfer<A, A>): Millis => (plan.timer ?? asyncScheduler).now()
