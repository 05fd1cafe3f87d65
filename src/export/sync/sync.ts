/**
 * Keeps a list up to date in a table, a folder or a bucket. One call serves the first night and every later one.
 *
 *     found    nothing           a run at a position       up to T
 *                 |                     |                     |
 *     sync        '--- read all ---.    '-- read the rest ----+--- read from T - lookback ---.
 *                                  |                                                         |
 *                                  '---------------- up to the end of it --------------------'--- open --- prove
 *
 * The state is one small text, kept at the destination with the lease. A destination changes rows and text in one step (see
 * `Destination`), and only if the text still has the version that its owner wrote last. This check is the fence. A later owner
 * takes over a lease that was not renewed, and writes a new version. The earlier owner, frozen or cut off, detects this in its
 * next step, changes nothing and ends with `Fenced`. No process id or host name is used.
 *
 * A step is one or a few pages. A sync that is killed between two steps loses the pages since the last step; the next run
 * continues at the position in the state, and then catches up from "up to T". T is the end of what was read, by the clock of
 * the service. Reading a row twice changes nothing: rows are upserted by id. Only polls skip a version that is older than the
 * known one.
 *
 * A list by time of creation does not show changes to a charge that is older than the lookback. Therefore the list of each open
 * status is read as well, and so are the charges that have left it (`keepOpen`). Counts find a charge that appeared after the
 * lookback, left a final status, or is gone: see `proveRows`.
 *
 * Ids of rows that cannot be written are stored in the state, and these rows are read again together with the open ones. A bad
 * row therefore neither stops a sync nor is forgotten.
 *
 * Lists without a time filter are read in full, collected next to the existing rows, and replace them in the last step. Items
 * of all batches are read by batch; see `childStages`.
 */
import { asyncScheduler, catchError, concatMap, type Observable } from 'rxjs'
import { E, withoutPrototype, withoutUndefined } from '../../fp.js'
import {
  checkArgument,
  checkOptions,
  InvalidOption,
  is,
  type OptionRule,
} from '../../options/index.js'
import type { Waits } from '../../store/Waits.js'
import type { Millis } from '../../stream/index.js'
import { truncated } from '../column/json.js'
import { expectedAsLeft, exportError } from '../ExportError.js'
import { sourceRule } from '../ExportOptions.js'
import { manifestIn } from '../file/manifestIn.js'
import { OF_FOLDER } from '../file/paths.js'
import {
  type FilesLocation,
  locationOf,
  MERGED,
  type MergedLocation,
} from '../location/Location.js'
import type { ExportSource } from '../source/ExportSource.js'
import { stripped } from '../source/secretField.js'
import { openFiles } from '../storage/openFiles.js'
import { CHECKPOINT, type Destination } from '../transfer/Destination.js'
import type { ExportSpec } from '../transfer/ExportSpec.js'
import { iso } from '../transfer/Manifest.js'
import { transfer } from '../transfer/runTransfer.js'
import type { TransferPlan } from '../transfer/Transfer.js'
import {
  type Beginning,
  leftOf,
  progressOf,
  type TransferEvent,
} from '../transfer/TransferEvent.js'
import { NO_UPKEEP, readTransferState, type TransferState } from '../transfer/TransferState.js'

import type { ChildSource } from './itemsOfAllBatches.js'
import { destinationOf, specOfSync } from './openDestination.js'
import {
  type SyncEvent,
  type SyncOptions,
  type SyncProgress,
  syncRules,
  type TimedSource,
} from './SyncOptions.js'
import { reachedState, type SyncReading, syncFrom, syncStages } from './syncStages.js'

