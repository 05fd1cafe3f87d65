import type { Observable, SchedulerLike } from 'rxjs'
import type { Ledger } from '../../changes/Ledger.js'
import { Time, toMillis } from '../../codec/times.js'
import type { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import {
  InvalidOption,
  is,
  type OptionRule,
  type OptionsTable,
  required,
} from '../../options/index.js'
import type { Millis } from '../../stream/index.js'
import type { ExportError } from '../ExportError.js'
import { type ExportProgress, exportTable } from '../ExportOptions.js'
import * as rule from '../rules.js'
import type { ExportSource } from '../source/ExportSource.js'
import type { TakeRows } from '../source/exportList.js'
import type { Reject } from '../source/sortPage.js'
import { isPostgres, readPostgresUrl } from '../sql/postgresUrl.js'
import type { Destination } from '../transfer/Destination.js'
import type { Rereads, SyncProof } from '../transfer/TransferEvent.js'

// model

/** Rows that are listed by time of creation, and can be read again by id: `payments.charges`. */
export interface TimedSource<A> {
  /** Lists the rows created at a time or later, as they stand now. */
  readonly snapshot: (filter: { readonly from_created_at?: string }) => ExportSource<A> & {
    readonly parallel: (requests?: number) => ExportSource<A>
  }
  /** Reads pages by status and second, and single rows. Without it, rows are read by time alone, and nothing is proven. */
  readonly ledger?: Ledger<A>
}

/** How soon all rows of a destination are read whole. */
export type Sweep = 'off' | '30d' | 'now'

/** Where rows are kept, and how far back they are read. */
export interface SyncOptions<in A = unknown> {
  /**
   * `NAME.sqlite` or `NAME.db`; `postgres://HOST/DATABASE`; a folder, which ends with a slash; `s3://BUCKET/PREFIX/`. Made
   * if it is not there, but databases of Postgres and buckets. Or a `Destination` of your own.
   */
  readonly to: string | Destination<A>
  /** Databases: the table. Default: the name of the list, such as `charges`. */
  readonly table?: string | undefined
  /** Folders and buckets: the format of the files. Default `ndjson`, in zstd. */
  readonly format?: 'ndjson' | 'parquet' | undefined
  /**
   * Folders and buckets: takes over the rows of a folder that `exportTo` has written by `sinceLast`, or that is of an earlier
   * version. Its files go once their rows are there. Default `false`: such a folder is refused.
   */
  readonly adopt?: boolean | undefined
  /** Variables such as `AWS_REGION`, for buckets. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Rows created from then on, as ISO 8601. Default: that of the first run, or all. An earlier one reads from there. */
  readonly since?: string | undefined
  /** How long before the end of the last run charges may have changed, in ms. Default: 7 days. */
  readonly lookback?: Millis | undefined
  /**
   * Reads rows that were there before whole, to find what counts cannot: a thirtieth of them a run, `'30d'`, and up to
   * 48,000 at once; all of them `'now'`; or `'off'`. Default `'30d'`.
   */
  readonly sweep?: Sweep | undefined
  /** Concurrent requests. Default: enough to use the full rate limit, as measured. */
  readonly parallel?: number | undefined
  /** Reads a list until two readings have the same ids: see `exportTo`. Default `false`. */
  readonly untilStable?: boolean | undefined
  /** Ends the sync with `TooManyRejects` when more rows cannot be written. Default 1,000. */
  readonly maxRejects?: number | undefined
  /** Lists that are replaced as a whole: lets one that came empty remove the rows that are there. Default `false`. */
  readonly allowEmpty?: boolean | undefined
  /** Postgres: writes U+0000, which it cannot store, as U+FFFD. Default `false`: such a row is rejected. */
  readonly replaceNul?: boolean | undefined
  /** Receives rows that cannot be written. They are read again by the next run. */
  readonly onReject?: TakeRows<Reject> | undefined
  /**
   * How long the destination stays reserved for a run that is not heard of any more, in ms: one that was killed. Another
   * run waits as long, and then takes over, or ends with `Locked`. Default 15,000.
   */
  readonly lease?: Millis | undefined
  /** Ends the sync with `DeadlinePassed` after so many ms; the next run goes on. Default `Infinity`. */
  readonly deadline?: Millis | undefined
  /** Its first value ends the sync; the next run goes on. */
  readonly stop?: Observable<unknown> | undefined
  /** A name for the account, kept as a hash. Default: base URL and client id. */
  readonly account?: string | undefined
  /** Clock and timers. Default `asyncScheduler`; in virtual time, that of the client. */
  readonly timer?: SchedulerLike | undefined
}

/** How far a sync is. Counts are of all starts of its run together. */
export interface SyncProgress extends Omit<ExportProgress, 'begun' | 'waiting'> {
  /** It waits for another run, or for the lease of one that was killed; before `begun`. */
  readonly waiting?: SyncWait
  /** How it began; once. */
  readonly begun?: SyncBegun
  /** Charges that are not final, and those that were and are not any more; with the last progress. */
  readonly rereads?: SyncRereads
  /** Result of the proof by counts of the service against those of the destination; with the last progress. */
  readonly proof?: SyncProof
  /** All rows created before are there, as ISO 8601; with the last progress of a complete run. */
  readonly upTo?: string
}

/** Another run has the destination, or was killed. */
export interface SyncWait {
  /** How long this one waits for it, at most, in ms. */
  readonly ms: Millis
}

/** How a sync begins. */
export interface SyncBegun {
  /** True if it continues an interrupted run. */
  readonly resumed: boolean
  /** An earlier run did not release its lease, and was taken over: it was killed, or is frozen. */
  readonly tookOver?: true
  /** Rows created from then on are read, as ISO 8601; absent: all. */
  readonly from?: string
  /** The time of the last run, as ISO 8601, where it is later than now: it is not believed, and `from` is earlier. */
  readonly doubted?: string
  /** Columns that the table lacked: rows have them once they are read again. */
  readonly added?: ReadonlyArray<string>
}

/** Charges that were read by their status, or again. */
export type SyncRereads = Rereads

/** Emitted by a sync: progress; and last, if it did not succeed, why. */
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
    expected: 'a destination by its name, or one of your own',
  }),
  table: is.stringThat((name) => TABLE_NAME.test(name), 'a name of letters, digits and _'),
  format: is.oneOf('ndjson', 'parquet'),
  adopt: is.boolean,
  env: is.object('variables by their names'),
  since: time,
  lookback: is.finiteMillis,
  sweep: is.oneOf('off', '30d', 'now'),
  parallel: is.int(1),
  untilStable: is.boolean,
  maxRejects: is.nonNegativeIntOrInfinity,
  allowEmpty: is.boolean,
  replaceNul: is.boolean,
  onReject: is.fn(),
  lease: exportTable.lease,
  deadline: is.millis,
  stop: is.withMethods('an Observable', 'pipe'),
  account: is.nonEmptyString,
  timer: is.rxScheduler(),
}

/** The kinds of destinations. */
export type DestinationKind = 'sqlite' | 'postgres' | 'folder'

/** Names a destination in messages: without user, password and parameters, one of which may be a password, too. */
export const destinationName = (to: string): string =>
  isPostgres(to) ? readPostgresUrl(to).name : to

/** Returns the kind of database that a name is of, if it is of one. Throws an `InvalidOption` for a URL of Postgres that is none. */
export const tableKind = (to: string): 'sqlite' | 'postgres' | undefined => {
  if (!isPostgres(to))
    return /\.(sqlite|db)$/.test(to) && !to.includes('://') ? 'sqlite' : undefined
  readPostgresUrl(to)
  return 'postgres'
}

/** Throws an `InvalidOption` that lists what a destination can be. */
export const destinationKind = (to: string): DestinationKind => {
  const kind = tableKind(to)
  if (kind !== undefined) return kind
  if (/^s3:\/\/.*\/$/.test(to) || (to.endsWith('/') && !to.includes('://'))) return 'folder'
  throw new InvalidOption(
    'to',
    'NAME.sqlite, NAME.db, postgres://HOST/DATABASE, FOLDER/, or s3://BUCKET/PREFIX/',
  )
}
