import type { Observable, SchedulerLike } from 'rxjs'
import type { Ledger } from '../../changes/Ledger.js'
import { Time, toMillis } from '../../codec/times.js'
import type { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import { is, type OptionRule, type OptionsTable, required } from '../../options/index.js'
import type { Millis } from '../../stream/index.js'
import type { ExportError } from '../ExportError.js'
import { type ExportProgress, exportTable } from '../ExportOptions.js'
import * as rule from '../rules.js'
import type { ExportSource } from '../source/ExportSource.js'
import type { WriteRows } from '../source/exportList.js'
import type { Reject } from '../source/sortPage.js'
import type { Destination } from '../transfer/Destination.js'
import type { Rereads, SyncProof } from '../transfer/TransferEvent.js'

/** Rows that can be listed by time of creation and read again by id: `payments.charges`. */
export interface TimedSource<A> {
  /** Lists rows created at or after a time, in their current state. */
  readonly snapshot: (filter: { readonly from_created_at?: string }) => ExportSource<A> & {
    readonly parallel: (requests?: number) => ExportSource<A>
  }
  /** Reads pages by status and second, and single rows. Without it, rows are read by time only, without a proof. */
  readonly ledger?: Ledger<A>
}

/** Period before the end of the last run whose charges are read again. Few older charges are still open. */
export const LOOKBACK: Millis = 7 * 86_400_000

/** Pace of the sweep, which re-reads all rows of a destination. */
export type Sweep = 'off' | '30d' | 'now'

/** Where rows are stored, and how far back they are read. */
export interface SyncOptions<in A = unknown> {
  /**
   * `NAME.sqlite` or `NAME.db`; `postgres://HOST/DATABASE`; a folder, which ends with a slash; `s3://BUCKET/PREFIX/`. Created if
   * missing, except Postgres databases and buckets. Or your own `Destination` with `rows: 'byId'`.
   */
  readonly to: string | Destination<A>
  /** Databases: the table. Default: the name of the list, such as `charges`. */
  readonly table?: string | undefined
  /** Folders and buckets: the format of the files. Default `ndjson`, compressed with zstd. */
  readonly format?: 'ndjson' | 'parquet' | undefined
  /** Variables such as `AWS_REGION`, for buckets. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Includes rows created at or after this time, as ISO 8601. Default: the time given to the first run, or all rows. An earlier
   * time extends the table backwards.
   */
  readonly since?: string | undefined
  /** Charges created within this time before the end of the last run are read again; in ms. Default: 7 days. */
  readonly lookback?: Millis | undefined
  /**
   * Re-reads existing rows, to find errors that counts cannot show. `'30d'` re-reads a thirtieth of them per run, up to 48,000
   * at once; `'now'` re-reads all; `'off'` none. Default `'30d'`.
   */
  readonly sweep?: Sweep | undefined
  /** Concurrent requests. Default: enough to use the full rate limit, based on measured round trips. */
  readonly parallel?: number | undefined
  /** Reads a list until two readings have the same ids; see `exportTo`. Default `false`. */
  readonly untilStable?: boolean | undefined
  /** Ends the sync with `TooManyRejects` when more rows than this cannot be written. Default 1,000. */
  readonly maxRejects?: number | undefined
  /** For lists that are replaced as a whole: lets an empty list remove all existing rows. Default `false`. */
  readonly allowEmpty?: boolean | undefined
  /** Maximum number of rows that may disappear at once; see `RowsGone`. Default: 20, or 5 % of the rows. */
  readonly allowGone?: number | undefined
  /** Postgres: writes U+0000, which it cannot store, as U+FFFD. Default `false`: rows that contain it are rejected. */
  readonly replaceNul?: boolean | undefined
  /** Called with rows that cannot be written. The next run reads them again. */
  readonly onReject?: WriteRows<Reject> | undefined
  /**
   * How long the lease lasts without renewal, in ms. Another run waits this long; it takes over if the lease was not renewed, and
   * otherwise ends with `Locked`. Default 15,000.
   */
  readonly lease?: Millis | undefined
  /** Ends the sync with `DeadlinePassed` after this many ms; the next run continues. Default `Infinity`. */
  readonly deadline?: Millis | undefined
  /** Stops the sync when this emits. The next run continues. */
  readonly stop?: Observable<unknown> | undefined
  /** A name for the account, stored as a hash. Default: base URL and client id. */
  readonly account?: string | undefined
  /** Clock and timers. Default `asyncScheduler`; in virtual time, pass the client's. */
  readonly timer?: SchedulerLike | undefined
}

/** Progress of a sync. Counts include all resumptions of the run. */
export interface SyncProgress extends Omit<ExportProgress, 'started' | 'waiting'> {
  /** Present while the run waits for another run, or for a killed run's lease to expire. Emitted before `started`. */
  readonly waiting?: SyncWait
  /** How the sync started. Emitted once. */
  readonly started?: SyncStart
  /** Charges that are not final, or no longer listed as such. Only in the last progress. */
  readonly rereads?: Rereads
  /** Result of the proof, which compares the counts of the service and the destination. Only in the last progress. */
  readonly proof?: SyncProof
  /** All rows created before this time are present, as ISO 8601. Only in the last progress of a complete run. */
  readonly upTo?: string
}

/** The wait for another run that holds the destination, or was killed. */
export interface SyncWait {
  /** Maximum time that this run waits for it, in ms. */
  readonly ms: Millis
}

/** How a sync started. */
export interface SyncStart {
  /** True if it continues an interrupted run. */
  readonly resumed: boolean
  /** True if it took over from an earlier run that was killed or froze without releasing its lease. */
  readonly tookOver?: true
  /** Rows created at or after this time are read, as ISO 8601. Absent: all rows. */
  readonly from?: string
  /** The time of the last run, as ISO 8601, if it lies in the future. It is then ignored, and `from` is earlier. */
  readonly doubted?: string
  /** Columns that were added to the table; existing rows get them when they are read again. */
  readonly added?: ReadonlyArray<string>
}

/** An event of a sync: progress or, as the last event, the failure that ended it. */
export type SyncEvent = E.Either<ExportError | AnyFailure, SyncProgress>

// rules

const TABLE_NAME = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/

const time: OptionRule<string> = {
  accepts: (u) => typeof u === 'string' && Time.is(u) && !Number.isNaN(toMillis(u)),
  expected: 'an ISO 8601 time',
}

export const syncRules: OptionsTable<SyncOptions<never>> = {
  to: required({
    accepts: (u) => is.nonEmptyString.accepts(u) || rule.destination.accepts(u),
    expected: 'the name of a destination, or your own destination',
  }),
  table: is.stringThat((name) => TABLE_NAME.test(name), 'a name of letters, digits and _'),
  format: is.oneOf('ndjson', 'parquet'),
  env: is.object('an object of environment variables'),
  since: time,
  lookback: is.finiteMillis,
  sweep: is.oneOf('off', '30d', 'now'),
  parallel: is.int(1),
  untilStable: is.boolean,
  maxRejects: is.nonNegativeIntOrInfinity,
  allowEmpty: is.boolean,
  allowGone: is.int(0),
  replaceNul: is.boolean,
  onReject: is.fn(),
  lease: exportTable.lease,
  deadline: is.millis,
  stop: is.withMethods('an Observable', 'pipe'),
  account: is.nonEmptyString,
  timer: is.rxScheduler(),
}
