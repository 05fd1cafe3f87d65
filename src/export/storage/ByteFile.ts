/**
 * A file that grows at its end, with the hash of what is in it. It takes bytes while those before them are
 * on their way to the disk: rows are gone then before the next page comes, and cost no collection.
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

// constructors

/** So many bytes at its beginning tell that it is still there. */
const HEAD = 64

/** How a file is made. */
export interface Creation {
  /** Fails if there is one: its name is random, or it was removed. Else one that is there is emptied. */
  readonly isNew?: boolean
  /** Its permissions. Default: those that the process gives to its files. */
  readonly mode?: number | undefined
}

/** A new file, or an empty one in place of what was there; with `from`, what is there up to that mark, once it is cut. */
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
  let head = Buffer.alloc(0) // its first bytes: zeros, if it was emptied after `checkEnd`
  let named = from !== undefined
  let writing: Promise<void> = Promise.resolve() // what was taken last
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
      checkSize(path, stat.size, size) // after the hash: so little as can be comes between; behind a shorter end there would be a hole
      writing = located(writeFully(handle, own, size))
      writing.catch(() => {}) // reported by the next call
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

/** Opens a file that a mark is of. Throws a `ChecksumMismatch` when there is none. */
const openMarked = (files: FileSystem, path: string): Promise<FileHandle> =>
  files.open(path, 'r+').catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? isGone(path) : error
  })

/** Rejects with a `FileConflict` unless there is a file of so many bytes at `path`: that of `own`. */
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
