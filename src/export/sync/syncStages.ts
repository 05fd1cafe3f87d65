/** Stages of a sync: the rest of an interrupted run, rows that are new or may have changed, and rows that are not final. */
import { asyncScheduler, concat, defer, EMPTY, from, ignoreElements, type Observable } from 'rxjs'
import { countMissing, doubtOf } from '../../changes/Absences.js'
import type { Ledger } from '../../changes/Ledger.js'
import { fromDate, millisOf } from '../../codec/Instant.js'
import { toMillis } from '../../codec/times.js'
import { plural } from '../../decode/plural.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E, type IO, withoutPrototype } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import type { ListDescription } from '../../http/list/List.js'
import type { Millis } from '../../stream/index.js'
import { exportError } from '../ExportError.js'
import type { MergedLocation } from '../location/Location.js'
import { type ExportSource, sourceOf } from '../source/ExportSource.js'
import type { SourcePage } from '../source/SourcePage.js'
import type { Destination } from '../transfer/Destination.js'
import type { Transfer, TransferPlan } from '../transfer/Transfer.js'
import type { TransferEvent } from '../transfer/TransferEvent.js'
import { NO_UPKEEP, type TransferState } from '../transfer/TransferState.js'
import { childStages } from './childStages.js'
import type { ChildSource } from './itemsOfAllBatches.js'
import { endWith, judged, keepOpen, keptTable } from './keepOpen.js'
import { proveRows } from './proveRows.js'
import { LOOKBACK, type SyncOptions, type TimedSource } from './SyncOptions.js'

export interface SyncReading<A> {
  /** A list that can be narrowed by time. */
  readonly timed: TimedSource<A> | undefined
  /** Rows that the service lists by parent. */
  readonly family: ChildSource<A> | undefined
  /** A list that is read in full. */
  readonly list: ExportSource<A> | undefined
  /** Describes the list, whichever kind it is. */
  readonly description: ListDescription<A>
  readonly options: SyncOptions<A>
  readonly to: MergedLocation | Destination<A>
  /** Runs once everything has been read, until the transfer is stopped. `readsAll`: this is the first run. */
  readonly following?:
    | ((transfer: Transfer<A, A>, readsAll: boolean) => Observable<TransferEvent>)
    | undefined
}

export const syncStages =
  <A>(reading: SyncReading<A>): TransferPlan<A, A>['stages'] =>
  (transfer) => {
    const { timed, family, list, options, following } = reading
    const ledger = timed?.ledger
    if (list !== undefined)
      return [() => following?.(transfer, true) ?? readAll(transfer, list, options)]
    if (family !== undefined)
      return childStages(family, () => nowOf(transfer), options.allowGone)(transfer)
    if (timed === undefined) return []
    // the first run reads everything, so nothing has to be read twice
    const readsAll = withoutPrototype(transfer.upkeep).upTo === undefined
    return [
      () => readRest(transfer, timed, options),
      () => catchUp(transfer, timed, options),
      ...(following !== undefined
        ? [() => following(transfer, readsAll)]
        : ledger === undefined
          ? []
          : [() => from(upkeep(transfer, ledger, options, readsAll))]),
    ]
  }

/** Reads open charges, proves all charges, and marks those that are gone. Ends with a doubt instead if too many are gone. */
async function* upkeep<A>(
  transfer: Transfer<A, A>,
  ledger: Ledger<A>,
  { sweep = '30d', allowGone }: SyncOptions<A>,
  readsAll: boolean,
): AsyncGenerator<TransferEvent, void, undefined> {
  const kept = keptTable(transfer, ledger, { lookback: 0, allowGone })
  try {
    await transfer.place()
    yield* keepOpen(kept)
    yield* proveRows(kept, readsAll ? 'first' : sweep)
    const { rows, rejects } = transfer.shown()
    transfer.doubt = (await judged(kept, rows + rejects + kept.asks.rows() === 0)).doubt
  } catch (error) {
    endWith(transfer, error)
  }
}

const SECOND: Millis = 1_000

/**
 * Returns the state after a run or a stage: the time up to which all rows are present, and the part of it that is plausible.
 * `now`: the time of this machine.
 */
