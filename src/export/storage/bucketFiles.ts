/**
 * Objects below a bucket prefix, used as files that grow at their end, are truncated when a run is resumed, and get their final
 * names once complete. Objects cannot grow, so a file is
 *
 *     KEY                      one object, rewritten with each `sync`, while it is small
 *     KEY.chunks/000001 ...    later, chunks; only the last one is rewritten
 *
 * and becomes one object again when it is renamed: the service joins the chunks, without a transfer to this machine.
 */
import { createHash, type Hash } from 'node:crypto'
import { chunkAt, MOST_BYTES, type ObjectChunk } from '../../store/chunks.js'
import type { ObjectStorage } from '../../store/ObjectStorage.js'
import { type StoreError, storeError } from '../../store/StoreError.js'
import { s3Store } from '../../store/s3Store.js'
import { type ByteFile, type Files, INCOMING, type ReadableFile } from './Files.js'
import { checkSize, hashCommitted, isGone } from './integrity.js'

const chunkKey = (key: string, number: number): string =>
  `${key}.chunks/${String(number).padStart(6, '0')}`

const CHUNK_END = /\.chunks\/\d{6}$/

/** A file's objects. */
interface Chunks {
  /** Number of chunks; 0 for a file that is a single object. */
  readonly chunks: number
  readonly size: number
}

/** The objects below a prefix. */
export type Objects = Pick<ObjectStorage, keyof ObjectStorage>

/** Opens the objects below a prefix as files. Their names are keys. */
export const bucketFiles = (storage: Objects): Files => {
  const chunksOf = async (key: string): Promise<ReadonlyArray<string>> =>
    (await storage.list(`${key}.chunks/`)).map((found) => found.key).filter(isChunkOf(key))

  /**
   * Finds a file's objects: its chunks, or the object itself; `undefined` if there are none. A run that was killed while
   * removing chunks leaves some behind: chunks after a gap belong to no file.
   */
  const find = async (key: string): Promise<Chunks | undefined> => {
    const there = await storage.list(key)
    const found = there.filter((object) => isChunkOf(key)(object.key))
    const gap = found.findIndex((chunk, i) => chunk.key !== chunkKey(key, i + 1))
    const chunks = gap < 0 ? found : found.slice(0, gap)
    if (chunks.length > 0) {
      return { chunks: chunks.length, size: chunks.reduce((sum, { size }) => sum + size, 0) }
    }
    const own = there.find((object) => object.key === key)
    return own && { chunks: 0, size: own.size }
  }

  const removeChunks = async (key: string): Promise<void> => {
    for (const chunk of await chunksOf(key)) await storage.remove(chunk)
  }

  /** Removes a file, starting with its first chunk. Without its first chunk, a file does not exist. */
  const remove = async (key: string): Promise<void> => {
    await storage.remove(key)
    await removeChunks(key)
  }

  /** Joins a file's chunks into one object. Also drops a join that a killed run left unfinished. */
  const join = async (key: string, to: string, { chunks, size }: Chunks): Promise<void> => {
    for (const old of await storage.uploads(to)) if (old.key === to) await storage.abortUpload(old)
    const upload = await storage.beginUpload(to)
    const parts = []
    for (let number = 1; number <= chunks; number++) {
      parts.push(await storage.copyPart(upload, number, chunkKey(key, number)))
    }
    await storage.completeUpload(upload, parts, size)
  }

  const there = async (name: string): Promise<Chunks> => {
    const found = await find(name)
    if (found === undefined) throw isGone(storage.nameOf(name))
    return found
  }

  return {
    nameOf: (name) => storage.nameOf(name),
    prepare: async () => {},
    store: () => s3Store(storage),
    list: async (isOurs, prefix = '') => {
      const sizes = new Map<string, number>()
      for (const { key, size } of await storage.list(prefix)) {
        const name = key.replace(CHUNK_END, '')
        const isPlain = !name.replace(INCOMING, '').includes('/')
        if (isPlain && isOurs(name)) sizes.set(name, size + (sizes.get(name) ?? 0))
      }
      return Array.from(sizes, ([name, size]) => ({ name, size }))
    },
    foreign: async () => [],
    size: async (name) => (await find(name))?.size,
    mode: async () => undefined,
    isFolder: async (name) => (await storage.list(name === '' ? '' : `${name}/`)).length > 0,
    linked: async () => undefined,
    read: async (name) => {
      const found = await find(name)
      return found && readable(storage, name, found)
    },
    get: async (name) => (await storage.get(name))?.bytes,
    put: async (name, bytes) => {
      await storage.put(name, bytes)
    },
    create: async (name) => {
      await storage.put(name, new Uint8Array())
      return new BucketFile(storage, name, { chunks: 0, size: 0 }, 0)
    },
    open: async (name, from) => {
      const found = await there(name)
      const hash = createHash('sha256')
      const file = readable(storage, name, found)
      await hashCommitted(storage.nameOf(name), file, from, hash)
      const { start } = chunkAt(from.bytes)
      const tail = await file.read(start, from.bytes - start)
      return new BucketFile(storage, name, found, from.bytes, { hash, tail })
    },
    copy: async (from, to) => {
      const { chunks, size } = await there(from)
      if (chunks === 0 && size < chunkAt(0).size) return storage.copy(from, to, size)
      const file = readable(storage, from, { chunks, size })
      for (let chunk = chunkAt(0); chunk.start < size; chunk = chunkAt(chunk.start + chunk.size)) {
        const target = chunkKey(to, chunk.number)
        const length = Math.min(chunk.size, size - chunk.start)
        if (chunks > 0) await storage.copy(chunkKey(from, chunk.number), target, length)
        // the file was complete, but its copy may still grow
        else await storage.put(target, await file.read(chunk.start, length))
      }
    },
    move: async (from, to, bytes) => {
      const found = await find(from)
      checkSize(storage.nameOf(from), found?.size, bytes)
      if (from === to) return
      if (found !== undefined && found.chunks > 0) await join(from, to, found)
      else await storage.copy(from, to, bytes)
      await removeChunks(to) // chunks of a file that was replaced
      await remove(from)
    },
    remove,
    tidy: async () => {}, // a bucket has no folders
    unremoved: () => storage.unremoved(),
  }
}

