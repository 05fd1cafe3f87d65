/**
 * A file that grows at its end, with the hash of what is in it. It takes bytes while those before them are
 * on their way to the disk: rows are gone then before the next page comes, and cost no collection.
 */
import { createHash } from 'node:crypto'
import {
  type FileSystem,
  readFully,
  syncName,
  withPath,
  writeFully,
} from '../../store/FileSystem.js'
import { reusable } from '../../stream/bytes.js'
import {
  checkEnd,
  checkNoConflict,
  type Fingerprint,
  fileConflict,
  hashCommitted,
  openMarked,
} from './integrity.js'

// model

/** A taker of bytes. They may be changed once it has answered. */
export interface Bytes {
  /** How many bytes it has taken. */
  readonly size: () => number
  /** Answers when it has taken them; what was taken before may have failed since. */
  readonly append: (bytes: Uint8Array) => Promise<void>
}

/** A file that is open for more bytes. */
export interface ByteFile extends Bytes {
  readonly read: (position: number, length: number) => Promise<Uint8Array>
  /** Takes away what stands behind the mark. To be called before anything is appended. */
  readonly cut: () => Promise<void>
  /** Its bytes and its name are durable. Throws a `FileConflict`. */
  readonly sync: () => Promise<void>
  /** SHA-256 of all bytes so far, in hex. */
  readonly digest: () => string
  /** May be called again. */
  readonly close: () => Promise<void>
}

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
    : openMarked(files, path, 'r+'))
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
    await checkNoConflict(files, path, size, handle)
    if (head.equals(await readFully(path, handle, 0, head.length))) return
    throw fileConflict(path, 'was emptied by somebody else')
  }

  try {
    if (from !== undefined) {
      await located(hashCommitted(path, handle, from, hash))
      size = from.bytes
      head = Buffer.from(await located(readFully(path, handle, 0, Math.min(HEAD, size))))
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
      await located(checkEnd(path, size, handle)) // after the hash: so little as can be comes between
      writing = located(writeFully(handle, own, size))
      writing.catch(() => {}) // told to whoever comes next
      size += bytes.length
    },
    read: (position, length) => located(readFully(path, handle, position, length)),
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
