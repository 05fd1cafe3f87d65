/**
 * Files in a bucket, as an export writes them: they grow at their end, are cut back when a run is resumed, and get their
 * final names when they are complete. Objects cannot grow, so a file is
 *
 *     KEY                      one object, written anew with each `sync`, while it is small
 *     KEY.chunks/000001 ...    later, chunks; only the last one is written anew
 *
 * and one object again when it is renamed: the service joins the chunks, without a transfer to here.
 */
import { createHash } from 'node:crypto'
import type { SchedulerLike } from 'rxjs'
import type { FileHandle, FileSystem } from '../../store/FileSystem.js'
import { type ObjectStorage, objectStorage, type StoredObject } from '../../store/ObjectStorage.js'
import {
  processEnvironment,
  type S3Environment,
  s3Location,
  s3Path,
} from '../../store/S3Location.js'
import { s3Store } from '../../store/s3Store.js'
import { exportError } from '../ExportError.js'

/** Size of a chunk: the least that S3 allows for a part of an object, in bytes. A file that grows holds one in memory. */
const CHUNK = 5 << 20

/** How a chunk is numbered: as many digits as 10,000 parts, the most of an object, need. */
const chunkKey = (key: string, number: number): string =>
  `${key}.chunks/${String(number).padStart(6, '0')}`

/** Error of a file system, as `node:fs` throws it. */
const systemError = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code, path })

/** The objects of a file. */
interface Layout {
  /** How many chunks it has; 0 for a file that is one object. */
  readonly chunks: number
  readonly size: number
}

/** Files by paths that have `root` in them; what follows it is the key. */
export const s3Files = (storage: ObjectStorage, root: string): FileSystem => {
  const keyOf = (path: string): string => {
    const plain = path.replaceAll('\\', '/')
    const at = `${plain}/`.indexOf(root)
    if (at < 0 && root.startsWith(plain.slice(Math.max(0, plain.indexOf('s3:/'))))) return '' // a folder above
    if (at < 0) throw systemError('ENOENT', path)
    return plain.slice(at + root.length)
  }
  const open = new Map<string, GrowingFile>()

  /** Lists the chunks of a file; other objects below its key are of other programs. */
  const chunksOf = async (key: string): Promise<ReadonlyArray<StoredObject>> => {
    const below = `${key}.chunks/`
    return (await storage.list(below)).filter((found) =>
      /^\d{6}$/.test(found.key.slice(below.length)),
    )
  }

  /**
   * Finds the objects of a file: chunks, or the object itself; undefined if there are none. A run that was killed while it
   * removed chunks leaves some: those behind a gap are of no file.
   */
  const layoutOf = async (key: string): Promise<Layout | undefined> => {
    const found = await chunksOf(key)
    const gap = found.findIndex((chunk, i) => chunk.key !== chunkKey(key, i + 1))
    const chunks = gap < 0 ? found : found.slice(0, gap)
    if (chunks.length > 0) {
      return { chunks: chunks.length, size: chunks.reduce((sum, { size }) => sum + size, 0) }
    }
    const own = (await storage.list(key)).find((object) => object.key === key)
    return own && { chunks: 0, size: own.size }
  }

  /** The first chunk goes first: without it, there is no such file. */
  const remove = async (key: string): Promise<void> => {
    await storage.remove(key)
    await removeChunks(key)
  }

  const removeChunks = async (key: string): Promise<void> => {
    for (const chunk of await chunksOf(key)) await storage.remove(chunk.key)
  }

  /** Cuts an object into chunks, so that it can grow. */
  const split = async (key: string, size: number): Promise<Layout> => {
    const chunks = Math.ceil(size / CHUNK)
    for (let number = chunks; number >= 1; number--) {
      const from = (number - 1) * CHUNK
      const found = await storage.get(key, { from, to: Math.min(size, from + CHUNK) })
      if (found !== undefined) await storage.put(chunkKey(key, number), found.bytes)
    }
    await storage.remove(key)
    return { chunks, size }
  }

  /** Joins the chunks of a file in one object, and drops what a killed run began of that. */
  const join = async (key: string, to: string, chunks: number): Promise<void> => {
    for (const old of await storage.uploads(to)) if (old.key === to) await storage.abortUpload(old)
    const upload = await storage.beginUpload(to)
    const parts = []
    for (let number = 1; number <= chunks; number++) {
      parts.push(await storage.copyPart(upload, number, chunkKey(key, number)))
    }
    await storage.completeUpload(upload, parts)
  }

  const opened = async (path: string, isEmpty: boolean): Promise<GrowingFile> => {
    const key = keyOf(path)
    if (isEmpty) await remove(key)
    const found = isEmpty ? { chunks: 0, size: 0 } : await layoutOf(key)
    if (found === undefined) throw systemError('ENOENT', path)
    const isLarge = found.chunks === 0 && found.size >= CHUNK
    const layout = isLarge ? await split(key, found.size) : found
    const file = new GrowingFile(storage, key, layout, () => open.delete(file.key))
    if (isEmpty) await file.sync()
    open.set(key, file)
    return file
  }

  const read = async (path: string): Promise<FileHandle> => {
    const key = keyOf(path)
    if (key === '' || key.endsWith('_incoming')) throw systemError('EISDIR', path)
    const growing = open.get(key)
    if (growing !== undefined) return { ...refusing, read: growing.read, stat: growing.stat }
    const layout = await layoutOf(key)
    if (layout === undefined) throw systemError('ENOENT', path)
    return readHandle(storage, key, layout)
  }

  return {
    open: async (path, flags) => {
      if (flags === 'r') return read(path)
      if (flags === 'wx+' && (await layoutOf(keyOf(path))) !== undefined) {
        throw systemError('EEXIST', path)
      }
      return opened(path, flags !== 'r+')
    },
    mkdir: async () => {},
    readdir: async (path) => {
      const key = keyOf(path)
      const prefix = key === '' || key.endsWith('/') ? key : `${key}/`
      const objects = await storage.list(prefix)
      if (objects.length === 0 && prefix !== '') throw systemError('ENOENT', path)
      const names = objects.map((object) =>
        object.key.slice(prefix.length).replace(/\.chunks\/\d{6}$/, ''),
      )
      return [...new Set(names)].filter((name) => !name.includes('/'))
    },
    rm: (path) => remove(keyOf(path)),
    rename: async (from, to) => {
      const [source, target] = [keyOf(from), keyOf(to)]
      if (source === target) return
      const growing = open.get(source)
      if (growing !== undefined) {
        await removeChunks(target)
        await growing.moveTo(target)
        open.delete(source)
        open.set(target, growing)
        return
      }
      const layout = await layoutOf(source)
      if (layout === undefined) throw systemError('ENOENT', from)
      if (layout.chunks > 0) await join(source, target, layout.chunks)
      else await storage.copy(source, target)
      await removeChunks(target) // of a file that was replaced
      await remove(source)
    },
    copyFile: async (from, to) => {
      const [source, target] = [keyOf(from), keyOf(to)]
      const layout = await layoutOf(source)
      if (layout === undefined) throw systemError('ENOENT', from)
      if (layout.chunks > 0) await join(source, target, layout.chunks)
      else await storage.copy(source, target)
    },
    unremoved: storage.unremoved,
    stat: async (path) => {
      const key = keyOf(path)
      const layout = key === '' || key.endsWith('/') ? { size: 0 } : await layoutOf(key)
      if (layout === undefined) throw systemError('ENOENT', path)
      return { size: layout.size, mode: 0o600 }
    },
    readlink: async (path) => {
      throw systemError('EINVAL', path)
    },
    store: (folder) => {
      const key = keyOf(folder)
      return s3Store(storage, key === '' || key.endsWith('/') ? key : `${key}/`)
    },
  }
}

