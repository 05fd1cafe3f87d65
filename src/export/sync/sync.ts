/**
 * A list kept up to date in a table, a folder or a bucket: one call for the first night and for every night after it.
 *
 *     found    nothing           a run at a position       up to T
 *                 |                     |                     |
 *     sync        '--- read all ---.    '-- read the rest ----+--- read from T - lookback ---.
 *                                  |                                                         |
 *                                  '---------------- up to the end of it --------------------'--- open --- prove
 *
 * The state is one small text, kept at the destination with the lease. A destination changes
 * rows and text in one step (see `Destination`), and only from the version of the text that its owner wrote last: that is
 * the fence. A later owner takes over a lease that was not renewed, and writes a new version. The earlier one, frozen or cut
 * off, finds it with its next step, changes nothing and ends with `Fenced`. No process id or host name takes part.
 *
 * A page, or a few, are a step. Killed between two, a sync loses the pages since; the next one goes on at the position of
 * the state, and then catches up from "up to T". T is the end of what was read, by the clock of the service. Reading a
 * row twice changes nothing: rows are put in place by id, unless the one that is there has a later `updated_at`.
 *
 * A list by time of creation does not show a charge that changes after the lookback. So each open status has a list, and
 * those that left it are read (`keepOpen`). A charge that came later than the lookback, changed from a final status,
 * or is gone, is found by counts: see `proveRows`.
 *
 * Rows that cannot be written are kept by id in the state, and read again with the open ones, so that one bad row
 * neither stops a sync nor is forgotten.
 *
 * Lists that cannot be narrowed by time are read whole, gathered beside the rows that are there, and take their place in
 * the last step. Items of all batches are read by batch; see `childStages`.
 */
import { asyncScheduler, catchError, concatMap, EMPTY, type Observable } from 'rxjs'
import { plural } from '../../decode/plural.js'
import { E, withoutPrototype, withoutUndefined } from '../../fp.js'
import type { ListDescription } from '../../http/list/List.js'
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
import { namesOf } from '../file/paths.js'
import type { ExportSource } from '../source/ExportSource.js'
import { stripped } from '../source/secretField.js'
import { STATE } from '../sql/table.js'
import { CHECKPOINT, type Destination } from '../transfer/Destination.js'
import { type ExportSpec, specOf } from '../transfer/ExportSpec.js'
import { iso, type Manifest } from '../transfer/Manifest.js'
import { transfer } from '../transfer/runTransfer.js'
import type { Transfer, TransferPlan } from '../transfer/Transfer.js'
import {
  type Beginning,
  leftOf,
  progressOf,
  type TransferEvent,
} from '../transfer/TransferEvent.js'
import { NO_UPKEEP, readTransferState, type TransferState } from '../transfer/TransferState.js'

import {
  type Adopted,
  type AdoptOptions,
  adopt,
  adoptable,
  manifestToAdopt,
  removeAdopted,
} from './adopt.js'
import type { ChildSource } from './itemsOfAllBatches.js'
import { openDestination } from './openDestination.js'
import {
  type DestinationKind,
  destinationKind,
  destinationName,
  type SyncEvent,
  type SyncOptions,
  type SyncProgress,
  syncRules,
  type TimedSource,
} from './SyncOptions.js'
import { reachedState, type SyncReading, syncFrom, syncStages } from './syncStages.js'

/**
 * Keeps a list up to date in a table, a folder or a bucket: begins, goes on with what was killed, and catches up to now.
 *
 *     const syncing = sync(payments.charges, { to: 'charges.sqlite', since: '2026-01-01' })
 *
 * One call serves the first night and each one after. `payments.charges` is read by time of creation, from the end
 * of the last run less the `lookback` on; other lists, such as `payments.webhooks.list()`, are read whole and replaced
 * in one step; `itemsOfAllBatches(payments)` is read by batch. Rows are put in place by id.
 *
 * Emits its progress after each page; the last one of a complete run has `upTo`. An expected failure, of the service or
 * of the destination, is a `Left` after that, and ends the stream; the next call goes on from what was written. Cold:
 * each subscription is a run. Throws an `InvalidOption` at once for an option that cannot work.
 */
