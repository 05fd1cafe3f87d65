import type { Writable } from 'node:stream'
import type { Observable, SchedulerLike } from 'rxjs'
import type { RowDecoder } from '../codec/Codec.js'
import type { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import {
  is,
  type OptionRule,
  type OptionsOf,
  type OptionsTable,
  required,
  withDefault,
} from '../options/index.js'
import type { Millis } from '../stream/index.js'
import type { ExportError } from './ExportError.js'
import { compressions, formatNames } from './format/Format.js'
import * as rule from './rules.js'
import type { WriteRows } from './source/exportList.js'
import type { AnyPosition } from './source/SourcePage.js'
import type { Reject } from './source/sortPage.js'
import type { Destination } from './transfer/Destination.js'
import type { ManifestRun } from './transfer/Manifest.js'

// rules

const out: OptionRule = {
  accepts: (u) =>
    typeof u === 'function' ||
    is.nonEmptyString.accepts(u) ||
    is.withMethods('', 'write', 'end').accepts(u) ||
    is.withMethods('', 'getWriter').accepts(u) ||
    rule.destination.accepts(u),
  expected:
    'a path, s3://BUCKET/PREFIX/, a Writable, a WritableStream, a function of rows, or a destination',
}

const env: OptionRule<Readonly<Record<string, string | undefined>>> = {
  accepts: is.isObject,
  expected: 'an object of environment variables',
}

export const sourceRule: OptionRule = {
  accepts: is.withMethods('', 'drain', 'describe').accepts,
  expected: "a client's list or snapshot itself (pipe turns it into a plain stream)",
}

// options

/** Options whose type does not depend on the rows. */
export const exportTable = {
  /**
   * Version of `filter` and `map`. Change it whenever you change either of them, because an export is resumed only with the
   * same revision.
   */
  revision: is.nonEmptyString,

  // format

  /** Output format. Default: by file extension, or `ndjson`. */
  format: is.oneOf(...formatNames),
  /** Compression. Default: by file extension, or `none`; Parquet is compressed internally, by default with `zstd`. */
  compress: is.oneOf(...compressions),
  /** Fields in order, with dotted names for nested ones; `NAME:TYPE` for a field that the codec lacks. Default: all. */
  columns: is.arrayOf(is.string, 'a list of column names'),
  /** Parquet: numbers as `DECIMAL(18, 4)`, or as text. Default `decimal`. */
  amounts: is.oneOf('decimal', 'text'),
  /** CSV: `mask` adds the prefix `'` to texts that a spreadsheet would run as formulas. Default `keep`. */
  formulas: is.oneOf('mask', 'keep'),
  /** Parquet: rows per row group, buffered in memory until written. Default 20,000. */
  rowGroup: is.int(1),

  // going on

  /** Continues an interrupted run of the same export, or starts one. Default `false`. */
  resume: is.boolean,
  /**
   * Discards existing output and starts over. Default `false`: a checkpoint, or a folder with a complete run, is an
   * `ExportError`.
   */
  restart: is.boolean,
  /**
   * Writes directly to the path, as to a stream. Meant for pipes and devices. Creates no other files, and cannot be resumed.
   * Default `false`.
   */
  inPlace: is.boolean,
  /** Path of the checkpoint. Default: next to the file, or in the folder. */
  checkpoint: is.nonEmptyString,
  /** Interval, in ms, at which rows are synced to disk and the checkpoint is updated. Default 1,000; Parquet: 10,000. */
  commitEvery: is.millis,
  /** In a folder: maximum rows per file. Default: no limit. */
  rotateRows: is.positiveIntOrInfinity,
  /** In a folder: size in bytes at which a new file is started, checked after each page. Default: no limit. */
  rotateBytes: is.positiveIntOrInfinity,
  /**
   * Ends the export with `TooManyRejects` when more rows than this cannot be written. Default 10,000; `Infinity` for no limit.
   */
  maxRejects: withDefault(is.nonNegativeIntOrInfinity, 10_000),
  /** Called with rejected rows. File exports also write them to a separate file. */
  onReject: is.fn<WriteRows<Reject>>(),
  /**
   * Reads the list until two readings have the same ids, and only then writes it. Meant for small numbered lists, whose pages
   * shift when a row is deleted. Default `false`.
   */
  untilStable: is.boolean,
  /** True to end the stream with the export. Default `true`; stdout is never ended. */
  endStream: is.boolean,
  /** Stops the export when this emits: rows read so far are written and committed. */
  stop: is.withMethods<Observable<unknown>>('an Observable', 'pipe'),

  /** Ends the export with `DeadlinePassed` after this many ms; rows read so far are committed. Default: never. */
  deadline: is.millis,

  // the outside

  /**
   * A name for the account, stored as a hash. Default: base URL and client id. Required to distinguish accounts if the token
   * comes from a token source.
   */
  account: is.nonEmptyString,
  /** Clock and timers. Default `asyncScheduler`; in virtual time, pass the client's. */
  timer: is.rxScheduler<SchedulerLike>(),
  /** The file system. Default: the disk. */
  files: rule.files,
  /** Variables such as `AWS_REGION`, for `s3://`. Default: those of the process. */
  env: env,
  /**
   * How long the lease lasts without renewal, in ms. After that, another run may take over. The lease is renewed three times in
   * that period. Default 15,000.
   */
  lease: is.int(100, 600_000),
}

/** Destination, format and recovery of an export. */
export interface ExportOptions<A, B = A> extends OptionsOf<typeof exportTable> {
  /**
   * A file, such as `charges.csv.gz`, whose folder must exist; a folder of files, if it ends with a slash; a `Writable` or a
   * `WritableStream`, which cannot be resumed; a function that receives the rows of a page and resolves once they are written
   * (only one more page is requested before that); or your own `Destination`.
   */
  readonly out:
    | string
    | Writable
    | WritableStream<Uint8Array<ArrayBuffer>>
    | WriteRows<Readonly<B>>
    | Destination<B>
  /** Drops rows for which it returns false; applied before `map`. */
  readonly filter?: ((row: Readonly<A>) => boolean) | undefined
  /** Maps a row to the one to write. Must be deterministic, because pages may be read again. */
  readonly map?: ((row: Readonly<A>) => B) | undefined
  /** The codec of the rows that `map` returns. Required for CSV, Parquet and `columns`. Default: the codec of the list. */
  readonly codec?: RowDecoder<B> | undefined
  /** Returns the key of a row; rows with equal keys are the same row. Default: its `id`. */
  readonly key?: ((row: B) => string | undefined) | undefined
}

export const exportRules: OptionsTable<ExportOptions<never, never>> = {
  ...exportTable,
  out: required(out),
  filter: is.fn(),
  map: is.fn(),
  codec: is.withMethods('a codec', 'validate'),
  key: is.fn(),
}

// progress

/** Progress of an export. Counts include all resumptions. */
export interface ExportProgress {
  /** Number of rows written. */
  readonly rows: number
  /** Number of rows that did not decode or do not fit the format. */
  readonly rejects: number
  /** Number of pages read. */
  readonly pages: number
  /** Number of repeated rows that were dropped. */
  readonly repeated?: number
  /** Number of unpaired surrogates that this run wrote as U+FFFD, as UTF-8 requires. */
  readonly loneSurrogates?: number
  /** CSV: number of texts written by this run that a spreadsheet would run as formulas, masked or not. */
  readonly formulas?: number
  /** Position of the rest of the list. Absent at its end. */
  readonly next?: AnyPosition
  /** For a snapshot: share of the time range that has been read, 0 to 1 (1 at the end). Absent while unknown. */
  readonly share?: number
  /** True if the list was read to its end. */
  readonly ended: boolean
  /** True if it was stopped early by `stop`. */
  readonly stopped?: true
  /** Another run, possibly dead, holds the lease at `path`; `ms` is how long this one waits for it. Emitted first. */
  readonly waiting?: { readonly path: string; readonly ms: Millis }
  /** How the export started. Only in the first progress. */
  readonly started?: ExportStart
  /**
   * The failure with which the service refused the bookmark of a resumed list. The list is therefore read from the beginning,
   * and existing rows are skipped.
   */
  readonly reread?: AnyFailure
  /** The manifest's entry for this run. Only in the last progress of a file or folder, unless nothing was written. */
  readonly run?: ManifestRun
  /**
   * Obsolete files that could not be removed because the credentials may not delete them. Only in the last progress of a finished
   * export.
   */
  readonly unremoved?: ReadonlyArray<string>
}

/** How an export started. */
export interface ExportStart {
  /** True if it continues from a checkpoint. */
  readonly resumed: boolean
  /** True if it took over from an earlier run that was killed or froze without releasing its lease. */
  readonly tookOver?: true
  /** Files, complete or not, that `restart` removes or replaces once new rows are durable. */
  readonly removes?: ReadonlyArray<string>
}

/** An event of an export: progress or, as the last event, the failure that ended it. */
export type ExportEvent = E.Either<ExportError | AnyFailure, ExportProgress>
