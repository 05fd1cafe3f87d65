/** Checks that a file is still what its checkpoint says, and that no other program writes to it. */
import { createHash, type Hash } from 'node:crypto'
import { plural } from '../../decode/plural.js'
import { fieldsOf } from '../../decode/unknown.js'
import {
  CHUNK_BYTES,
  closing,
  codeOf,
  type FileHandle,
  type FileSystem,
  isAbsence,
  readFully,
  withPath,
} from '../../store/FileSystem.js'
import { checksumMismatch } from '../../store/StoreError.js'
import { type ExportError, exportError } from '../ExportError.js'

// model

/** Up to where a file stands; plain JSON, for a checkpoint. */
export interface Mark {
  /** Bytes of the file up to there, compressed or not. */
  readonly bytes: number
  /** Rows in these bytes. */
  readonly rows: number
  /** SHA-256 of these bytes, in hex: tells the file from another in its place. */
  readonly sha256: string
}

/** The part of a mark that identifies the content of a file. */
export type Fingerprint = Pick<Mark, 'bytes' | 'sha256'>

const isCount = (u: unknown): u is number =>
  typeof u === 'number' && Number.isSafeInteger(u) && u >= 0

/** Returns whether what was read from a checkpoint is a mark of a file. */
export const isMark = (u: unknown): u is Mark => {
  const { bytes, rows, sha256 } = fieldsOf(u)
  return isCount(bytes) && isCount(rows) && typeof sha256 === 'string'
}

// what a checkpoint says

/** Throws a `ChecksumMismatch` unless the file is what it was when it was ended. */
export const checkEnded = (path: string, ended: Fingerprint, files: FileSystem): Promise<void> =>
  look(files, path, 'r', async (handle) => {
    const { size } = await handle.stat()
    if (size > ended.bytes) {
      throw checksumMismatch(
        path,
        `has ${plural(size, 'byte')}, where it was ended with ${ended.bytes}`,
      )
    }
    await hashCommitted(path, handle, ended, createHash('sha256'))
  })

/** Throws a `ChecksumMismatch` unless the file begins with what was committed: it can be resumed. */
export const checkCommitted = (path: string, mark: Fingerprint, files: FileSystem): Promise<void> =>
  look(files, path, 'r+', (handle) => hashCommitted(path, handle, mark, createHash('sha256')))

const look = (
  files: FileSystem,
  path: string,
  flags: 'r' | 'r+',
  use: (handle: FileHandle) => Promise<void>,
): Promise<void> =>
  closing(openMarked(files, path, flags), use).catch((error: unknown) => {
    throw withPath(path)(error)
  })

/** Opens a file that a mark is of. Throws a `ChecksumMismatch` when there is none. */
export const openMarked = (
  files: FileSystem,
  path: string,
  flags: 'r' | 'r+',
): Promise<FileHandle> =>
  files.open(path, flags).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? checksumMismatch(path, 'is not there any more') : error
  })

/** Reads what was committed into `hash`. Throws a `ChecksumMismatch` when it is something else. */
export const hashCommitted = async (
  path: string,
  handle: FileHandle,
  { bytes, sha256 }: Fingerprint,
  hash: Hash,
): Promise<void> => {
  const { size } = await handle.stat()
  if (size < bytes) {
    throw checksumMismatch(path, `has ${plural(size, 'byte')}, where ${bytes} were committed`)
  }
  for (let position = 0; position < bytes; position += CHUNK_BYTES) {
    hash.update(await readFully(path, handle, position, Math.min(CHUNK_BYTES, bytes - position)))
  }
  if (hash.copy().digest('hex') !== sha256) {
    throw checksumMismatch(path, `has other bytes than the ${bytes} that were committed`)
  }
}

// other programs

/** Makes the error for a file that another program changed. */
export const fileConflict = (path: string, why: string, isGone = false): ExportError =>
  exportError('FileConflict', `${path} ${why} while it was written`, { path, isGone })

/** Throws a `FileConflict` unless there is a file of so many bytes at `path`: that of `own`, if it is given. */
export const checkNoConflict = async (
  files: FileSystem,
  path: string,
  bytes: number,
  own?: FileHandle,
): Promise<void> => {
  const opened = files.open(path, 'r').catch((error: unknown) => {
    throw isAbsence(error) ? fileConflict(path, 'was removed or moved', true) : error
  })
  await closing(opened, async (handle) => {
    const there = await handle.stat()
    const { ino, dev } = (await own?.stat()) ?? there
    if (there.ino !== ino || there.dev !== dev) {
      throw fileConflict(path, 'was replaced by another file')
    }
    checkSize(path, there.size, bytes)
  })
}

/** Throws a `FileConflict` unless an open file ends where it is appended to: after a shorter end there would be a hole. */
export const checkEnd = async (path: string, bytes: number, own: FileHandle): Promise<void> =>
  checkSize(path, (await own.stat()).size, bytes)

const checkSize = (path: string, is: number, should: number): void => {
  if (is === should) return
  throw fileConflict(
    path,
    `was changed by somebody else (${plural(is, 'byte')} in place of ${should})`,
  )
}