const isChunkOf =
  (key: string) =>
  (other: string): boolean =>
    other.startsWith(key) && /^\.chunks\/\d{6}$/.test(other.slice(key.length))

/** Opens a file of chunks, or of one object, for reading. */
const readable = (storage: Objects, key: string, { chunks, size }: Chunks): ReadableFile => ({
  ...{ size, id: key, isFile: true, close: async () => {} },
  read: async (position, length) => {
    const all = new Uint8Array(length)
    for (let got = 0; got < length; ) {
      const at = position + got
      const chunk = chunkAt(at)
      const start = chunks === 0 ? 0 : chunk.start
      const end = chunks === 0 ? size : Math.min(size, start + chunk.size)
      const to = Math.min(end, position + length)
      const object = chunks === 0 ? key : chunkKey(key, chunk.number)
      const range = { from: at - start, to: to - start }
      const found = at < to ? await storage.get(object, range) : undefined
      if (found === undefined || found.bytes.length === 0) throw isGone(storage.nameOf(key))
      all.set(found.bytes, got)
      got += found.bytes.length
    }
    return all
  },
})

/** A growing file. Full chunks are objects; the bytes after them are in memory. */
class BucketFile implements ByteFile {
  readonly #storage: Objects
  readonly #key: string
  /** Number of its chunks when it was opened. */
  readonly #before: number
  readonly #isLonger: boolean
  readonly #hash: Hash
  /** The growing chunk. Earlier chunks are objects, or are being uploaded. */
  #chunk: ObjectChunk
  /** Bytes of the growing chunk. */
  #tail = new Uint8Array(0)
  #tailSize = 0
  #isDirty = false
  #writing: Promise<unknown> = Promise.resolve() // the upload of the last full chunk

