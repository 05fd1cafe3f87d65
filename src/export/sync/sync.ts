/**
 * A list kept up to date in a table, a folder or a bucket: one call for the first night and for every night after it.
 *
 *     found    nothing           a run at a position       up to T
 *                 |                     |                     |
 *     sync        '--- read all ---.    '-- read the rest ----+--- read from T - lookback ---.
 *                                  |                                                         |
 *                                  '---------------- up to the end of it --------------------'--- reread --- finish
 *
 * All state is one small text, the checkpoint, kept at the destination as the state of a lease. A destination changes
 * rows and text in one step (see `SyncTarget`), and only from the version of the text that its owner wrote last: that is
 * the fence. A later owner takes over a lease that was not renewed, and writes a new version. The earlier one, frozen or cut
 * off, finds it with its next step, changes nothing and ends with `Fenced`. No process id or host name takes part.
 *
 * A page, or a few, are a step. Killed between two, a sync loses the pages since; the next one goes on at the position of
 * the checkpoint, and then catches up from "up to T". T is the end of what was read, by the clock of the service. Reading a
 * row twice changes nothing: rows are put in place by id, unless the one that is there has a later `updated_at`.
 *
 * A list by time of creation does not show a charge that changes after the lookback. Charges whose last seen status is
 * not final are read again by id, in turn, so many a run. Two may be stale: one that changed from a final status after
 * the lookback, and one whose turn has not come.
 *
 * Rows that cannot be written are kept by id in the checkpoint, and read again with those, so that one bad row neither
 * stops a sync nor is forgotten.
 *
 * Lists that cannot be narrowed by time are read whole, gathered beside the rows that are there, and take their place in
 * the last step.
 */
import { asyncScheduler, catchError, type Observable, of, throwError } from 'rxjs'
import { E } from '../../fp.js'
import { checkArgument, checkOptions, InvalidOption, is, type Rule } from '../../options/index.js'
import { isExportError } from '../ExportError.js'
import { sourceRule } from '../ExportOptions.js'
import type { ExportSource } from '../ExportSource.js'
import { NO_PROGRESS } from '../exportList.js'
import { bracket } from '../run/bracket.js'
import { openTarget } from './openTarget.js'
import {
  destinationKind,
  type SyncEvent,
  type SyncOptions,
  syncRules,
  type TimedSource,
} from './SyncOptions.js'
import { runSync } from './SyncRun.js'
import { SyncSession } from './SyncSession.js'
import { syncSpec } from './SyncState.js'

/**
 * Keeps a list up to date in a table, a folder or a bucket: begins, goes on with what was killed, and catches up to now.
 *
 *     const syncing = sync(payments.charges, { to: 'charges.sqlite', since: '2026-01-01' })
 *
 * One call serves the first night and each one after. `payments.charges` is read by time of creation, from the end
 * of the last run less the `lookback` on; other lists, such as `payments.webhooks.list()`, are read whole and replaced
 * in one step. Rows are put in place by id.
 *
 * Emits its progress after each page; the last one of a complete run has `upTo`. An expected failure, of the service or
 * of the destination, is a `Left` after that, and ends the stream; the next call goes on from what was written. Cold:
 * each subscription is a run. Throws an `InvalidOption` at once for an option that cannot work.
 */
export const sync = <A>(
  source: TimedSource<A> | ExportSource<A>,
  given: SyncOptions,
): Observable<SyncEvent> => {
  checkArgument('source', source, listRule)
  const options = checkOptions(given, syncRules)
  const kind = destinationKind(options.to)
  const timed = 'snapshot' in source ? source : undefined
  const list = 'snapshot' in source ? source.snapshot({}) : source
  for (const name of TIMED) {
    if (timed !== undefined || options[name] === undefined) continue
    throw new InvalidOption(name, 'left out: only charges are listed by time')
  }
  const isTable = kind === 'sqlite' || kind === 'postgres'
  for (const name of isTable ? FILES : TABLES) {
    if (options[name] === undefined) continue
    throw new InvalidOption(
      name,
      `left out: it goes with ${isTable ? 'folders and buckets' : 'databases'}`,
    )
  }
  const description = list.describe()
  const spec = syncSpec(description, options.account)
  const open = openTarget<A>({
    kind,
    to: options.to,
    table: options.table ?? spec.resource.replaceAll(/\W/g, '_'),
    list: description,
    replaces: timed === undefined,
    format: options.format ?? 'ndjson',
    env: options.env,
    timer: options.timer ?? asyncScheduler,
  })
  const { timer = asyncScheduler, lease, stop } = options
  return bracket(
    async (tell: (event: SyncEvent) => void) =>
      SyncSession.begin({
        ...{ target: await open(), spec, timer, lease, stop },
        onWait: ({ ms }) => tell(E.right({ ...NO_PROGRESS, waiting: { ms } })),
      }),
    (session: SyncSession<A>) => session.close(),
  )((session) => runSync(session, { timed, list, options })).pipe(
    catchError((error: unknown) =>
      isExportError(error) ? of(E.left(error)) : throwError(() => error),
    ),
  )
}

/** Options of databases. */
const TABLES = ['table'] as const

/** Options of folders and buckets. */
const FILES = ['format'] as const

/** Options of lists by time. */
const TIMED = ['since', 'lookback', 'maxRereads', 'parallel'] as const

const listRule: Rule = {
  accepts: (u) => is.withMethods('', 'snapshot', 'retrieve').accepts(u) || sourceRule.accepts(u),
  expected: 'payments.charges, or a list of a client',
}