export const sync = <A>(
  source: TimedSource<A> | ExportSource<A> | ChildSource<A>,
  given: SyncOptions<NoInfer<A>>,
): Observable<SyncEvent> => startSync(source, checkOptions(given, syncRules))

/** As `sync`, with options that were checked. `following`: what comes once all was read. */
export const startSync = <A>(
  source: TimedSource<A> | ExportSource<A> | ChildSource<A>,
  options: SyncOptions<NoInfer<A>>,
  following?: SyncReading<A>['following'],
): Observable<SyncEvent> => {
  checkArgument('source', source, listRule)
  const reading = { ...readingOf(source, options), following }
  for (const name of TIMED) {
    if (reading.timed !== undefined || options[name] === undefined) continue
    throw new InvalidOption(name, 'left out: only charges are listed by time')
  }
  const open = opener(reading)
  const { stop, deadline, timer } = options
  const planned = async (waits: Waits) => planOf(await open(waits), reading, waits)
  const name = nameOf(options)
  const { tell } = reading.description
  return transfer(planned, { stop, deadline, timer, name, tell }).pipe(
    concatMap(
      (event): ReadonlyArray<SyncEvent> => [
        event.outage === undefined ? E.right(syncProgress(event)) : E.left(event.outage),
        ...leftOf(event.cut, name),
      ],
    ),
    catchError(expectedAsLeft(name)),
  )
}

const readingOf = <A>(
  source: TimedSource<A> | ExportSource<A> | ChildSource<A>,
  options: SyncOptions<A>,
): SyncReading<A> => {
  const common = { timed: undefined, family: undefined, list: undefined, options }
  if ('children' in source) return { ...common, family: source, description: source.describe() }
  if (!('snapshot' in source)) {
    return { ...common, list: source, description: source.describe() }
  }
  return { ...common, timed: source, description: source.snapshot({}).describe() }
}

const syncProgress = (event: TransferEvent): SyncProgress => {
  const { begun, upTo, waiting, outage: _, ...progress } = progressOf(event)
  return {
    ...progress,
    ...(waiting && { waiting: { ms: waiting.ms } }),
    ...(begun && { begun: beganAt(begun) }),
    ...(upTo === undefined ? {} : { upTo: iso(upTo) }),
  }
}

const beganAt = ({
  from = 0,
  resumed,
  tookOver,
  doubted,
  added,
}: NonNullable<TransferEvent['begun']>) => ({
  resumed,
  ...withoutUndefined({ tookOver }),
  ...(from > 0 ? { from: iso(from) } : {}),
  ...(doubted === undefined ? {} : { doubted: iso(doubted) }),
  ...withoutUndefined({ added }),
})

const nameOf = ({ to }: Pick<SyncOptions<never>, 'to'>): string =>
  typeof to === 'string' ? destinationName(to) : to.name

/** Checks the options of the destination, and returns what opens it. */
const opener = <A>({
  options,
  description: list,
  family,
  list: replaced,
}: SyncReading<A>): ((waits: Waits) => Promise<Destination<A>>) => {
  const { to } = options
  if (typeof to !== 'string') {
    leaveOut(options, [...FILES, ...TABLES, 'replaceNul'], 'the destination has its own')
    if (family !== undefined && to.children === undefined) {
      throw new InvalidOption('to', 'a destination that has children, for rows of many parents')
    }
    return async () => to
  }
  const kind = destinationKind(to)
  const isTable = kind === 'sqlite' || kind === 'postgres'
  if (kind !== 'postgres') leaveOut(options, ['replaceNul'], 'it goes with Postgres')
  const of = isTable ? 'folders and buckets' : 'databases'
  leaveOut(options, isTable ? FILES : TABLES, `it goes with ${of}`)
  const { resource } = specOfSync(list, options.account)
  const table = options.table ?? family?.table ?? resource.replaceAll(/\W/g, '_')
  const wrongName = isTable ? whyNoTable(kind, table) : undefined
  if (wrongName !== undefined) throw new InvalidOption('table', wrongName)
  const { format = 'ndjson', env, timer = asyncScheduler, replaceNul = false } = options
  const rows = family !== undefined ? 'of parents' : replaced === undefined ? 'by time' : 'replaced'
  return openDestination<A>({ kind, to, table, list, rows, format, env, timer, replaceNul })
}

