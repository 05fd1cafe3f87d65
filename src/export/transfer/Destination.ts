/**
 * Where rows go. A destination keeps the laws below; `checkDestination` tests them.
 *
 * 1. One step. Rows and state change together: in one transaction (`Prepared.store`), or the rows are durable and unseen
 *    first, the state is kept, and `settle` shows them.
 * 2. Fence. Stopped before or after any single operation, and thawed when a later owner is at any point of its own run,
 *    an owner changes nothing that a reader or that owner sees.
 * 3. Resume. Killed between any two operations: `resume` with the state that was kept last, and the same pages again,
 *    give the same rows, each once.
 * 4. Replay. `settle` and `finish` done twice, also by two owners, are as done once.
 * 5. Own names. It removes only files that its state or its manifest names, or whose names are of its own pattern with
 *    random digits, and that were listed before the step was kept.
 * 6. Integrity. Whatever the state names is checked before anything is built on it; its paths are plain names.
 * 7. Readers. Unfinished files lie where readers of data sets do not look (`_incoming/`).
 * 8. Bounds. `own` does not grow with the rows. Memory holds a commit, or a part; or, where all rows are replaced in one
 *    step, these.
 */
import type { OpenCharge } from '../../changes/KnownCharges.js'
import type { Seconds, Stretch } from '../../changes/Ledger.js'
import type { CountedTable } from '../../changes/proof/ProofTable.js'
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { UnrepresentableRow } from '../column/UnrepresentableRow.js'
import type { Reject } from '../source/sortPage.js'

// model

/** The name of the manifest in the store of a destination. */
export const MANIFEST = 'manifest'

/** The name of the state in the store of a destination. */
export const CHECKPOINT = 'checkpoint'

/** How a destination is taken: its lease is this owner's now. */
export interface Taken {
  /** Counts the owners; each has a larger number than the one before. */
  readonly fence: number
  /** The owner before did not release the lease: it may still do the operation that it was at. */
  readonly tookOver: boolean
  /** Rows that are there are to be replaced. They go when the first step was kept, not before. */
  readonly restart: boolean
  /**
   * The list is read from its beginning by each run, whatever was kept: its rows are to take the place of all that are
   * there once `finish` is settled. Rows of a run that did not come to its end are dropped.
   */
  readonly replaces: boolean
}

/** A file that rows are in. */
export interface DestinationFile {
  /** Its name, seen from the manifest. */
  readonly path: string
  /** Rows in it. */
  readonly rows: number
  /** Its size. */
  readonly bytes: number
  /** SHA-256 in hex; absent while it grows. */
  readonly sha256?: string
  /** Where it stood before its end was written, of a single file with rejected rows: these may be added to it. */
  readonly unclosed?: { readonly bytes: number; readonly sha256: string }
}

/** The files of a step, for the manifest. */
export interface ListedFiles {
  /** The files with rows. */
  readonly files: ReadonlyArray<DestinationFile>
  /** The file of the rejected rows. */
  readonly rejected?: DestinationFile
  /** How they are written, where the list does not say. */
  readonly format?: Readonly<Record<string, string>>
}

/** A step that is ready, while no reader and no later owner can see it. */
export interface Prepared {
  /** State of the destination after the step: JSON, kept with the position under one checksum. */
  readonly own?: unknown
  /** Where rows and state are one transaction: `replace` of this store does the step, too. */
  readonly store?: Store
  /** Once the state is kept: gives files their names, and removes others. Done again after a kill. */
  readonly settle?: () => Promise<void>
  /** Lists the files, of destinations that have a manifest. */
  readonly files?: () => ListedFiles
}

/** Which slice of time rows are of. */
export interface RowSlice {
  /** From 1; 0 of a list without slices. */
  readonly number: number
  /** No more rows of it come. */
  readonly isLast: boolean
}

/** The keys of rows that were kept: for lists in which a row can come in two pages. */
export interface KeyLog {
  /** Keeps keys with the rows of the next step. */
  readonly add: (keys: ReadonlyArray<string>) => Promise<void>
  /** Reads the keys, and the ids of rejected rows, that are there. */
  readonly read: (keys: Set<string>, rejectedIds: Set<string>) => Promise<void>
}

/** A row by its id, and when it was created. */
export interface PlacedRow {
  readonly id: string
  /** In whole seconds since 1970. */
  readonly created: Seconds
}

/** Tells versions of a row apart. */
export interface RowVersion {
  /** Its status. */
  readonly status: string
  /** When it was changed last, in ms since 1970; NaN if that is not known. */
  readonly updated: Millis
}