// files that grow

/** A file that is open for writing: full chunks are objects, and what is behind them is in memory. */
class GrowingFile implements FileHandle {
  key: string
  readonly #storage: ObjectStorage
  readonly #onClose: () => void
  #chunks: number
  /** Bytes behind the full chunks, in a place for a whole one; undefined until they are read. */
  #tail: Uint8Array<ArrayBuffer> | undefined
  #tailSize: number
  #isDirty = false

  constructor(storage: ObjectStorage, key: string, { chunks, size }: Layout, onClose: () => void) {
    this.key = key
    this.#storage = storage
    this.#onClose = onClose
    const full = chunks === 0 ? 0 : Math.floor(size / CHUNK)
    this.#chunks = full
    this.#tailSize = size - full * CHUNK
    if (size === 0) this.#tail = new Uint8Array(CHUNK)
  }

  layout = (): Layout => {
    const tail = this.#tailSize > 0 || this.#chunks === 0 ? 1 : 0
    return { chunks: this.#chunks === 0 ? 0 : this.#chunks + tail, size: this.#size() }
  }

  #size(): number {
    return this.#chunks * CHUNK + this.#tailSize
  }

  write: FileHandle['write'] = async (bytes, offset, length, position) => {
    if (position !== this.#size()) {
      throw exportError('FileConflict', `${this.key} can only grow at its end`, {
        path: this.key,
        isGone: false,
      })
    }
    await this.#append(bytes.subarray(offset, offset + length))
    return { bytesWritten: length }
  }

