/** Errors of the files of an export: one union on `_tag`. */
import type { Cause } from '../decode/causes.js'
import { oneLine } from '../decode/redact.js'
import type { Millis } from '../stream/index.js'

// model

/** Fields of each kind of error besides its message. */
export interface ExportErrors {
  /** Another export wrote the checkpoint or manifest at `path`. `field`: the first difference, such as `query.status`. */
  readonly SpecMismatch: { readonly path: string; readonly field: string }
  /** A checkpoint is there, and neither `resume` nor `restart` was asked for. */
  readonly CheckpointExists: { readonly path: string }
  /** `resume` was asked for, and there is no unfinished export. */
  readonly NothingToResume: { readonly path: string }
  /**
   * The folder has a run that was read to its end: `sinceLast` adds to it, `restart` replaces it. Or the file is of no
   * export: `restart` replaces it.
   */
  readonly OutputExists: { readonly path: string }
  /** Another run is writing there: it renewed its lease while this one watched. */
  readonly Locked: { readonly path: string }
  /** A later run has taken over, since this one did not renew its lease in time. It has changed nothing since. `path`: the lease, or the destination. */
  readonly Fenced: { readonly path: string }
  /**
   * A checkpoint or manifest was damaged, changed, or written by an earlier version that is no longer read; or a file
   * that `readRows` reads was cut off, or is of another format.
   */
  readonly Damaged: { readonly path: string; readonly field?: string }
  /** A checkpoint or manifest of a later version of this package. */
  readonly NewerVersion: { readonly path: string }
  /** More rows were rejected than `maxRejects` allows. `path`: the file that has them, or the checkpoint that counts them. */
  readonly TooManyRejects: { readonly path: string }
  /** No file or folder can be where an option says. */
  readonly UnusablePath: { readonly path: string; readonly option?: string }
  /** There is no manifest to verify by, or to continue from. */
  readonly NoManifest: { readonly path: string }
  /** A file is gone, shorter, or different from what its checkpoint says: it cannot be resumed. */
  readonly ChecksumMismatch: { readonly path: string }
  /** Another program changed, replaced or removed (`isGone`) a file while it was written. */
  readonly FileConflict: { readonly path: string; readonly isGone: boolean }
  /** A database or folder refuses what it is asked for, until something is done about it: `message` says what. */
  readonly UnusableDestination: {
    /** Its name, without user and password. */
    readonly destination: string
    /** The code of the system or the database, such as `EACCES` or `28P01`, if it has one. */
    readonly code?: string
  }
  /** An export in slices is not complete: the numbers of the slices that are missing, of another plan, or overlap others. */
  readonly NotAssembled: {
    readonly path: string
    readonly missing: ReadonlyArray<number>
    readonly foreign: ReadonlyArray<number>
    readonly overlapping: ReadonlyArray<number>
  }
  /** The `deadline` has passed before the end. */
  readonly DeadlinePassed: { readonly deadline: Millis }
  /** A row cannot be written exactly. Thrown by `write` of a file or stream; nothing of its page is written. */
  readonly UnrepresentableRow: {
    /** The field, such as `amount`; empty for the row itself. */
    readonly field: string
    readonly expected: string
    /** Which row of its page, from 0. */
    readonly index: number
  }
  /** A row of a file does not decode. `row`: which one, from 1; `causes` says where and why, without its values. */
  readonly UnreadableRow: {
    readonly path: string
    readonly row: number
    readonly causes: ReadonlyArray<Cause>
  }
  /** The system refuses to read a file, checkpoint, manifest or lock. `code`: such as `EACCES`. */
  readonly ReadFailed: { readonly path: string; readonly code: string }
  /** The system refuses to write. `code`: such as `ENOSPC`; `EPIPE` if the reader of a stream went away. */
  readonly WriteFailed: { readonly path: string; readonly code: string }
}

/**
 * Why an export cannot begin, or cannot write. Of `Error`, with one line as its `message`; exhaustive under
 * `switch (error._tag)`.
 */
export type ExportError = {
  readonly [Tag in keyof ExportErrors]: Error & { readonly _tag: Tag } & ExportErrors[Tag]
}[keyof ExportErrors]

class Tagged extends Error {
  override readonly name = 'ExportError'
}

// constructors

/** Makes an error of a kind. */
export const exportError = <Tag extends keyof ExportErrors>(
  _tag: Tag,
  message: string,
  details: ExportErrors[Tag],
  cause?: unknown,
): Extract<ExportError, { readonly _tag: Tag }> => {
  const error = new Tagged(oneLine(message), cause === undefined ? {} : { cause })
  return Object.assign(error, { _tag }, details) as unknown as Extract<
    ExportError,
    { readonly _tag: Tag }
  > // `Extract` of a mapped type is not computed for a `Tag` that is not known yet
}

// combinators

/** Returns whether it is an `ExportError`, also one of another copy of this package. */
export const isExportError = (error: unknown): error is ExportError =>
  typeof error === 'object' &&
  error !== null &&
  'name' in error &&
  error.name === 'ExportError' &&
  '_tag' in error

/** Makes the error for a file that is not what its checkpoint says. */
export const checksumMismatch = (path: string, why: string): ExportError =>
  exportError('ChecksumMismatch', `${path} ${why}: it cannot be resumed`, { path })
