/** Errors of an export's files, as one union with `_tag`. */
import { type Observable, of, throwError } from 'rxjs'
import type { Cause } from '../decode/causes.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import { codes, isInProgressBy } from '../http/answer/errors.js'
import type { AnyFailure } from '../http/Failure.js'
import type { ErrorClass } from '../http/transport/connectionAdvice.js'
import { isSystemError } from '../store/FileSystem.js'
import { adviceOn, remedyOf } from '../store/remedies.js'
import { isStoreError, isTagged, type StoreErrors, taggedError } from '../store/StoreError.js'
import type { Millis } from '../stream/index.js'

/** Fields of each kind of error, in addition to its message. */
export interface ExportErrors extends StoreErrors {
  /** Another export wrote the checkpoint or manifest at `path`. `field`: the first difference, such as `query.status`. */
  readonly SpecMismatch: { readonly path: string; readonly field: string }
  /** A checkpoint exists, and neither `resume` nor `restart` is set. */
  readonly CheckpointExists: { readonly path: string }
  /** The folder holds a finished run, or the file was not written by an export: `restart` replaces it. */
  readonly OutputExists: { readonly path: string }
  /**
   * More rows were rejected than `maxRejects` allows. `path`: the file with the rejected rows, or the checkpoint that counts
   * them.
   */
  readonly TooManyRejects: { readonly path: string }
  /** A list that is replaced as a whole was empty, while the destination has `rows`. `allowEmpty` removes them. */
  readonly EmptyList: { readonly destination: string; readonly rows: number }
  /** There is no manifest to verify against. */
  readonly NoManifest: { readonly path: string }
  /** Another program changed, replaced or removed (`isGone`) a file while it was being written. */
  readonly FileConflict: { readonly path: string; readonly isGone: boolean }
  /** The `deadline` passed before the end. */
  readonly DeadlinePassed: { readonly deadline: Millis }
  /** A row cannot be written exactly. Thrown by `write` of a file or stream; no row of its page is written. */
  readonly UnrepresentableRow: {
    /** The field, such as `amount`; empty for the row itself. */
    readonly field: string
    readonly expected: string
    /** Index of the row in its page, from 0. */
    readonly index: number
  }
  /** A row of a file does not decode. `row` is its number, from 1; `causes` says where and why, without values. */
  readonly UnreadableRow: {
    readonly path: string
    readonly row: number
    readonly causes: ReadonlyArray<Cause>
  }
}

/** Why an export cannot start or write. An `Error` with a one-line `message`; exhaustive under `switch (error._tag)`. */
export type ExportError = {
  readonly [Tag in keyof ExportErrors]: Error & { readonly _tag: Tag } & ExportErrors[Tag]
}[keyof ExportErrors]

export const exportError = taggedError<ExportErrors>('ExportError')

/** Returns true for an `ExportError`, including one from another copy of this package. */
export const isExportError = (error: unknown): error is ExportError =>
  isStoreError(error) || isTagged('ExportError')(error)

/**
 * Turns system errors into a `Left`; other errors are bugs, or come from the caller's own functions. `scrub` removes the
 * client's secrets, because a custom destination may include them in its errors.
 */
export const expectedAsLeft =
  (name: string, scrub: (text: string) => unknown) =>
  (error: unknown): Observable<E.Either<ExportError, never>> => {
    if (isExportError(error)) return of(E.left(error))
    // `fetch` has the system error as its cause
    const refusal = [error, fieldsOf(error).cause].find(isSystemError)
    if (refusal === undefined) return throwError(() => error)
    const path = 'path' in refusal && typeof refusal.path === 'string' ? refusal.path : name
    // Node's error for a host with several addresses has no message
    const { code } = refusal
    const why = refusal.message || code
    const shown = String(scrub(why))
    const message = `cannot write ${path}: ${shown}${adviceOn(code)}`
    const cause = shown === why ? error : undefined // whose message includes it
    return of(E.left(exportError('WriteFailed', message, { path, code }, cause)))
  }

// remedies

/** Remedy for each kind of failure. Some remedies depend on a code or a cause. */
const CLASSES: Readonly<Record<ExportError['_tag'] | AnyFailure['_tag'], ErrorClass>> = {
  Locked: 'locked',
  Fenced: 'locked',
  DeadlinePassed: 'again',
  ReadFailed: 'again',
  WriteFailed: 'again',
  UnusableDestination: 'act',
  UnusablePath: 'act',
  SpecMismatch: 'act',
  CheckpointExists: 'act',
  OutputExists: 'act',
  TooManyRejects: 'act',
  EmptyList: 'act',
  RowsGone: 'act',
  NoManifest: 'act',
  FileConflict: 'act',
  ChecksumMismatch: 'act',
  Damaged: 'act',
  NewerVersion: 'act',
  UnrepresentableRow: 'act',
  UnreadableRow: 'act',
  // of the service
  InvalidRequest: 'act',
  Unauthorized: 'act',
  Refused: 'act',
  Throttled: 'again',
  ServerFault: 'again',
  Unreachable: 'again',
  TimedOut: 'again',
  Undecodable: 'again',
  Truncated: 'again',
  Ambiguous: 'look',
}

/** Statuses besides 409 that mean "try later": Request Timeout, Locked, Too Early. */
const TEMPORARY: ReadonlyArray<number> = [408, 423, 425]

export const classOf = (error: ExportError | AnyFailure): ErrorClass => {
  switch (error._tag) {
    case 'ReadFailed':
    case 'WriteFailed':
    case 'Unreachable':
      return remedyOf(error.code ?? '').class
    case 'Refused':
      return isInProgressBy(codes)(error) || TEMPORARY.includes(error.status) ? 'again' : 'act'
    case 'Truncated':
      return error.cause === undefined ? 'again' : classOf(error.cause)
    default:
      return CLASSES[error._tag]
  }
}

/**
 * Returns true if a retry may help after a failed export or call. If not, fix the cause first; the message says how. A write
 * whose outcome is unknown (`Ambiguous`) is not retryable: look it up first.
 */
export const isRetryable = (error: ExportError | AnyFailure): boolean =>
  ['again', 'locked'].includes(classOf(error))