  read: FileHandle['read'] = async (bytes, offset, length, position) => {
    const start = this.#chunks * CHUNK
    if (position < start) {
      const full = { chunks: this.#chunks, size: start }
      return readHandle(this.#storage, this.key, full).read(bytes, offset, length, position)
    }
    const tail = (await this.#tailBytes()).subarray(0, this.#tailSize)
    const found = tail.subarray(position - start, position - start + length)
    bytes.set(found, offset)
    return { bytesRead: found.length }
  }

  stat: FileHandle['stat'] = async () => statOf(this.#size(), this.key)

  truncate: FileHandle['truncate'] = async (length) => {
    if (length >= this.#size()) return
    const kept = Math.floor(length / CHUNK)
    const old = this.layout().chunks
    if (kept < this.#chunks) {
      const cut = await this.#storage.get(chunkKey(this.key, kept + 1))
      this.#tail = placed(cut?.bytes)
      this.#chunks = kept
    } else {
      await this.#tailBytes()
    }
    this.#tailSize = length - kept * CHUNK
    this.#isDirty = true
    await this.sync() // before what it replaces is gone
    const { chunks } = this.layout()
    // the last chunk goes first: a run that is killed leaves no gap
    for (let number = old; number > chunks; number--) {
      await this.#storage.remove(chunkKey(this.key, number))
    }
  }

  sync: FileHandle['sync'] = async () => {
    if (!this.#isDirty && this.#size() > 0) return
    const tail = (await this.#tailBytes()).slice(0, this.#tailSize)
    if (tail.length > 0 || this.#chunks === 0) await this.#storage.put(this.#tailKey(), tail)
    this.#isDirty = false
  }

  close: FileHandle['close'] = async () => {
    this.#onClose()
  }

  /** Renames a file that is still open. */
  async moveTo(key: string): Promise<void> {
    await this.sync()
    const { chunks } = this.layout()
    const keys = chunks === 0 ? [''] : Array.from({ length: chunks }, (_, i) => chunkKey('', i + 1))
    for (const end of keys) await this.#storage.copy(this.key + end, key + end)
    for (const end of keys) await this.#storage.remove(this.key + end)
    this.key = key
  }

  async #append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const tail = await this.#tailBytes()
      const some = bytes.subarray(at, at + CHUNK - this.#tailSize)
      tail.set(some, this.#tailSize)
      at += some.length
      this.#tailSize += some.length
      this.#isDirty = true
      if (this.#tailSize < CHUNK) return
      await this.#storage.put(chunkKey(this.key, this.#chunks + 1), tail)
      if (this.#chunks === 0) await this.#storage.remove(this.key) // its first bytes: the chunk has them
      this.#chunks++
      this.#tailSize = 0
    }
  }

  #tailKey(): string {
    return this.#chunks === 0 ? this.key : chunkKey(this.key, this.#chunks + 1)
  }

  async #tailBytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.#tail ??= placed((await this.#storage.get(this.#tailKey()))?.bytes)
    return this.#tail
  }
}

/** Puts bytes at the beginning of a place for a whole chunk. */
const placed = (bytes: Uint8Array = new Uint8Array()): Uint8Array<ArrayBuffer> => {
  const place = new Uint8Array(CHUNK)
  place.set(bytes.subarray(0, CHUNK))
  return place
}

// reading

const readOnly = async (): Promise<never> => {
  throw systemError('EBADF', 'a file that is read')
}

const refusing = {
  write: readOnly,
  truncate: readOnly,
  sync: async () => {},
  close: async () => {},
}

const readHandle = (storage: ObjectStorage, key: string, { chunks, size }: Layout): FileHandle => ({
  ...refusing,
  read: async (bytes, offset, length, position) => {
    const number = chunks === 0 ? 0 : Math.floor(position / CHUNK)
    const start = number * CHUNK
    const end = chunks === 0 ? size : Math.min(size, start + CHUNK)
    const to = Math.min(end, position + length)
    if (position >= to) return { bytesRead: 0 }
    const object = chunks === 0 ? key : chunkKey(key, number + 1)
    const found = await storage.get(object, { from: position - start, to: to - start })
    if (found === undefined) return { bytesRead: 0 }
    bytes.set(found.bytes, offset)
    return { bytesRead: found.bytes.length }
  },
  stat: async () => statOf(size, key),
})

/** A file is known by its name: no other one gets the same. */
const statOf = (size: number, key: string) => ({
  size,
  dev: 0,
  ino: createHash('sha256').update(key).digest().readUIntBE(0, 6),
  isFile: () => true,
})

// URLs as paths

/**
 * Opens the bucket of an output, `s3://BUCKET/PREFIX/` or `s3://BUCKET/PREFIX/FILE`. Paths of the export begin with
 * `s3:/`, as functions of `node:path` leave it.
 */
export const openS3Files = async (
  url: string,
  { env, timer }: { readonly env: S3Environment['env'] | undefined; readonly timer: SchedulerLike },
): Promise<FileSystem> => {
  const folder = url.slice(0, url.lastIndexOf('/') + 1)
  const location = await s3Location(folder, processEnvironment(env))
  return s3Files(objectStorage(location, { timer }), s3Path(folder))
}
