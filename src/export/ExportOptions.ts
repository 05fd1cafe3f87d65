import type { Writable } from 'node:stream'
import type { Observable, SchedulerLike } from 'rxjs'
import type { Decodes } from '../codec/Codec.js'
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
import type { TakeRows } from './source/exportList.js'
import type { AnyPosition } from './source/SourcePage.js'
import type { Reject } from './source/sortPage.js'
import type { Destination } from './transfer/Destination.js'
import type { ManifestRun } from './transfer/Manifest.js'
import type { Since } from './transfer/TransferEvent.js'

// rules

/** A URL that is none of S3, such as `https://`: no file is meant. */
const OTHER_URL = /^(?!s3:)[A-Za-z][\w+.-]*:\/\//

const out: OptionRule = {
  accepts: (u) =>
    typeof u === 'function' ||
    (is.nonEmptyString.accepts(u) && !OTHER_URL.test(String(u))) ||
    is.withMethods('', 'write', 'end').accepts(u) ||
    is.withMethods('', 'getWriter').accepts(u) ||
    rule.destination.accepts(u),
  expected:
    'a path, s3://BUCKET/PREFIX/, a Writable, a WritableStream, a function that takes rows, or a destination',
}

const sinceLast: OptionRule<boolean | string> = {
  accepts: (u) => is.boolean.accepts(u) || is.nonEmptyString.accepts(u),
  expected: 'true, or the path of a manifest',
}

const env: OptionRule<Readonly<Record<string, string | undefined>>> = {
  accepts: is.isObject,
  expected: 'variables by their names',
}

/** The rule of a source. */
export const sourceRule: OptionRule = {
  accepts: is.withMethods('', 'drain', 'describe').accepts,
  expected: 'a list or a snapshot of a client, as it is (pipe makes a plain stream of it)',
}

// options

/** Options that have one type for all rows. */
export const exportTable = {
  /** A name for `filter` and `map`. Change it with them: an export is not resumed with another one. */
  revision: is.nonEmptyString,

  // format

  /** How rows are written. Default: by the name of the file, or `ndjson`. */
  format: is.oneOf(...formatNames),
  /** Default: by the name of the file, or `none`; Parquet is compressed inside, by default with `zstd`. */
  compress: is.oneOf(...compressions),
  /** Fields and their order, nested ones dotted; `NAME:TYPE` for one that the codec does not have. Default: all. */
  columns: is.arrayOf(is.string, 'a list of names of columns'),
  /** `exact` writes the digits of numbers as they came. Default: as the client reads them. */
  numbers: is.oneOf('exact', 'fast'),
  /** Parquet: numbers as `DECIMAL(18, 4)`, or as text. Default `decimal`. */
  amounts: is.oneOf('decimal', 'text'),
  /** CSV: `mask` puts `'` before texts that a spreadsheet would run as formulas. Default `keep`. */
  formulas: is.oneOf('mask', 'keep'),
  /** Parquet: rows in a row group, which are kept in memory until it is written. Default 20,000. */
  rowGroup: is.int(1),

  // going on

  /**
   * Continues where an earlier run of the same export stopped. If it came to its end, the rows that it rejected are read
   * again, and those that now fit are added; refused where there is neither. Default `false`.
   */
  resume: is.boolean,
  /** Discards what is there and starts over. Default `false`: a checkpoint, or a folder with a complete run, is an `ExportError`. */
  restart: is.boolean,
  /**
   * Reads only rows created since the last run that was read to its end, less the `lookback`: `true` for the runs in
   * the folder `out`, to which this one is added; or the path of another manifest. Snapshots only.
   */
  sinceLast: sinceLast,
  /** How long before the end of that run rows may have changed, in ms. Default 7 days: a charge that is not final by then is rare. */
  lookback: withDefault(is.finiteMillis, 7 * 86_400_000),
  /**
   * Writes into the path itself, as into a stream: for pipes and devices. Nothing is kept beside it, and it cannot be
   * resumed. Default `false`.
   */
  inPlace: is.boolean,
  /** Where the checkpoint is kept. Default: beside the file, or in the folder. */
  checkpoint: is.nonEmptyString,
  /** How often rows are made durable, and the checkpoint is replaced, in ms. Default 1,000; Parquet: 10,000. */
  commitEvery: is.millis,
  /** In a folder: rows that a file may have. Default: no bound. */
  rotateRows: is.positiveIntOrInfinity,
  /** In a folder: bytes after which a file is ended, looked at after each page. Default: no bound. */
  rotateBytes: is.positiveIntOrInfinity,
  /** Ends the export with `TooManyRejects` when more rows cannot be written. Default 10,000; `Infinity` is no bound. */
  maxRejects: withDefault(is.nonNegativeIntOrInfinity, 10_000),
  /** Called with rejected rows, which a file keeps beside it anyway. */
  onReject: is.fn<TakeRows<Reject>>(),
  /**
   * Reads the list until two readings have the same ids, and only then writes: for small lists by page number, whose
   * pages move when a row is deleted. Default `false`.
   */
  untilStable: is.boolean,
  /** True if a stream is ended with the export. Default `true`. Not for stdout. */
  endStream: is.boolean,
  /** Its first value ends the export: what was read is written and committed. */
  stop: is.withMethods<Observable<unknown>>('an Observable', 'pipe'),

  /** Ends the export with `DeadlinePassed` after so many ms; what was read is committed. Default: never. */
  deadline: is.millis,

  // the outside

  /** A name for the account, kept as a hash. Default: base URL and client id. Needed to tell accounts apart by a token source. */
  account: is.nonEmptyString,
  /** Clock and timers. Default `asyncScheduler`; in virtual time, that of the client. */
  timer: is.rxScheduler<SchedulerLike>(),
  /** Default: the disk. */
  files: rule.files,
  /** Variables such as `AWS_REGION`, for `s3://`. Default: those of the process. */
  env: env,
  /**
   * How long another run waits for this one to renew its lease, in ms, before it takes over. Default 15,000. It is
   * renewed three times meanwhile.
   */
  lease: is.int(100, 600_000),
}

