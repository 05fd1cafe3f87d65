/** Errors of a place that keeps texts and files: one union on `_tag`. */
import { oneLine } from '../decode/redact.js'

// model

/** Fields of each kind of error besides its message. */
export interface StoreErrors {
  /** Another owner is writing there: it renewed its lease while this one watched. */
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
  /** No file or folder can be where an option says. */
  readonly UnusablePath: { readonly path: string; readonly option?: string }
  /** A file is gone, shorter, or different from what its checkpoint says: it cannot be resumed. */
  readonly ChecksumMismatch: { readonly path: string }
  /** The system refuses to read a file, checkpoint, manifest or lock. `code`: such as `EACCES`. */
  readonly ReadFailed: { readonly path: string; readonly code: string }
  /** The system refuses to write. `code`: such as `ENOSPC`; `EPIPE` if the reader of a stream went away. */
  readonly WriteFailed: { readonly path: string; readonly code: string }
  /** A database or folder refuses what it is asked for, until something is done about it: `message` says what. */
  readonly UnusableDestination: {
    /** Its name, without user and password. */
    readonly destination: string
    /** The code of the system or the database, such as `EACCES` or `28P01`, if it has one. */
    readonly code?: string
  }
}

/**
 * The reason that a place cannot be read or written. An `Error` with a `message` of one line; exhaustive under
 * `switch (error._tag)`.
 */
export type StoreError = TaggedErrors<StoreErrors>[keyof StoreErrors]

/** The errors of a family, by their kinds. */
export type TaggedErrors<Errors> = {
  readonly [Tag in keyof Errors]: Error & { readonly _tag: Tag } & Errors[Tag]
}

class Tagged extends Error {}

// constructors

/** Makes the constructor of a family of errors: `name` is the `name` of each. */
export const taggedError =
  <Errors>(name: string) =>
  <Tag extends keyof Errors>(
    _tag: Tag,
    message: string,
    details: Errors[Tag],
    cause?: unknown,
  ): TaggedErrors<Errors>[Tag] => {
    const error = new Tagged(oneLine(message), cause === undefined ? {} : { cause })
    // the mapped type is not computed for a `Tag` that is not known yet
    return Object.assign(error, { name, _tag }, details) as unknown as TaggedErrors<Errors>[Tag]
  }

/** Makes an error of a kind. */
export const storeError = taggedError<StoreErrors>('StoreError')

/** Makes the error for a file that is not what its state says. */
export const checksumMismatch = (path: string, why: string): StoreError =>
  storeError('ChecksumMismatch', `${path} ${why}: it cannot be resumed`, { path })

// combinators

/** Returns whether it is an error of the family of this name, also one of another copy of this package. */
export const isTagged =
  (name: string) =>
  (error: unknown): boolean =>
    typeof error === 'object' &&
    error !== null &&
    'name' in error &&
    error.name === name &&
    '_tag' in error

/** Returns whether it is a `StoreError`, also one of another copy of this package. */
export const isStoreError = (error: unknown): error is StoreError => isTagged('StoreError')(error)
