/**
 * A file that grows at its end, with a hash of its content. It accepts more bytes while earlier ones are being written. Rows
 * are therefore released before the next page arrives, which saves garbage collection.
 */
import { createHash } from 'node:crypto'
import {
  closing,
  codeOf,
  type FileHandle,
  type FileSystem,
  isAbsence,
  readFully,
  syncName,
  withPath,
  writeFully,
} from '../../store/FileSystem.js'
import { reusable } from '../../stream/bytes.js'
import type { ByteFile, Fingerprint } from './Files.js'
import { checkSize, fileConflict, hashCommitted, isGone } from './integrity.js'

/** Number of bytes at the start of a file that are compared to identify it. */
const HEAD = 64

export interface Creation {
  /** True: fails if the file exists, because its name is random or the file was removed. False: empties an existing file. */
  readonly isNew?: boolean
  /** Its permissions. Default: those of the process (umask). */
  readonly mode?: number | undefined
}

/** Opens a new file, or empties an existing one. With `from`, keeps the bytes up to that position and truncates the rest. */
export const openBytes = async (
  path: string,
  from: Fingerprint | undefined,
  files: FileSystem,
  { isNew = false, mode }: Creation = {},
): Promise<ByteFile> => {
  const located = <T>(done: Promise<T>): Promise<T> =>
    done.catch((error: unknown) => {
      throw withPath(path)(error)
    })

  const handle = await (from === undefined
    ? files.open(path, isNew ? 'wx+' : 'w+', mode)
    : openMarked(files, path))
  const hash = createHash('sha256')
  const allocate = reusable()
  let size = 0
  let head = Buffer.alloc(0) // the file's first bytes, which are zeros if the file was emptied after `checkEnd`
  let named = from !== undefined
  let writing: Promise<void> = Promise.resolve() // the last operation
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= writing.catch(() => {}).then(() => located(handle.close()))
    return closing
  }

  const check = async (): Promise<void> => {
    await checkInPlace(files, path, size, handle)
    if (head.equals(await readFully(path, handle, 0, head.length))) return
    throw fileConflict(path, 'was emptied by another process')
  }

  const read = (position: number, length: number): Promise<Uint8Array<ArrayBuffer>> =>
    located(readFully(path, handle, position, length))

  try {
    if (from !== undefined) {
      const { size: bytes } = await located(handle.stat())
      await hashCommitted(path, { size: bytes, read }, from, hash)
      size = from.bytes
      head = Buffer.from(await read(0, Math.min(HEAD, size)))
    }
  } catch (error) {
    await close()
    throw error
  }

  return {
    size: () => size,
    append: async (bytes) => {
      await writing
      const own = allocate(bytes.length)
      own.set(bytes)
      hash.update(own)
      if (head.length < HEAD) head = Buffer.concat([head, own.subarray(0, HEAD)]).subarray(0, HEAD)
      const stat = await located(handle.stat())
      checkSize(path, stat.size, size) // just before writing, because writing after a truncated end would leave a hole
      writing = located(writeFully(handle, own, size))
      writing.catch(() => {}) // the next call reports it
      size += bytes.length
    },
    read,
    cut: () => located(handle.truncate(size)),
    sync: async () => {
      await writing
      await located(handle.sync())
      await located(check())
      if (named) return
      await syncName(files, path)
      named = true
    },
    digest: () => hash.copy().digest('hex'),
    close,
  }
}

/** Opens the file that a mark refers to. Throws a `ChecksumMismatch` if it is missing. */
const openMarked = (files: FileSystem, path: string): Promise<FileHandle> =>
  files.open(path, 'r+').catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? isGone(path) : error
  })

/** Rejects with a `FileConflict` unless the file at `path` is still the opened file, with this number of bytes. */
const checkInPlace = async (
  files: FileSystem,
  path: string,
  bytes: number,
  own: FileHandle,
): Promise<void> => {
  const opened = files.open(path, 'r').catch((error: unknown) => {
    throw isAbsence(error) ? fileConflict(path, 'was removed or moved', true) : error
  })
  await closing(opened, async (handle) => {
    const there = await handle.stat()
    const { ino, dev } = await own.stat()
    if (there.ino !== ino || there.dev !== dev) {
      throw fileConflict(path, 'was replaced by another file')
    }
    checkSize(path, there.size, bytes)
  })
}
