/** Checks that a file is still what its state says, and that no other program writes to it. */
import { createHash, type Hash } from 'node:crypto'
import { plural } from '../../decode/plural.js'
import { fieldsOf } from '../../decode/unknown.js'
import { checksumMismatch } from '../../store/StoreError.js'
import { type ExportError, exportError } from '../ExportError.js'
import {
  blocksOf,
  type Files,
  type Fingerprint,
  type Mark,
  type ReadableFile,
  reading,
} from './Files.js'

const isCount = (u: unknown): u is number =>
  typeof u === 'number' && Number.isSafeInteger(u) && u >= 0

/** Returns whether what was read from a state is a mark of a file. */
export const isMark = (u: unknown): u is Mark => {
  const { bytes, rows, sha256 } = fieldsOf(u)
  return isCount(bytes) && isCount(rows) && typeof sha256 === 'string'
}

// what a state says

/** Rejects with a `ChecksumMismatch` unless the file is what it was when it was ended. */
export const checkEnded = (files: Files, name: string, ended: Fingerprint): Promise<void> =>
  checked(files, name, async (file) => {
    if (file.size > ended.bytes) {
      const why = `has ${plural(file.size, 'byte')}, where it was ended with ${ended.bytes}`
      throw checksumMismatch(files.nameOf(name), why)
    }
    await hashCommitted(files.nameOf(name), file, ended, createHash('sha256'))
  })

/** Rejects with a `ChecksumMismatch` unless the file begins with what was committed: it can be resumed. */
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

/** Makes the error for a file that a mark is of, and that is not there. */
export const isGone = (path: string) => checksumMismatch(path, 'is not there any more')

/** Reads what was committed into `hash`. Rejects with a `ChecksumMismatch` when it is something else. */
export const hashCommitted = async (
  path: string,
  file: Pick<ReadableFile, 'size' | 'read'>,
  { bytes, sha256 }: Fingerprint,
  hash: Hash,
): Promise<void> => {
  if (file.size < bytes) {
    const why = `has ${plural(file.size, 'byte')}, where ${bytes} were committed`
    throw checksumMismatch(path, why)
  }
  for await (const block of blocksOf(file, bytes)) hash.update(block)
  if (hash.copy().digest('hex') !== sha256) {
    throw checksumMismatch(path, `has other bytes than the ${bytes} that were committed`)
  }
}

// other programs

/** Makes the error for a file that another program changed. */
export const fileConflict = (path: string, why: string, isGone = false): ExportError =>
  exportError('FileConflict', `${path} ${why} while it was written`, { path, isGone })

/** Throws a `FileConflict` unless a file has so many bytes; undefined: it is not there. */
export const checkSize = (path: string, is: number | undefined, should: number): void => {
  if (is === undefined) throw fileConflict(path, 'was removed or moved', true)
  if (is === should) return
  throw fileConflict(
    path,
    `was changed by somebody else (${plural(is, 'byte')} in place of ${should})`,
  )
}
