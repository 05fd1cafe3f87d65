/**
 * Where rows go. A destination must keep the laws below; `checkDestination` tests 1 to 5, 8, 9 and 10.
 *
 * 1. One step. Rows and state change together: in one transaction (`Prepared.store`); or the rows are first made durable but
 *    invisible, then the state is saved, and `settle` makes the rows visible.
 * 2. Fence. An owner that is frozen before or after any operation, and thawed at any point of a later owner's run, changes
 *    nothing that a reader or the later owner sees.
 * 3. Resume. If killed between any two operations, `resume` with the last saved state and the same pages yields the same rows,
 *    each once.
 * 4. Replay. `settle` and `finish` are idempotent, also across owners.
 * 5. Own names. It removes only files that its state or manifest names, or whose names match its own random pattern and that were
 *    listed before the step was saved.
 * 6. Integrity. Everything the state refers to is checked before use; its paths are plain names.
 * 7. Readers. Unfinished files are kept where readers of data sets do not look (`_incoming/`).
 * 8. Bounds. `own` does not grow with rows, steps or runs; a run that replaces all rows may list its steps. Memory holds at
 *    most a commit or a part; or all rows, if they are replaced in one step.
 * 9. By id. If `rows` is `'byId'`, a row replaces an existing one with the same id. 10. Replaces. With `Ownership.replaces`,
 *   earlier rows stay until the step of `finish` is saved; then only the rows of that run
 *     remain. Rows of a run that did not get that far are dropped.
 */
import type { OpenCharge } from '../../changes/KnownCharges.js'
import type { Seconds } from '../../changes/Ledger.js'
import type { CountedTable } from '../../changes/proof/ProofTable.js'
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { UnrepresentableRow } from '../column/UnrepresentableRow.js'
import type { Reject } from '../source/sortPage.js'

/** The name of the manifest in the store of a destination. */
export const MANIFEST = 'manifest'

/** The name of the state in the store of a destination. */
export const CHECKPOINT = 'checkpoint'

/** How this owner took the lease (the exclusive right to write) of a destination. */
export interface Ownership {
  /** Number of this owner, larger than that of every earlier one (fencing token). */
  readonly fence: number
  /** True if the previous owner did not release the lease. Its current operation may still take effect. */
  readonly tookOver: boolean
  /** True to replace existing rows, which are removed once the first step is saved, not before. */
  readonly restart: boolean
  /**
   * True if each run reads the list from the beginning and its rows replace all existing ones once `finish` is settled. Rows of
   * an unfinished run are dropped.
   */
  readonly replaces: boolean
}

/** A file with rows. */
export interface DestinationFile {
  /** The path of the file, relative to the manifest. */
  readonly path: string
  /** Number of rows in the file. */
  readonly rows: number
  /** Size of the file, in bytes. */
  readonly bytes: number
  /** SHA-256 of the file, in hex digits. Absent while it is incomplete. */
  readonly sha256?: string
}

/** The files of a step, for the manifest. */
export interface ListedFiles {
  /** The files with rows. */
  readonly files: ReadonlyArray<DestinationFile>
  /** The file with the rejected rows. */
  readonly rejected?: DestinationFile
  /** The format of the files, if the list does not specify it. */
  readonly format?: Readonly<Record<string, string>>
}

/** A prepared step (rows and state that are saved together), not yet visible to readers or later owners. */
export interface Prepared {
  /** State of the destination after the step, as JSON; saved with the position under one checksum. */
  readonly own?: unknown
  /** Set if rows and state share a transaction. `replace` of this store then also performs the step. */
  readonly store?: Store
  /** Called once the state is saved: gives files their final names, and removes obsolete ones. Called again after a kill. */
  readonly settle?: () => Promise<void>
  /** Lists the files, for destinations with a manifest. */
  readonly files?: () => ListedFiles
}

/** The time slice that rows belong to. */
export interface RowSlice {
  /** Number of the slice, from 1; 0 for a list without slices. */
  readonly number: number
  /** True if no more rows of the slice follow. */
  readonly isLast: boolean
}

/** The keys of saved rows, for lists in which a row can occur on two pages. */
export interface KeyLog {
  /** Saves keys with the rows of the next step. */
  readonly add: (keys: ReadonlyArray<string>) => Promise<void>
  /** Reads the saved keys, and the ids of rejected rows. */
  readonly read: (keys: Set<string>, rejectedIds: Set<string>) => Promise<void>
}

/** Id and time of creation of a row. */
export interface PlacedRow {
  /** The id of the row. */
  readonly id: string
  /** Time of creation, in whole seconds since 1970. */
  readonly created: Seconds
}

/** Identifies a version of a row. */
export interface RowVersion {
  /** The status of the row. */
  readonly status: string
  /** Time of the last change, in ms since 1970; `NaN` if unknown. */
  readonly updated: Millis
  /** Stored time of creation, in whole seconds since 1970. */
  readonly created: Seconds
}