/**
 * Keeps a list up to date in a table, a folder or a bucket. Starts, or resumes an interrupted run, and catches up to now.
 *
 *     const syncing = sync(payments.charges, { to: 'charges.sqlite', since: '2026-01-01' })
 *
 * Use one call for the first night and every later one. `payments.charges` is read by time of creation, starting at the end of
 * the last run minus the `lookback`; other lists, such as `payments.webhooks.list()`, are read whole and replaced in one step;
 * `itemsOfAllBatches(payments)` is read by batch. Rows are upserted by id.
 *
 * Emits its progress after each page; the last one of a complete run has `upTo`. An expected failure of the service or the
 * destination follows as a `Left` and ends the stream; the next call continues from what was written. Cold: each subscription
 * is a run. Throws an `InvalidOption` immediately for an invalid option.
 */
export const sync = <A>(
  source: TimedSource<A> | ExportSource<A> | ChildSource<A>,
  given: SyncOptions<NoInfer<A>>,
): Observable<SyncEvent> => startSync(source, checkOptions(given, syncRules))

/** Works like `sync`, with validated options. `following`: runs once everything has been read. */
export const startSync = <A>(
  source: TimedSource<A> | ExportSource<A> | ChildSource<A>,
  options: SyncOptions<NoInfer<A>>,
  following?: SyncReading<A>['following'],
): Observable<SyncEvent> => {
  checkArgument('source', source, listRule)
  const reading = { ...readingOf(source, options), following }
  for (const name of TIMED) {
    if (reading.timed !== undefined || options[name] === undefined) continue
    throw new InvalidOption(name, 'omitted, because only charges are listed by time')
  }
  const open = destinationOf(reading)
  const { stop, deadline, timer } = options
  const { name } = reading.to
  const planned = async (waits: Waits) => planOf(await open(waits), reading, waits)
  const { tell, scrub } = reading.description
  const isOnDisk = isFolder(reading.to) && reading.to.kind === 'folder'
  return transfer(planned, { stop, deadline, timer, name, tell, isOnDisk }).pipe(
    concatMap(
      (event): ReadonlyArray<SyncEvent> => [
        event.outage === undefined ? E.right(syncProgress(event)) : E.left(event.outage),
        ...leftOf(event.cut, name),
      ],
    ),
    catchError(expectedAsLeft(name, scrub)),
  )
}

const readingOf = <A>(
  source: TimedSource<A> | ExportSource<A> | ChildSource<A>,
  options: SyncOptions<A>,
): SyncReading<A> => {
  const to = typeof options.to === 'string' ? locationOf('to', options.to, MERGED) : options.to
  const common = { timed: undefined, family: undefined, list: undefined, options, to }
  if ('children' in source) return { ...common, family: source, description: source.describe() }
  if (!('snapshot' in source)) {
    return { ...common, list: source, description: source.describe() }
  }
  return { ...common, timed: source, description: source.snapshot({}).describe() }
}

const syncProgress = (event: TransferEvent): SyncProgress => {
  const { started, upTo, waiting, outage: _, ...progress } = progressOf(event)
  return {
    ...progress,
    ...(waiting && { waiting: { ms: waiting.ms } }),
    ...(started && { started: beganAt(started) }),
    ...(upTo === undefined ? {} : { upTo: iso(upTo) }),
  }
}

const beganAt = ({
  from = 0,
  resumed,
  tookOver,
  doubted,
  added,
}: NonNullable<TransferEvent['started']>) => ({
  resumed,
  ...withoutUndefined({ tookOver }),
  ...(from > 0 ? { from: iso(from) } : {}),
  ...(doubted === undefined ? {} : { doubted: iso(doubted) }),
  ...withoutUndefined({ added }),
})

/** Limit on rejected rows. Their ids are in the state, which is written with each page. */
const MAX_REJECTS = 1_000