export const reachedState =
  (now: IO<Millis>) =>
  (state: TransferState): TransferState => {
    const { run, sync, ...rest } = withoutPrototype(state)
    if (run?.bounds === undefined || sync === undefined) return state
    const { from, to: upTo } = run.bounds
    const { since = from, ...before } = withoutPrototype(sync)
    const newest = Math.max(withoutPrototype(run).newest ?? 0, before.believed ?? 0) || upTo
    const believed = SECOND * Math.floor(Math.min(upTo, now(), newest) / SECOND)
    return { ...rest, sync: { ...before, since: Math.min(since, from), upTo, believed } }
  }

/** Returns the time from which a run reads, in ms since 1970. */
export const syncFrom = (
  { since, lookback = LOOKBACK }: SyncOptions<never>,
  { run, sync }: TransferState,
): Millis => {
  if (run?.bounds !== undefined) return run.bounds.from
  const { since: first, believed } = withoutPrototype(sync ?? NO_UPKEEP)
  const wanted = since === undefined ? (first ?? 0) : toMillis(since)
  if (first === undefined || believed === undefined || wanted < first) return wanted
  return Math.max(first, believed - lookback)
}

/** Reads the rest of an interrupted run. */
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

/** Reads rows created since the last run, and rows that may have changed. */
const catchUp = <A>(
  transfer: Transfer<A, A>,
  timed: TimedSource<A>,
  options: SyncOptions<A>,
): Observable<TransferEvent> => {
  const from = syncFrom(options, transfer.session.state)
  const list = snapshotOf(timed, from, options)
  const isGiven = options.since !== undefined && from === toMillis(options.since)
  return concat(
    readTimed(transfer, isGiven ? list : clamped(list, timed, from, options), from),
    reached(transfer),
  )
}

/** Starts earlier if the service's clock is behind the bound of an earlier run. Only a bound set by the user is rejected. */
const clamped = <A>(
  list: ExportSource<A>,
  timed: TimedSource<A>,
  from: Millis,
  options: SyncOptions<A>,
): ExportSource<A> => ({
  from: list.from,
  describe: list.describe,
  drain: (project) =>
    list.drain((page) => {
      const time = timed.ledger?.serviceTime() ?? from
      if (E.isRight(page) || page.left._tag !== 'InvalidRequest' || time >= from) {
        return project(page)
      }
      const earlier = Math.max(0, time - (options.lookback ?? LOOKBACK))
      return snapshotOf(timed, earlier, options).drain(project)
    }),
})

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

/** Reads a list that cannot be narrowed by time, and checks that it may replace the existing rows. */
const readAll = <A>(
  transfer: Transfer<A, A>,
  list: ExportSource<A>,
  options: SyncOptions<A>,
): Observable<TransferEvent> => {
  const to = nowOf(transfer)
  const source = sourceOf(list, options.untilStable ?? false)
  const seen = new Set<string>()
  const boundsOf = ({ raw }: SourcePage<A>) => {
    for (const row of raw) seen.add(rowId(row) ?? '')
    return { from: 0, to }
  }
  const check = () => transfer.session.tracked(() => notEmptied(transfer, seen, options))
  return concat(
    transfer.read({ source, boundsOf }),
    defer(() => (transfer.isCut ? EMPTY : check())).pipe(ignoreElements()),
  )
}

/** Refuses a list that is empty or lacks too many existing rows: the filter, the account or the service may be wrong. */
const notEmptied = async <A>(
  transfer: Transfer<A, A>,
  seen: ReadonlySet<string>,
  { allowEmpty = false, allowGone }: SyncOptions<A>,
): Promise<void> => {
  const { name, rowsThere } = transfer.session.destination
  const { rows } = transfer.shown()
  const there = (await rowsThere?.()) ?? []
  const total = there.length
  const gone = countMissing(there, seen, rows)
  const doubt = doubtOf(name, { gone, total, isEmpty: false }, allowGone)
  if (rows > 0 && doubt !== undefined) throw doubt
  if (rows > 0 || allowEmpty || total === 0) return
  const why = `${name}: the list is empty, but the destination has ${plural(total, 'row')}: to delete them, set allowEmpty (--allow-empty)`
  throw exportError('EmptyList', why, { destination: name, rows: total })
}

/** Records that a list was read to its end. */
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