/** The most characters of a name in Postgres, less those of `_rejects`. */
const NAME_LENGTH = 55

/** Returns how the name of a table should be, where it cannot be as it is. */
const whyNoTable = (kind: DestinationKind, table: string): string | undefined => {
  if (table.replace(/.*\./, '').toLowerCase() === STATE)
    return `another name than ${STATE}, where state is kept`
  if (table.split('.').some((name) => name.length > NAME_LENGTH)) {
    return `a name of at most ${NAME_LENGTH} characters`
  }
  if (kind === 'postgres') return undefined
  if (table.includes('.')) return 'a name without a dot: SQLite has no schemas'
  return /^sqlite_/i.test(table)
    ? 'another name: those that begin with sqlite_ are of SQLite itself'
    : undefined
}

const leaveOut = (
  options: SyncOptions<never>,
  names: ReadonlyArray<'table' | 'format' | 'adopt' | 'replaceNul'>,
  why: string,
): void => {
  const given = names.find((name) => options[name] !== undefined)
  if (given !== undefined) throw new InvalidOption(given, `left out: ${why}`)
}

/** Rejected rows are kept by id in the state, which is written with each page. */
const MAX_REJECTS = 1_000

const planOf = <A>(
  destination: Destination<A>,
  reading: SyncReading<A>,
  waits: Waits,
): TransferPlan<A, A> => {
  const { timed, description: client, options } = reading
  const { timer, stop, lease, deadline, onReject, maxRejects = MAX_REJECTS, account } = options
  const { store, name, added = [] } = destination
  const spec = specOfSync(client, account)
  let adopted: Adopted | undefined
  const folder = folderOf(options, waits)
  const adopts: SyncReading<A>['adopts'] = (transfer) =>
    adopted === undefined || folder === undefined
      ? EMPTY
      : adopt(transfer, folder, adopted, client.codec)
  return withoutPrototype({
    kind: 'sync',
    destination,
    stateText: store && { store, name: CHECKPOINT, path: stateName(name, folder) },
    listsUnfinished: false,
    begin: async (kept: unknown): Promise<Beginning> => {
      const found = kept === undefined ? undefined : readTransferState(name, kept)
      if (found !== undefined) checkSameList(name, found, spec)
      const old = await toAdopt(destination, found, folder, options)
      if (old !== undefined) adopted = adoptable(name, old)
      const { run, ...rest } = withoutPrototype(found ?? { spec })
      const state = {
        ...rest,
        sync: { ...NO_UPKEEP, ...rest.sync },
        ...(timed === undefined ? {} : withoutUndefined({ run })), // others are read from their beginning
      }
      return {
        state,
        runs: [],
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
    stages: syncStages({ ...reading, adopts }),
    ...(reading.list && { beforeEnd: notEmptied(destination, options) }),
    ended: reachedState(() => (timer ?? asyncScheduler).now()),
    onEnd: async (transfer: Transfer<A, A>) => {
      const { adopted: names = [], ...rest } = transfer.upkeep
      if (names.length === 0 || folder === undefined) return
      await removeAdopted(folder, names)
      await transfer.keep({ ...transfer.session.state, sync: rest })
    },
    maxRejects,
    redact: (raw: unknown) => client.scrub(truncated(stripped(raw))),
    ...withoutUndefined({ timer, stop, lease, deadline, onReject }),
  })
}

/** Names the state in messages: that of a folder is a file. */
const stateName = (destination: string, folder: AdoptOptions | undefined): string =>
  folder === undefined ? destination : `${destination}${namesOf(folder.to).checkpoint}`

/** Refuses an empty list where rows are there: a filter, an account or a service may be wrong. */
const notEmptied =
  <A>({ name, rowsThere }: Destination<A>, { allowEmpty = false }: SyncOptions<A>) =>
  async (rows: number): Promise<void> => {
    if (rows > 0 || allowEmpty || rowsThere === undefined) return
    const there = await rowsThere()
    if (there === 0) return
    const why = `${name}: the list came empty, and ${plural(there, 'row')} ${there === 1 ? 'was' : 'were'} there: allowEmpty (--allow-empty) removes them`
    throw exportError('EmptyList', why, { destination: name, rows: there })
  }

/** The end of the last run, where that is still to come: a clock was ahead. */
const doubtedTime = ({ sync }: TransferState, now: Millis): Millis | undefined => {
  const { upTo, believed } = withoutPrototype(sync ?? NO_UPKEEP)
  return upTo !== undefined && believed !== undefined && upTo - now > CLOCKS ? upTo : undefined
}

/** Clocks differ by less where they are right. */
const CLOCKS: Millis = 60_000

/** Describes the list of a sync: another one is not written into the same table. */
const specOfSync = (list: ListDescription<unknown>, account: string | undefined): ExportSpec => {
  const { from_created_at: _, ...query } = list.query
  const format = { name: 'ndjson', compress: 'none', columns: [] } as const
  return { ...specOf({ ...list, query }, format, { account, written: {} }, '.'), format: {} }
}

/** Folders and buckets, by their names. */
const folderOf = (
  { to, env, timer }: SyncOptions<never>,
  waits: Waits,
): AdoptOptions | undefined =>
  typeof to === 'string' && to.endsWith('/')
    ? { to, waits, ...withoutUndefined({ env, timer }) }
    : undefined

/** Resolves with the manifest whose rows are to be taken over; rejects with an `UnusableDestination` where that was not said. */
const toAdopt = async (
  { name }: Pick<Destination<never>, 'name'>,
  found: TransferState | undefined,
  folder: AdoptOptions | undefined,
  { adopt = false }: SyncOptions<never>,
): Promise<Manifest | undefined> => {
  if (folder === undefined || (found !== undefined && found.sync?.adopting !== true))
    return undefined
  const manifest = await manifestToAdopt(folder)
  if (manifest === undefined || adopt) return manifest
  const path = `${name}_manifest.json`
  const why = `${path} is of an export, or of an earlier version: adopt (--adopt) takes its rows over, or name another folder`
  throw exportError('UnusableDestination', why, { destination: path })
}

/** Throws a `SpecMismatch` for the state of another list. */
const checkSameList = (
  destination: string,
  { spec, sync }: TransferState,
  { resource, account, query }: ExportSpec,
): void => {
  const check = (field: string, isSame: boolean): void => {
    if (isSame) return
    const why = `${destination} is of another ${field}: name another table or folder`
    throw exportError('SpecMismatch', why, { path: destination, field })
  }
  if (sync === undefined) {
    const why = `${destination} is of an export that was not finished: name another destination`
    throw exportError('UnusableDestination', why, { destination })
  }
  check('resource', spec.resource === resource)
  check('account', spec.account === account)
  check('query', JSON.stringify(spec.query) === JSON.stringify(query))
}

/** Options of databases. */
const TABLES = ['table'] as const

/** Options of folders and buckets. */
const FILES = ['format', 'adopt'] as const

/** Options of lists by time. */
const TIMED = ['since', 'lookback', 'sweep', 'parallel'] as const

const listRule: OptionRule = {
  accepts: (u) =>
    is.withMethods('', 'snapshot').accepts(u) ||
    is.withMethods('', 'describe', 'children').accepts(u) ||
    sourceRule.accepts(u),
  expected: 'payments.charges, or a list of a client',
}