/** Rows that are there, counted by time and status. Rows that wait for a step are none of them. */
export interface CountedRows extends CountedTable {
  /** Resolves with the versions of those of some rows that are there, by id, and not marked as gone. */
  readonly versions: (rows: ReadonlyArray<PlacedRow>) => Promise<ReadonlyMap<string, RowVersion>>
  /** Marks rows as gone in the next step, at a time in ms since 1970. Writing a row takes the mark away. `within`: when they were created. */
  readonly markGone: (ids: ReadonlyArray<string>, at: Millis, within: Stretch) => Promise<void>
}

/** When the service was found to have a row no more; empty while it has it. For rows that are put in place by id. */
export const GONE = '_gone_at'

/** The fields that tell which parent a row is of: for the items of a batch, the batch, and its version when they were read. */
export const PARENT = { id: 'batch_id', updated: 'batch_updated_at' } as const

/** The rows of a parent that are there, and not marked as gone. */
export interface ChildCount {
  readonly rows: number
  /** The earliest version of the parent that one of them was read with, in ms since 1970. */
  readonly oldest: Millis
}

/** Rows of many parents, such as the items of all batches. Rows that wait for a step are none of them. */
export interface ChildRows {
  /** Resolves with the counts by the id of the parent. */
  readonly counts: () => Promise<ReadonlyMap<string, ChildCount>>
  /** Resolves with the ids of the rows of a parent. */
  readonly ids: (parent: string) => Promise<ReadonlyArray<string>>
  /** Marks rows of a parent as gone in the next step, at a time in ms since 1970. Writing a row takes the mark away. */
  readonly markGone: (parent: string, ids: ReadonlyArray<string>, at: Millis) => Promise<void>
}

/**
 * A file, a folder, a bucket, a table, a stream, or one of your own. Its methods are called one at a time, but `close`.
 * Each rejects with an `ExportError`, or an error with a `code`, when the destination refuses.
 */
export interface Destination<in A> {
  /** Names it in messages, without secrets. */
  readonly name: string
  /** Small texts by compare-and-swap: state and manifest. Absent: rows cannot be taken back, and nothing is resumed. */
  readonly store?: Store
  /** How often `commit` is asked for, in ms; 0: after each page. */
  readonly commitEvery: Millis
  /** Where all rows are replaced: resolves with how many are there. */
  readonly rowsThere?: () => Promise<number>
  /** Columns that were added to a table that has rows: these lack them until they are read again. */
  readonly added?: ReadonlyArray<string>
  /** Returns the reason why a row cannot be kept without a change to its values. `isRaw`: its text is kept as it came. */
  readonly check: (row: A, isRaw?: boolean) => UnrepresentableRow | undefined
  /**
   * Goes back to the step that `own` is of; undefined: nothing was kept. Called once, before all others. Rejects with
   * `ChecksumMismatch` where something that `own` names is not what it was.
   */
  readonly resume: (own: unknown, taken: Taken) => Promise<void>
  /** Takes rows, in order: they may become bytes at once. Promises nothing until a step is kept. */
  readonly write: (rows: ReadonlyArray<A>, slice: RowSlice) => Promise<void>
  /** Takes rows that cannot be written: they are kept beside the others, readable by their owner only, in the same step. */
  readonly reject: (rows: ReadonlyArray<Reject>) => Promise<void>
  /**
   * Makes durable, and unseen, whatever it was given. Resolves with undefined where that is not worth it yet, so that
   * the last state stays; never for `stop`, after which no more rows come in this run.
   */
  readonly commit: (why: 'pace' | 'stop') => Promise<Prepared | undefined>
  /** All was read. Asked again by a later owner where a kill came before the end of its `settle`. */
  readonly finish: () => Promise<Prepared>
  /** Where each row is added, and not put in place by its id. */
  readonly keys?: KeyLog
  /** Where rows are put in place by id: those with another `status` than the final ones, and not marked as gone. */
  readonly open?: (final: ReadonlyArray<string>) => Promise<ReadonlyArray<OpenCharge>>
  /** Names what was to be removed, and may not be: by the rights of a bucket, for one. */
  readonly unremoved?: () => ReadonlyArray<string>
  /** Where rows can be counted: a sync proves then that none is missing. */
  readonly counted?: CountedRows
  /** Where rows of many parents are put in place by id. */
  readonly children?: ChildRows
  /** Makes a step that puts in place what earlier ones were given, where rows are not counted before that. */
  readonly place?: () => Promise<Prepared | undefined>
  /**
   * Waits for the operation under way, and leaves all as it stands; `fenced`: removes what this owner made and no state
   * names. May be called again, and after a failure. Its store is of use until its own `close`.
   */
  readonly close: (why?: 'fenced') => Promise<void>
}
