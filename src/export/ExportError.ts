/** Errors of the files of an export: one union on `_tag`. */
import { type Observable, of, throwError } from 'rxjs'
import type { Cause } from '../decode/causes.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import { isSystemError } from '../store/FileSystem.js'
import { adviceOn, type ErrorClass, remedyOf } from '../store/remedies.js'
import { isStoreError, isTagged, type StoreErrors, taggedError } from '../store/StoreError.js'
import type { Millis } from '../stream/index.js'

// model

/** Fields of each kind of error besides its message. */
export interface ExportErrors extends StoreErrors {
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
  /** More rows were rejected than `maxRejects` allows. `path`: the file that has them, or the checkpoint that counts them. */
  readonly TooManyRejects: { readonly path: string }
  /** A list that is replaced as a whole came empty, and `rows` were there: `allowEmpty` removes them. */
  readonly EmptyList: { readonly destination: string; readonly rows: number }
  /** There is no manifest to verify by, or to continue from. */
  readonly NoManifest: { readonly path: string }
  /** Another program changed, replaced or removed (`isGone`) a file while it was written. */
  readonly FileConflict: { readonly path: string; readonly isGone: boolean }
  /**
   * An export in slices is not complete: the numbers of the slices that are missing, of another plan, or overlap others.
   * None of these, if the slices have fewer rows together than the plan has counted.
   */
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
}

/**
 * The reason that an export cannot begin, or cannot write. An `Error` with a `message` of one line; exhaustive under
 * `switch (error._tag)`.
 */
export type ExportError = {
  readonly [Tag in keyof ExportErrors]: Error & { readonly _tag: Tag } & ExportErrors[Tag]
}[keyof ExportErrors]

// constructors

/** Makes an error of a kind. */
export const exportError = taggedError<ExportErrors>('ExportError')

// combinators

/** Returns whether it is an `ExportError`, also one of another copy of this package. */
export const isExportError = (error: unknown): error is ExportError =>
  isStoreError(error) || isTagged('ExportError')(error)

/** Makes a `Left` of what the system refused; other errors are bugs, or of the caller's own functions. */
export const expectedAsLeft =
  (name: string) =>
  (error: unknown): Observable<E.Either<ExportError, never>> => {
    if (isExportError(error)) return of(E.left(error))
    // `fetch` has the error of the system as its cause
    const refusal = [error, fieldsOf(error).cause].find(isSystemError)
    if (refusal === undefined) return throwError(() => error)
    const path = 'path' in refusal && typeof refusal.path === 'string' ? refusal.path : name
    // Node's error of a host with several addresses has no message
    const message = `cannot write ${path}: ${refusal.message || refusal.code}${adviceOn(refusal.code)}`
    return of(E.left(exportError('WriteFailed', message, { path, code: refusal.code }, error)))
  }

/** Class of each kind of error: a retry helps, or the user has to act first; `code`: it depends on the error's code. */
const CLASSES: Readonly<Record<keyof ExportErrors, ErrorClass | 'code'>> = {
  Locked: 'again',
  Fenced: 'again',
  DeadlinePassed: 'again',
  NotAssembled: 'again',
  ReadFailed: 'code',
  WriteFailed: 'code',
  UnusableDestination: 'act',
  UnusablePath: 'act',
  SpecMismatch: 'act',
  CheckpointExists: 'act',
  NothingToResume: 'act',
  OutputExists: 'act',
  TooManyRejects: 'act',
  EmptyList: 'act',
  NoManifest: 'act',
  FileConflict: 'act',
  ChecksumMismatch: 'act',
  Damaged: 'act',
  NewerVersion: 'act',
  UnrepresentableRow: 'act',
  UnreadableRow: 'act',
}

/** Returns whether a retry may help. If not, the user has to act first: the message says how. */
export const isRetryable = (error: ExportError): boolean => {
  const found = CLASSES[error._tag]
  return (
    (found === 'code' && 'code' in error ? remedyOf(error.code ?? '').class : found) === 'again'
  )
}