const planOf = <A>(
  destination: Destination<A>,
  reading: SyncReading<A>,
  waits: Waits,
): TransferPlan<A, A> => {
  const { timed, to, description: client, options } = reading
  const { timer, stop, lease, deadline, onReject, maxRejects = MAX_REJECTS, account } = options
  const { store, name, added = [] } = destination
  const spec = specOfSync(client, account)
  return withoutPrototype({
    kind: 'sync',
    destination,
    stateText: store && { store, name: CHECKPOINT, path: stateName(to) },
    listsUnfinished: false,
    begin: async (kept: unknown): Promise<Beginning> => {
      const found = kept === undefined ? undefined : readTransferState(name, kept)
      if (found !== undefined) checkSameList(name, found, spec)
      else if (isFolder(to)) await refuseExport(to, options, waits)
      const { run, ...rest } = withoutPrototype(found ?? { spec })
      const state = {
        ...rest,
        sync: { ...NO_UPKEEP, ...rest.sync },
        ...(timed === undefined ? {} : withoutUndefined({ run })), // other lists are read from the beginning
      }
      return {
        state,
        reads: {
          from: timed === undefined ? 0 : syncFrom(options, state),
          ...(added.length > 0 ? { added } : {}),
          ...withoutUndefined({
            doubted: timed && doubtedTime(state, (timer ?? asyncScheduler).now()),
          }),
        },
      }
    },
    restart: false,
    replaces: reading.list !== undefined,
    client,
    repeats: false,
    stages: syncStages(reading),
    ended: reachedState(() => (timer ?? asyncScheduler).now()),
    maxRejects,
    redact: (raw: unknown) => client.scrub(truncated(stripped(raw))),
    ...withoutUndefined({ timer, stop, lease, deadline, onReject }),
  })
}

/** Returns the name of the state in messages; for a folder, a file. */
const stateName = (to: SyncReading<never>['to']): string =>
  isFolder(to) ? `${to.name}${OF_FOLDER.checkpoint}` : to.name

/** Accepts folders and buckets. */
const isFolder = (to: SyncReading<never>['to']): to is FilesLocation & MergedLocation =>
  !('commit' in to) && (to.kind === 'folder' || to.kind === 'bucket')

/** Maximum difference between correct clocks. */
const CLOCKS: Millis = 60_000

/** Returns the end of the last run if it is in the future, because a clock was ahead. */
const doubtedTime = ({ sync }: TransferState, now: Millis): Millis | undefined => {
  const { upTo, believed } = withoutPrototype(sync ?? NO_UPKEEP)
  return upTo !== undefined && believed !== undefined && upTo - now > CLOCKS ? upTo : undefined
}

/** Rejects with an `UnusableDestination` for a folder with a manifest but without a state, because it holds an export. */
const refuseExport = async (
  at: FilesLocation,
  { env, timer }: SyncOptions<never>,
  waits: Waits,
): Promise<void> => {
  const files = await openFiles(at, { waits, ...withoutUndefined({ env, timer }) })
  const { manifest } = OF_FOLDER
  if ((await manifestIn(files, manifest)) === undefined) return
  const path = files.nameOf(manifest)
  const why = `${path} belongs to an export, or to a sync whose state is missing: choose another folder`
  throw exportError('UnusableDestination', why, { destination: path })
}

/** Throws a `SpecMismatch` if the state belongs to another list. */
const checkSameList = (
  destination: string,
  { spec, sync }: TransferState,
  { resource, account, query }: ExportSpec,
): void => {
  const check = (field: string, isSame: boolean): void => {
    if (isSame) return
    const of = field === 'account' ? 'account (base URL, client id, login-as, on-behalf-of)' : field
    const why = `${destination} belongs to another ${of}: choose another table or folder`
    throw exportError('SpecMismatch', why, { path: destination, field })
  }
  if (sync === undefined) {
    const why = `${destination} belongs to an unfinished export: choose another destination`
    throw exportError('UnusableDestination', why, { destination })
  }
  check('resource', spec.resource === resource)
  check('account', spec.account === account)
  check('query', JSON.stringify(spec.query) === JSON.stringify(query))
}

/** Options of lists by time. */
const TIMED = ['since', 'lookback', 'sweep', 'parallel'] as const

const listRule: OptionRule = {
  accepts: (u) =>
    is.withMethods('', 'snapshot').accepts(u) ||
    is.withMethods('', 'describe', 'children').accepts(u) ||
    sourceRule.accepts(u),
  expected: "payments.charges, or a client's list",
}