  constructor(
    storage: Objects,
    key: string,
    found: Chunks,
    bytes: number,
    { hash = createHash('sha256'), tail = new Uint8Array(0) } = {},
  ) {
    this.#storage = storage
    this.#key = key
    this.#before = found.chunks
    this.#isLonger = found.size > bytes
    this.#hash = hash
    this.#chunk = chunkAt(bytes)
    if (tail.length > 0) this.#hold(tail)
  }

  size = (): number => this.#chunk.start + this.#tailSize

  append = async (bytes: Uint8Array): Promise<void> => {
    this.#hash.update(bytes)
    for (let at = 0; at < bytes.length; ) {
      await this.#writing
      const some = bytes.subarray(at, at + this.#chunk.size - this.#tailSize)
      if (this.size() + some.length > MOST_BYTES) throw tooLarge(this.#storage.nameOf(this.#key))
      this.#hold(some)
      at += some.length
      this.#isDirty = true
      if (this.#tailSize === this.#chunk.size) this.#endChunk()
    }
  }

  read = async (position: number, length: number): Promise<Uint8Array<ArrayBuffer>> => {
    await this.#writing
    const { start } = this.#chunk
    const full = { chunks: this.#full(), size: start }
    const before = Math.max(0, Math.min(length, start - position))
    const first = await readable(this.#storage, this.#key, full).read(position, before)
    const at = position + before - start
    const rest = this.#tail.subarray(0, this.#tailSize).subarray(at, at + length - before)
    if (before + rest.length < length) throw isGone(this.#storage.nameOf(this.#key))
    return Buffer.concat([first, rest])
  }

  cut = async (): Promise<void> => {
    if (!this.#isLonger) return
    this.#isDirty = true
    await this.sync() // before the old content is removed
    // the last chunk is removed first, so a killed run leaves no gap
    for (let number = this.#before; number > this.#objects(); number--) {
      await this.#storage.remove(chunkKey(this.#key, number))
    }
  }

  sync = async (): Promise<void> => {
    await this.#writing
    if (!this.#isDirty) return
    const isKept = this.#tailSize > 0 || this.#full() === 0
    if (isKept) await this.#storage.put(this.#tailKey(), this.#tail.slice(0, this.#tailSize))
    this.#isDirty = false
  }

  digest = (): string => this.#hash.copy().digest('hex')

  close = async (): Promise<void> => {
    await this.#writing.catch(() => {}) // the next call reports it
  }

  /** Returns the number of full chunks. */
  #full(): number {
    return this.#chunk.number - 1
  }

  /** Returns the number of chunks, including the one that is not full; 0 while the file is a single object. */
  #objects(): number {
    return this.#full() === 0 ? 0 : this.#full() + (this.#tailSize > 0 ? 1 : 0)
  }

  #tailKey(): string {
    return this.#full() === 0 ? this.#key : chunkKey(this.#key, this.#chunk.number)
  }

  #hold(bytes: Uint8Array): void {
    if (this.#tail.length === 0) this.#tail = new Uint8Array(this.#chunk.size)
    this.#tail.set(bytes, this.#tailSize)
    this.#tailSize += bytes.length
  }

  #endChunk(): void {
    const [{ number, start, size }, bytes] = [this.#chunk, this.#tail]
    this.#chunk = chunkAt(start + size)
    this.#tail = new Uint8Array(0)
    this.#tailSize = 0
    this.#writing = this.#storage.put(chunkKey(this.#key, number), bytes).then(async () => {
      if (number > 1) return
      // the object has the first bytes of the chunk; it is removed once the chunk exists
      const found = await this.#storage.sizeOf(chunkKey(this.#key, number))
      if (found !== size) throw isGone(this.#storage.nameOf(chunkKey(this.#key, number)))
      await this.#storage.remove(this.#key)
    })
    this.#writing.catch(() => {}) // the next call reports it
  }
}

const tooLarge = (path: string): StoreError => {
  const most = Math.floor(MOST_BYTES / 2 ** 30)
  const advice = 'export into a prefix (s3://BUCKET/DIR/), which has a file for each time slice'
  const why = `cannot write ${path}: it would be larger than ${most} GiB, the maximum for one object: ${advice}`
  return storeError('WriteFailed', why, { path, code: 'EntityTooLarge' })
}
