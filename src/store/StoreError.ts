/** Errors of stores and files, as one union with `_tag`. */
import { oneLine } from '../decode/redact.js'

/** Fields of each kind of error, in addition to its message. */
export interface StoreErrors {
  /** Another owner is active: it renewed its lease while this run waited. */
  readonly Locked: { readonly path: string }
  /**
   * A later run took over because this one did not renew its lease in time. This run has changed nothing since. `path`: the lease
   * or the destination.
   */
  readonly Fenced: { readonly path: string }
  /**
   * A checkpoint or manifest is damaged, was changed, or was written by an earlier version that is no longer supported; or a file
   * for `readRows` is truncated or has another format.
   */
  readonly Damaged: { readonly path: string; readonly field?: string }
  /** A checkpoint or manifest was written by a later version of this package. */
  readonly NewerVersion: { readonly path: string }
  /** A path or URL in the options cannot be used. */
  readonly UnusablePath: { readonly path: string; readonly option?: string }
  /** A file is missing, shorter, or differs from its checkpoint: it cannot be resumed. */
  readonly ChecksumMismatch: { readonly path: string }
  /** A file, checkpoint or manifest cannot be read. `code`: for example `EACCES`. */
  readonly ReadFailed: { readonly path: string; readonly code: string }
  /** A write failed. `code`: for example `ENOSPC`, or `EPIPE` if the reader of a stream closed it. */
  readonly WriteFailed: { readonly path: string; readonly code: string }
  /**
   * An implausible number of known `rows` is missing at the service; none is marked as gone. `oldest`, `newest`: times of
   * creation.
   */
  readonly RowsGone: {
    readonly path: string
    readonly rows: number
    readonly oldest?: string
    readonly newest?: string
  }
  /** A database or folder refuses an operation until the user acts; `message` says how. */
  readonly UnusableDestination: {
    /** Name of the destination, without user and password. */
    readonly destination: string
    /** Code of the system or the database, such as `EACCES` or `28P01`, if any. */
    readonly code?: string
  }
}

/**
 * Why a store or file cannot be read or written. An `Error` with a one-line `message`; exhaustive under `switch (error._tag)`.
 */
export type StoreError = TaggedErrors<StoreErrors>[keyof StoreErrors]

/** The errors of a family, by kind. */
export type TaggedErrors<Errors> = {
  readonly [Tag in keyof Errors]: Error & { readonly _tag: Tag } & Errors[Tag]
}

class Tagged extends Error {}

/** Creates the constructor for a family of errors. `name` becomes the `name` of each error. */
export const taggedError =
  <Errors>(name: string) =>
  <Tag extends keyof Errors>(
    _tag: Tag,
    message: string,
    details: Errors[Tag],
    cause?: unknown,
  ): TaggedErrors<Errors>[Tag] => {
    const error = new Tagged(oneLine(message), cause === undefined ? {} : { cause })
    // TypeScript does not evaluate the mapped type for a generic `Tag`
    return Object.assign(error, { name, _tag }, details) as unknown as TaggedErrors<Errors>[Tag]
  }

export const storeError = taggedError<StoreErrors>('StoreError')

/** Creates the error for a file that does not match its state. */
export const checksumMismatch = (path: string, why: string): StoreError =>
  storeError('ChecksumMismatch', `${path} ${why}: it cannot be resumed`, { path })

/** Returns true for an error of the family with this name, including one from another copy of this package. */
export const isTagged =
  (name: string) =>
  (error: unknown): boolean =>
    typeof error === 'object' &&
    error !== null &&
    'name' in error &&
    error.name === name &&
    '_tag' in error

/** Returns true for a `StoreError`, including one from another copy of this package. */
export const isStoreError = (error: unknown): error is StoreError => isTagged('StoreError')(error)
