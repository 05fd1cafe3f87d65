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
import { NO_PROGRESS, type Progress } from '../source/exportList.js'
import type { AnyPosition, SourcePage } from '../source/SourcePage.js'
import type { Reject } from '../source/sortPage.js'
import type { ManifestFile, ManifestRun } from './Manifest.js'
import type { RejectedRow, TimeBounds, TransferState } from './TransferState.js'

// model

/** Why a transfer ends before its end. */
export type CutShort = 'stopped' | 'rejects' | ExportError | AnyFailure

/** How far a transfer is. Counts are of all its starts together. */
export interface TransferEvent extends Omit<Progress, 'failure' | 'cut'> {
  /** Another run has the lease; how long this one waits for it to end. Before all else. */
  readonly waiting?: LeaseWait
  /** How it begins; with the first progress only. */
  readonly begun?: TransferBegun
  /** Why a poll failed; it goes on with the next one. */
  readonly outage?: AnyFailure
  /** Why a resumed run reads its list from the beginning again; with one progress before the first page. */
  readonly reread?: AnyFailure
  /** Its entry in the manifest, unless nothing was written; with the last progress only. */
  readonly run?: ManifestRun
  /** Rows that a sync has read again by their ids; with the last progress of one that came to its end. */
  readonly rereads?: Rereads
  /** Proof of a sync; with the last progress of one that came to its end. */
  readonly proof?: SyncProof
  /** All rows created before are there, in ms since 1970; with the last progress of a sync that came to its end. */
  readonly upTo?: Millis
  /** Objects that are left over, since the credentials may not remove them; with the last progress of a run that came to its end. */
  readonly unremoved?: ReadonlyArray<string>
  /** Why it ended before its end; with the last progress only. */
  readonly cut?: CutShort
}

/** Charges that are not final, and those that were. */
export interface Rereads {
  /** How many were read by their status, or again. */
  readonly done: number
  /** How many the service has no more: they are marked, or stay as they were. */
  readonly gone: number
}

/** Rows of which the destination has other counts than the service. */
export interface SyncDifference extends CountDifference {
  /** The batch that the rows are of, for items of all batches. */
  readonly parent?: string
}

/** Proof of a sync by counts of the service against those of the destination. */
export interface SyncProof extends Omit<Proof, 'differences'> {
  /** Stretches of time in which the counts still differ; none if it is proven. */
  readonly differences: ReadonlyArray<SyncDifference>
  /** How many batches the rows are of, for items of all batches. */
  readonly parents?: number
  /** Each row was read, as it stood, after this time, in ms since 1970; absent before the first round of sweeps. */
  readonly readSince?: Millis
}

/** From when on an export reads, and why. */
export interface Since {
  /** The manifest it continues from. */
  readonly manifest: string
  /** Rows created from then on are read, as ISO 8601; absent if no run was read to its end, so that all are read. */
  readonly from?: string
  /** The moment that the `lookback` goes back from: the end of the last run, or its start where its own `to` was later. */
  readonly of?: 'start' | 'end'
  /** `from` is the earliest time of the folder, since older rows were not asked for. */
  readonly isFolderStart: boolean
  /** How long before that rows may have changed, in ms. */
  readonly lookback: Millis
  /** Rows that earlier runs rejected. They stay missing, unless they come again within the `lookback`. */
  readonly rejects?: number
}

/** How a transfer begins. */
export interface TransferBegun {
  /** True if it continues an interrupted run. */
  readonly resumed: boolean
  /** True if an earlier run did not release its lease: it was killed, or is frozen. */
  readonly tookOver?: true
  /** From when on it reads, where it continues from an earlier run. */
  readonly since?: Since
  /** For an export that was at its end: how many rows it had rejected, and reads again. */
  readonly rejected?: number
  /** For a sync: rows created from then on are read, in ms since 1970; absent: all. */
  readonly from?: Millis
  /** For a sync: the service's time in the last run, in ms since 1970, if it is later than now: it is not believed. */
  readonly doubted?: Millis
  /** For a sync: columns that were added to a table that has rows. */
  readonly added?: ReadonlyArray<string>
}

/** Start of a transfer. */
export interface Beginning {
  readonly state: TransferState
  /** From when on it reads. */
  readonly reads?: Pick<TransferBegun, 'since' | 'rejected' | 'from' | 'doubted' | 'added'>
  /** Runs of the manifest that stay in it. */
  readonly runs: ReadonlyArray<ManifestRun>
  /** Runs that are behind this one in the manifest: this one was at its end before. */
  readonly later?: ReadonlyArray<ManifestRun>
  /** The rejected rows of a run that was at its end, which are to be read again. */
  readonly again?: ManifestFile
  /** The run that wrote all of it before: nothing is left to do. */
  readonly complete?: ManifestRun | undefined
  /** Throws an `ExportError` where rows up to a time are not to take the place of those that are there. */
  readonly checkBounds?: (bounds: TimeBounds) => void
}

/** The part of a list that a stage reads. */
export interface Reading<A> {
  readonly source: Source<A>
  /** Where it goes on; absent: at its beginning. */
  readonly position?: AnyPosition | undefined
  /** How much of it was read before: 0 to 1. */
  readonly share?: number | undefined
  /** From when to when its rows were created, by its first page. */
  readonly boundsOf: (page: SourcePage<A>) => TimeBounds | undefined
  /** Returns rows that are not written as they are kept, with the place at which they came first. */
  readonly placed?: ((rows: ReadonlyArray<Reject>) => ReadonlyArray<Reject>) | undefined
}

// functions

export const doneBefore = (run: ManifestRun): TransferEvent => {
  const { rows, rejects, ended } = run
  return { ...NO_PROGRESS, rows, rejects, share: 1, ended, run }
}

/** Places rows that could not be written; those without an id cannot be found again. */
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

/** Adds the progress of a stage to that of the stages before. */
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

/** The message of an error, of whatever realm. */
export const messageOf = (error: unknown): string =>
  String(fieldsOf(error).message ?? 'writing failed')

export const whyCut = (cut: CutShort | undefined): string => {
  if (cut === undefined || cut === 'stopped') return 'it was stopped'
  return cut === 'rejects' ? 'too many rows were rejected' : cut.message
}

export const deadlinePassed = (deadline: Millis): ExportError =>
  exportError('DeadlinePassed', `the deadline of ${deadline} ms has passed before the end`, {
    deadline,
  })

// events of an export or a sync

/** Returns the progress of an event, without why it ended. */
export const progressOf = ({ cut, ...progress }: TransferEvent) => ({
  ...progress,
  ...(cut === 'stopped' || isPassed(cut) ? { stopped: true as const } : {}),
})

const isPassed = (cut: CutShort | undefined): boolean =>
  isExportError(cut) && cut._tag === 'DeadlinePassed'

/** Returns why a transfer ended before its end, unless it was stopped; `name`: that of its destination. */
export const leftOf = (
  cut: CutShort | undefined,
  name: string,
): ReadonlyArray<E.Either<ExportError | AnyFailure, never>> => {
  if (cut === undefined || cut === 'stopped') return []
  if (cut !== 'rejects') return [E.left(cut)]
  const why = 'more rows than maxRejects cannot be written'
  return [E.left(exportError('TooManyRejects', why, { path: name }))]
}