/** Where an export goes, how its rows are written, and how it survives. */
export interface ExportOptions<A, B = A> extends OptionsOf<typeof exportTable> {
  /**
   * A file, such as `charges.csv.gz`, whose folder must exist; a folder of files, if it ends with a slash; a `Writable`
   * or a `WritableStream`, which cannot be resumed; a function that takes the rows of a page and resolves when they are
   * written: no page but the next is asked for until then; or a `Destination` of your own.
   */
  readonly out:
    | string
    | Writable
    | WritableStream<Uint8Array<ArrayBuffer>>
    | TakeRows<Readonly<B>>
    | Destination<B>
  /** Leaves out rows for which it is false, before `map`. */
  readonly filter?: ((row: Readonly<A>) => boolean) | undefined
  /** Makes the row to write in place of one that came. It must return the same for the same row: pages may be read again. */
  readonly map?: ((row: Readonly<A>) => B) | undefined
  /** Describes the rows that `map` returns: CSV, Parquet and `columns` need it. Default: the codec of the list. */
  readonly codec?: Decodes<B> | undefined
  /** Identifies a row: two with the same key are the same row. Default: its `id`. */
  readonly key?: ((row: B) => string | undefined) | undefined
}

/** Rules of the options. */
export const exportRules: OptionsTable<ExportOptions<never, never>> = {
  ...exportTable,
  out: required(out),
  filter: is.fn(),
  map: is.fn(),
  codec: is.withMethods('a codec', 'validate'),
  key: is.fn(),
}

// progress

/** How far an export is. Counts are of all its starts together. */
export interface ExportProgress {
  /** Rows written. */
  readonly rows: number
  /** Rows that did not decode, or do not fit the format. */
  readonly rejects: number
  /** Pages read. */
  readonly pages: number
  /** Rows that had come before, and were left out. */
  readonly repeated?: number
  /** Halves of surrogate pairs that this start wrote as U+FFFD, which UTF-8 and strict readers ask for. */
  readonly loneSurrogates?: number
  /** CSV: texts that this start wrote and that a spreadsheet would run as formulas, masked or not. */
  readonly formulas?: number
  /** The position of all that is left to read; absent at the end of the list. */
  readonly next?: AnyPosition
  /** How much of its time range was read, of a snapshot: 0 to 1, 1 at the end. Absent while that is unknown. */
  readonly share?: number
  /** True if the list was read to its end. */
  readonly ended: boolean
  /** It was stopped by `stop` before. */
  readonly stopped?: true
  /** Another run has the lease at `path`, and may have died: how long this one waits for it, in ms. Before all else. */
  readonly waiting?: { readonly path: string; readonly ms: Millis }
  /** How it began; with the first progress only. */
  readonly begun?: ExportBegun
  /** Why a resumed list is read from its beginning again: its bookmark was refused. Rows that are there are left out. */
  readonly reread?: AnyFailure
  /** The entry of the manifest; with the last progress of a file or folder, unless nothing was written. */
  readonly run?: ManifestRun
  /**
   * Names of files that were to be removed, and that the rights of the bucket keep: unfinished ones, and such as newer
   * ones replace; with the last progress of an export that came to its end.
   */
  readonly unremoved?: ReadonlyArray<string>
}

/** How an export begins. */
export interface ExportBegun {
  /** True if it continues from a checkpoint. */
  readonly resumed: boolean
  /** An earlier run did not release its lease, and was taken over: it was killed, or is frozen. */
  readonly tookOver?: true
  /** From when on it reads, with `sinceLast`. */
  readonly since?: Since
  /** How many rows it had rejected by its end, which it reads again. */
  readonly rejected?: number
}

/** An event of an export: progress; and last, if it did not succeed, why. */
export type ExportEvent = E.Either<ExportError | AnyFailure, ExportProgress>
