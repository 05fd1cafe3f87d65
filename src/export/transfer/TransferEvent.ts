/** Events of a transfer, and why it ended. */

import type { CountDifference, Proof } from '../../changes/proof/prove.js'
import { millisOf } from '../../codec/Instant.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { LeaseWait } from '../../store/lease.js'
import type { Millis } from '../../stream/index.js'
import { type ExportError, exportError, isExportError } from '../ExportError.js'
import type { Source } from '../source/ExportSource.js'
import type { Progress } from '../source/exportList.js'
import type { AnyPosition, SourcePage } from '../source/SourcePage.js'
import type { Reject } from '../source/sortPage.js'
import type { ManifestRun } from './Manifest.js'
import type { RejectedRow, TimeBounds, TransferState } from './TransferState.js'

/** Why a transfer ends early. */
export type CutShort = 'stopped' | 'rejects' | ExportError | AnyFailure

/** Progress of a transfer. Counts include all resumptions. */
export interface TransferEvent extends Omit<Progress, 'failure' | 'cut'> {
  /** Present if another run holds the lease: how long this run waits for it. Emitted first. */
  readonly waiting?: LeaseWait
  /** How the transfer started. Only in the first progress. */
  readonly started?: TransferStart
  /** Why a poll failed, or was rejected as implausible. The stream continues with the next poll. */
  readonly outage?: AnyFailure | ExportError
  /** Why a resumed run re-reads its list from the beginning. Emitted once, before the first page. */
  readonly reread?: AnyFailure
  /** The manifest entry of the run, unless nothing was written. Only in the last progress. */
  readonly run?: ManifestRun
  /** Rows that a sync read again by id. Only in the last progress of a finished sync. */
  readonly rereads?: Rereads
  /** The proof of a sync, which compares its counts with the service. Only in the last progress of a finished sync. */
  readonly proof?: SyncProof
  /** All rows created before this time are present, in ms since 1970. Only in the last progress of a finished sync. */
  readonly upTo?: Millis
  /** Obsolete objects that the credentials may not remove. Only in the last progress of a finished run. */
  readonly unremoved?: ReadonlyArray<string>
  /** Why the transfer ended early. Only in the last progress. */
  readonly cut?: CutShort
}

/** Charges that are open (not in a final status) or were open before. */
export interface Rereads {
  /** Number of charges that were read by status, or read again. */
  readonly done: number
  /** Number of charges that the service no longer has. They are marked or left unchanged. */
  readonly gone: number
}

/** A range in which the counts of destination and service differ. */
export interface SyncDifference extends CountDifference {
  /** The id of the batch, if the rows are items of batches. */
  readonly parent?: string
}

/** The proof of a sync: a comparison of the counts at the service and the destination. */
export interface SyncProof extends Omit<Proof, 'differences'> {
  /** Time ranges in which the counts still differ. Empty if the proof succeeded. */
  readonly differences: ReadonlyArray<SyncDifference>
  /**
   * If the proof failed: number of consecutive nights on which the same range could not be proven. From the third night on,
   * another run does not help.
   */
  readonly unprovenNights?: number
  /** Number of batches, if the rows are items of batches. */
  readonly parents?: number
  /**
   * Every row was read after this time, in ms since 1970. Absent until the first round of sweeps is complete; a sweep re-reads
   * a part of all rows each night.
   */
  readonly readSince?: Millis
}

export interface TransferStart {
  /** True if it continues an interrupted run. */
  readonly resumed: boolean
  /** True if an earlier run did not release its lease because it was killed, or is frozen. */
  readonly tookOver?: true
  /** Paths of the files that an export with `restart` removes or replaces. */
  readonly removes?: ReadonlyArray<string>
  /** For a sync: rows created at or after this time are read, in ms since 1970. Absent: all rows. */
  readonly from?: Millis
  /** For a sync: the service's time in the last run, in ms since 1970, if it is ignored because it is in the future. */
  readonly doubted?: Millis
  /** For a sync: columns that were added to a table with rows. */
  readonly added?: ReadonlyArray<string>
}

export interface Beginning {
  readonly state: TransferState
  /** Time from which it reads. */
  readonly reads?: Pick<TransferStart, 'removes' | 'from' | 'doubted' | 'added'>
  /** Throws an `ExportError` if rows of this time range must not replace the existing ones. */
  readonly checkBounds?: (bounds: TimeBounds) => void
}

/** The part of a list that a stage reads. */
export interface Reading<A> {
  readonly source: Source<A>
  /** Where reading continues. Absent: at the beginning. */
  readonly position?: AnyPosition | undefined
  /** Share that has already been read, from 0 to 1. */
  readonly share?: number | undefined
  /** Returns the time range in which the rows were created, given the first page. */
  readonly boundsOf: (page: SourcePage<A>) => TimeBounds | undefined
}

/** Returns ids and times of rejected rows. Rows without an id cannot be read again, and are left out. */
export const rejectedRows = (rows: ReadonlyArray<Reject>): ReadonlyArray<RejectedRow> =>
  rows.flatMap(({ row }) => {
    const id = rowId(row)
    if (id === undefined) return []
    const { created_at, status } = fieldsOf(row)
    const created = Math.floor(millisOf(created_at) / 1_000)
    return {
      id,
      created: Number.isNaN(created) ? 0 : created,
      status: typeof status === 'string' ? status : '',
    }
  })

/** Adds the progress of a stage to that of earlier stages. */
export const summed = (one: Progress, other: Progress): Progress => {
  const repeated = (one.repeated ?? 0) + (other.repeated ?? 0)
  const share = Math.max(one.share ?? 0, other.share ?? 0)
  return {
    ...other,
    rows: one.rows + other.rows,
    rejects: one.rejects + other.rejects,
    pages: one.pages + other.pages,
    ...(repeated === 0 ? {} : { repeated }),
    ...(share === 0 ? {} : { share }),
  }
}

/** Returns the message of an error from any realm. */
export const messageOf = (error: unknown): string =>
  String(fieldsOf(error).message ?? 'writing failed')

export const whyCut = (cut: CutShort | undefined): string => {
  if (cut === undefined || cut === 'stopped') return 'it was stopped'
  return cut === 'rejects' ? 'too many rows were rejected' : cut.message
}

export const deadlinePassed = (deadline: Millis): ExportError =>
  exportError('DeadlinePassed', `the deadline of ${deadline} ms passed before the end`, {
    deadline,
  })

// events of an export or a sync

/** Returns the progress in an event, without the reason why it ended. */
export const progressOf = ({ cut, ...progress }: TransferEvent) => ({
  ...progress,
  ...(cut === 'stopped' || isPassed(cut) ? { stopped: true as const } : {}),
})

const isPassed = (cut: CutShort | undefined): boolean =>
  isExportError(cut) && cut._tag === 'DeadlinePassed'

/** Returns why a transfer ended early; nothing if it was stopped. `name`: name of its destination. */
export const leftOf = (
  cut: CutShort | undefined,
  name: string,
): ReadonlyArray<E.Either<ExportError | AnyFailure, never>> => {
  if (cut === undefined || cut === 'stopped') return []
  if (cut !== 'rejects') return [E.left(cut)]
  const why = 'more rows were rejected than maxRejects allows'
  return [E.left(exportError('TooManyRejects', why, { path: name }))]
}