/** Counts existing rows by time and status, excluding rows that wait for a step. */
export interface CountedRows extends CountedTable {
  /** Resolves with the versions of the given rows that exist and are not marked as gone, by id. */
  readonly versions: (rows: ReadonlyArray<PlacedRow>) => Promise<ReadonlyMap<string, RowVersion>>
  /** Marks rows as gone, as part of the next step. `at` is the time in ms since 1970. Writing a row removes its mark. */
  readonly markGone: (rows: ReadonlyArray<PlacedRow>, at: Millis) => Promise<void>
  /**
   * For destinations that also locate rows by time of creation: removes rows that are stored with a different time, as part of
   * the next step.
   */
  readonly moved?: (rows: ReadonlyArray<PlacedRow>) => Promise<void>
}

/** Column with the time at which a row was found gone at the service; empty while it exists. For rows written by id. */
export const GONE = '_gone_at'

/** The fields that identify a row's parent. For items: the batch, and the batch's version with which they were read. */
export const PARENT = { id: 'batch_id', updated: 'batch_updated_at' } as const

/** Existing rows of a parent that are not marked as gone. */
export interface ChildCount {
  /** Number of rows. */
  readonly rows: number
  /** Earliest parent version with which one of these rows was read, in ms since 1970. */
  readonly oldest: Millis
}

/** Rows of many parents, such as the items of all batches, excluding rows that wait for a step. */
export interface ChildRows {
  /** Resolves with the counts by the id of the parent. */
  readonly counts: () => Promise<ReadonlyMap<string, ChildCount>>
  /** Resolves with the ids of the rows of a parent. */
  readonly ids: (parent: string) => Promise<ReadonlyArray<string>>
  /**
   * Marks a parent's rows as gone, as part of the next step. `at` is the time in ms since 1970. Writing a row removes its mark.
   */
  readonly markGone: (parent: string, ids: ReadonlyArray<string>, at: Millis) => Promise<void>
}

/**
 * A file, a folder, a bucket, a table, a stream, or your own destination. Its methods are called one at a time, except `close`.
 * Each rejects with an `ExportError` or an error with a `code` if the destination refuses.
 */
export interface Destination<in A> {
  /** Name of the destination in messages, without secrets. */
  readonly name: string
  /**
   * A store of small texts (state and manifest) with compare-and-swap. If absent, rows cannot be withdrawn and nothing is
   * resumed.
   */
  readonly store?: Store
  /** Interval between calls of `commit`, in ms; 0: after each page. */
  readonly commitEvery: Millis
  /**
   * `'appended'`: each row is added; for exports. `'byId'`: a row replaces the one with the same id, and `Ownership.replaces` is
   * supported; also for `sync` and `follow`.
   */
  readonly rows: 'appended' | 'byId'
  /**
   * Resolves with the ids of the existing rows, if all rows are replaced. A list that lacks implausibly many of these rows does
   * not replace them. Rows without an id are only counted: return an empty text for each.
   */
  readonly rowsThere?: () => Promise<ReadonlyArray<string>>
  /** Columns that were added to a table with rows. Existing rows lack them until they are read again. */
  readonly added?: ReadonlyArray<string>
  /** Returns why a row cannot be stored without changing its values. With `isRaw`, its original text is stored. */
  readonly check: (row: A, isRaw?: boolean) => UnrepresentableRow | undefined
  /**
   * Restores the step that `own` describes; undefined if nothing was saved. Called once, before any other method. Rejects with
   * `ChecksumMismatch` if a file or row that `own` refers to has changed.
   */
  readonly resume: (own: unknown, taken: Ownership) => Promise<void>
  /** Receives rows in order. They count only once a step is saved. */
  readonly write: (rows: ReadonlyArray<A>, slice: RowSlice) => Promise<void>
  /** Receives rows that cannot be written; they are stored separately, readable only by their owner, in the same step. */
  readonly reject: (rows: ReadonlyArray<Reject>) => Promise<void>
  /**
   * Makes all received rows durable but not yet visible. May resolve with undefined if that is not worthwhile yet; the last
   * state then remains. Must not resolve with undefined for `stop`, after which this run sends no more rows.
   */
  readonly commit: (why: 'pace' | 'stop') => Promise<Prepared | undefined>
  /** Called when everything has been read. A later owner calls it again if the process was killed before its `settle` ended. */
  readonly finish: () => Promise<Prepared>
  /** The log of keys, for `rows: 'appended'`. */
  readonly keys?: KeyLog
  /** Resolves, for `rows: 'byId'`, with the rows whose `status` is not one of `final`, and that are not marked as gone. */
  readonly open?: (final: ReadonlyArray<string>) => Promise<ReadonlyArray<OpenCharge>>
  /** Lists what should have been removed but could not, for example for lack of permission in a bucket. */
  readonly unremoved?: () => ReadonlyArray<string>
  /** Present if rows can be counted: a sync then proves, by comparing counts, that none is missing. */
  readonly counted?: CountedRows
  /** Present if rows of many parents are written by id. */
  readonly children?: ChildRows
  /** Prepares a step that merges the rows of earlier steps, for destinations that cannot count rows before they are merged. */
  readonly place?: () => Promise<Prepared | undefined>
  /**
   * Waits for the current operation and changes nothing else. With `fenced` (a later owner took over), also removes everything
   * that this owner created and that no state refers to. May be called more than once, and after a failure. The store remains
   * usable until its own `close`.
   */
  readonly close: (why?: 'fenced') => Promise<void>
}
