/** Checks that a file still matches its state, and that no other program is writing to it. */
import { createHash, type Hash } from 'node:crypto'
import { plural } from '../../decode/plural.js'
import { fieldsOf } from '../../decode/unknown.js'
import { checksumMismatch } from '../../store/StoreError.js'
import { type ExportError, exportError } from '../ExportError.js'
import {
  blocksOf,
  type FilePosition,
  type Files,
  type Fingerprint,
  type ReadableFile,
  reading,
} from './Files.js'

const isCount = (u: unknown): u is number =>
  typeof u === 'number' && Number.isSafeInteger(u) && u >= 0

export const isMark = (u: unknown): u is FilePosition => {
  const { bytes, rows, sha256 } = fieldsOf(u)
  return isCount(bytes) && isCount(rows) && typeof sha256 === 'string'
}

// checks against a state

/** Rejects with a `ChecksumMismatch` if the file has changed since it was finished. */
export const checkEnded = (files: Files, name: string, ended: Fingerprint): Promise<void> =>
  checked(files, name, async (file) => {
    if (file.size > ended.bytes) {
      const why = `has ${plural(file.size, 'byte')}, but had ${ended.bytes} when it was finished`
      throw checksumMismatch(files.nameOf(name), why)
    }
    await hashCommitted(files.nameOf(name), file, ended, createHash('sha256'))
  })

/** Rejects with a `ChecksumMismatch` unless the file starts with the committed bytes, so that it can be resumed. */
export const checkCommitted = (files: Files, name: string, mark: Fingerprint): Promise<void> =>
  checked(files, name, (file) =>
    hashCommitted(files.nameOf(name), file, mark, createHash('sha256')),
  )

const checked = async (
  files: Files,
  name: string,
  check: (file: ReadableFile) => Promise<void>,
): Promise<void> => {
  const found = await reading(files, name, async (file) => {
    await check(file)
    return true
  })
  if (found === undefined) throw isGone(files.nameOf(name))
}

/** Creates the error for a marked file that does not exist. */
export const isGone = (path: string) => checksumMismatch(path, 'no longer exists')

/** Hashes the committed bytes. Rejects with a `ChecksumMismatch` if they have changed. */
export const hashCommitted = async (
  path: string,
  file: Pick<ReadableFile, 'size' | 'read'>,
  { bytes, sha256 }: Fingerprint,
  hash: Hash,
): Promise<void> => {
  if (file.size < bytes) {
    const why = `has ${plural(file.size, 'byte')}, but ${bytes} were committed`
    throw checksumMismatch(path, why)
  }
  for await (const block of blocksOf(file, bytes)) hash.update(block)
  if (hash.copy().digest('hex') !== sha256) {
    throw checksumMismatch(
      path,
      `was changed within the first ${bytes} bytes, which were committed`,
    )
  }
}

// other programs

/** Creates the error for a file that another program changed. */
export const fileConflict = (path: string, why: string, isGone = false): ExportError =>
  exportError('FileConflict', `${path} ${why} while it was being written`, { path, isGone })

/** Throws a `FileConflict` unless a file has the expected size. `undefined`: the file does not exist. */
export const checkSize = (path: string, is: number | undefined, should: number): void => {
  if (is === undefined) throw fileConflict(path, 'was removed or moved', true)
  if (is === should) return
  throw fileConflict(
    path,
    `was changed by another program (${plural(is, 'byte')} instead of ${should})`,
  )
}
