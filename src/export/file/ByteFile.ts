/**
 * A file that grows at its end, with the hash of what is in it. It takes bytes while those before them are
 * on their way to the disk: rows are gone then before the next page comes, and cost no collection.
 */
import { createHash, type Hash } from 'node:crypto'
import { reusable } from '../../stream/reusable.js'
import { checkPlace, Disturbed } from './Disturbed.js'
import { at, codeOf, type Files, type Handle, syncName } from './Files.js'
import type { Mark } from './RowFile.js'

// model

/** What takes bytes. They may be changed once it has answered. */
export interface Bytes {
  /** How many it has taken. */
  readonly size: () => number
  /** Answers when it has taken them; what was taken before may have failed since. */
  readonly append: (bytes: Uint8Array) => Promise<void>
}

export interface ByteFile extends Bytes {
  readonly read: (position: number, length: number) => Promise<Uint8Array>
  /** Its bytes and its name are durable. Throws `Disturbed` when somebody else was at it. */
  readonly sync: () => Promise<void>
  /** SHA-256 of all bytes so far, in hex. */
  readonly digest: () => string
  /** May be called again. */
  readonly close: () => Promise<void>
}

/** A file that is not what its checkpoint says, so it cannot be gone on with. */
export class NotTheSame extends Error {
  override readonly name = 'NotTheSame'
  readonly _tag = 'NotTheSame'
  /** The file that differs. */
  readonly path: string

  constructor(path: string, why: string) {
    super(`${path} ${why}: it cannot be gone on with`)
    this.path = path
  }
}

/** The part of a mark that says what is there. */
type Kept = Pick<Mark, 'bytes' | 'sha256'>

// constructors

/** How much is read at a time. */
const CHUNK = 1 << 20

/** So many bytes at its beginning tell that it is still there. */
const HEAD = 64

/** A new file, or an empty one in place of what was there; with `from`, what is there up to that mark. */
export const openBytes = async (
  path: string,
  from: Kept | undefined,
  files: Files,
): Promise<ByteFile> => {
  const failed = at(path)
  const told = <T>(done: Promise<T>): Promise<T> =>
    done.catch((error: unknown) => {
      throw failed(error)
    })

  const handle = await (from === undefined ? files.open(path, 'w+') : opened(files, path, 'r+'))
  const hash = createHash('sha256')
  const place = reusable()
  let size = 0
  let head = Buffer.alloc(0) // its first bytes: zeros, once it was emptied and written on
  let named = from !== undefined
  let writing: Promise<void> = Promise.resolve() // what was taken last
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= writing.catch(() => {}).then(() => told(handle.close()))
    return closing
  }
  const write = async (bytes: Uint8Array, at: number): Promise<void> => {
    for (let written = 0; written < bytes.length; ) {
      const rest = bytes.length - written
      written += (await told(handle.write(bytes, written, rest, at + written))).bytesWritten
    }
  }

  const check = async (): Promise<void> => {
    await checkPlace(files, path, size, handle)
    if (head.equals(await readAll(path, handle, 0, head.length))) return
    throw new Disturbed(path, 'was emptied by somebody else')
  }

  try {
    if (from !== undefined) {
      await told(hashKept(path, handle, from, hash))
      await told(handle.truncate(from.bytes))
      size = from.bytes
      head = Buffer.from(await told(readAll(path, handle, 0, Math.min(HEAD, size))))
    }
  } catch (error) {
    await close()
    throw error
  }

  return {
    size: () => size,
    append: async (bytes) => {
      await writing
      const own = place(bytes.length)
      own.set(bytes)
      hash.update(own)
      if (head.length < HEAD) head = Buffer.concat([head, own.subarray(0, HEAD)]).subarray(0, HEAD)
      writing = write(own, size)
      writing.catch(() => {}) // told to whoever comes next
      size += bytes.length
    },
    read: (position, length) => told(readAll(path, handle, position, length)),
    sync: async () => {
      await writing
      await told(handle.sync())
      await told(check())
      if (named) return
      await syncName(files, path)
      named = true
    },
    digest: () => hash.copy().digest('hex'),
    close,
  }
}

/** Throws `NotTheSame` unless the file is what it was when it was ended. */
export const sameFile = async (path: string, ended: Kept, files: Files): Promise<void> => {
  const handle = await opened(files, path, 'r')
  try {
    const { size } = await handle.stat()
    if (size > ended.bytes) {
      throw new NotTheSame(path, `has ${size} bytes, where it was ended with ${ended.bytes}`)
    }
    await hashKept(path, handle, ended, createHash('sha256'))
  } catch (error) {
    throw at(path)(error)
  } finally {
    await handle.close()
  }
}

/** A file that a mark is of. */
const opened = (files: Files, path: string, flags: 'r' | 'r+'): Promise<Handle> =>
  files.open(path, flags).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? new NotTheSame(path, 'is not there any more') : error
  })

/** Reads what was committed into `hash`, and makes sure that it is that. */
const hashKept = async (
  path: string,
  handle: Handle,
  { bytes, sha256 }: Kept,
  hash: Hash,
): Promise<void> => {
  const { size } = await handle.stat()
  if (size < bytes) throw new NotTheSame(path, `has ${size} bytes, where ${bytes} were committed`)
  for (let position = 0; position < bytes; position += CHUNK) {
    hash.update(await readAll(path, handle, position, Math.min(CHUNK, bytes - position)))
  }
  if (hash.copy().digest('hex') !== sha256) {
    throw new NotTheSame(path, `has other bytes than the ${bytes} that were committed`)
  }
}

const readAll = async (
  path: string,
  handle: Handle,
  position: number,
  length: number,
): Promise<Uint8Array> => {
  const bytes = new Uint8Array(length)
  for (let got = 0; got < length; ) {
    const { bytesRead } = await handle.read(bytes, got, length - got, position + got)
    if (bytesRead === 0) throw new NotTheSame(path, `ends before byte ${position + length}`)
    got += bytesRead
  }
  return bytes
}
