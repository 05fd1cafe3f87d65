/**
 * A disk in memory that a crash can be played on. All that was written is there for a process that starts
 * after another was killed; after a power cut, only what was synced is, and names only if their folder was.
 */
import { dirname, join, resolve } from 'node:path'
import type { FileSystem } from '../../../src/store/FileSystem.js'

interface Inode {
  bytes: Uint8Array
  synced: Uint8Array
  /** Tells it from another by the same name. */
  readonly ino: number
}

/** Names of files, each with what it stands for. */
type Names = Map<string, Inode>

export interface Memory extends FileSystem {
  /** Changes to it so far. */
  readonly changes: () => number
  readonly text: (path: string) => string
  readonly names: () => ReadonlyArray<string>
  /** Contents that the next process finds. */
  readonly after: (what: 'kill' | 'power cut', options?: MemoryOptions) => Memory
  readonly put: (path: string, text: string) => void
  /** Gives a file another name, too. */
  readonly alias: (path: string, other: string) => void
}

class Crash extends Error {}

const fails = (code: string, path: string): never => {
  throw Object.assign(new Error(`${code}: ${path}`), { code, path })
}

export interface MemoryOptions {
  /** The change at which the process is killed; the first half of what it writes may be there. */
  readonly dies?: number
  /** Bytes of all files together, at most. */
  readonly room?: number
  /** Symbolic links, of which only the names are known. */
  readonly links?: Readonly<Record<string, string>>
}

const grown = (bytes: Uint8Array, length: number): Uint8Array => {
  const more = new Uint8Array(length)
  more.set(bytes.subarray(0, length))
  return more
}

const memoryOf = (
  names: Names,
  durable: Names,
  { dies, room, links = {} }: MemoryOptions,
): Memory => {
  let changes = 0
  let inodes = Math.max(0, ...[...names.values()].map(({ ino }) => ino))
  let dead = false
  const alive = (): void => {
    if (dead) throw new Crash('killed')
  }
  const change = (): void => {
    alive()
    dead = ++changes === dies
    alive()
  }
  const inodeOf = (bytes: Uint8Array): Inode => ({ bytes, synced: bytes.slice(), ino: ++inodes })
  const found = (path: string): Inode => names.get(path) ?? fails('ENOENT', path)
  const folders = new Set<string>() // that were made
  const used = (): number =>
    [...new Set(names.values())].reduce((n, { bytes }) => n + bytes.length, 0)

  const folder = (path: string) => ({
    write: async () => fails('EISDIR', path),
    read: async () => fails('EISDIR', path),
    stat: async () => ({ size: 0, dev: 1, ino: 0, isFile: () => false }),
    truncate: async () => fails('EISDIR', path),
    sync: async () => {
      change()
      const isHere = (name: string) => dirname(name) === resolve(path)
      for (const name of durable.keys()) if (isHere(name)) durable.delete(name)
      for (const [name, inode] of names) if (isHere(name)) durable.set(name, inode)
    },
    close: async () => {},
  })

  const file = (path: string, inode: Inode) => ({
    write: async (bytes: Uint8Array, offset: number, length: number, position: number) => {
      const put = (count: number): void => {
        inode.bytes = grown(inode.bytes, Math.max(inode.bytes.length, position + count))
        inode.bytes.set(bytes.subarray(offset, offset + count), position)
      }
      if (changes + 1 === dies) put(length >> 1)
      change()
      const left = room === undefined ? length : room - used() + inode.bytes.length - position
      if (left <= 0) return fails('ENOSPC', path)
      const count = Math.min(length, left)
      put(count)
      return { bytesWritten: count }
    },
    read: async (bytes: Uint8Array, offset: number, length: number, position: number) => {
      alive()
      const part = inode.bytes.subarray(position, position + length)
      bytes.set(part, offset)
      return { bytesRead: part.length }
    },
    stat: async () => ({ size: inode.bytes.length, dev: 1, ino: inode.ino, isFile: () => true }),
    truncate: async (length: number) => {
      change()
      inode.bytes = grown(inode.bytes, length)
    },
    sync: async () => {
      change()
      inode.synced = inode.bytes.slice()
    },
    close: async () => {},
  })

  return {
    open: async (path, flags) => {
      alive()
      const inode = names.get(path)
      if (flags === 'wx+' && inode !== undefined) fails('EEXIST', path)
      if (flags === 'w+' || flags === 'wx+') {
        change()
        const fresh = inode ?? inodeOf(new Uint8Array(0))
        fresh.bytes = new Uint8Array(0)
        names.set(path, fresh)
        return file(path, fresh)
      }
      if (inode !== undefined) return file(path, inode)
      const isFolder = [...names.keys(), ...durable.keys()].some((name) =>
        name.startsWith(join(path, '/')),
      )
      return isFolder ? folder(path) : fails('ENOENT', path)
    },
    mkdir: async (path) => {
      alive()
      folders.add(join(path, '/'))
    },
    readdir: async (path) => {
      alive()
      const start = join(path, '/')
      const inside = [...names.keys()].filter((name) => name.startsWith(start))
      if (inside.length === 0 && !folders.has(start)) fails('ENOENT', path)
      return inside.map((name) => name.slice(start.length))
    },
    rm: async (path) => {
      change()
      names.delete(path)
    },
    rename: async (from, to) => {
      const inode = found(from)
      change()
      names.delete(from)
      names.set(to, inode)
    },
    copyFile: async (from, to) => {
      const inode = found(from)
      if (names.has(to)) fails('EEXIST', to)
      change()
      names.set(to, { ...inodeOf(inode.bytes.slice()), synced: new Uint8Array(0) })
    },
    stat: async (path) => ({ size: found(path).bytes.length, mode: 0o100644 }),
    readlink: async (path) => links[path] ?? fails('EINVAL', path),
    changes: () => changes,
    text: (path) => new TextDecoder().decode(found(path).bytes),
    names: () => [...names.keys()].sort(),
    alias: (path, other) => {
      names.set(other, found(path))
    },
    put: (path, text) => {
      const bytes = new TextEncoder().encode(text)
      names.set(path, inodeOf(bytes))
    },
    after: (what, options = {}) => {
      const left = what === 'kill' ? names : durable
      const kept: Names = new Map()
      for (const [name, inode] of left) {
        const bytes = (what === 'kill' ? inode.bytes : inode.synced).slice()
        kept.set(name, { bytes, synced: bytes.slice(), ino: inode.ino })
      }
      return memoryOf(kept, new Map(kept), options)
    },
  }
}

export const memory = (options: MemoryOptions = {}): Memory =>
  memoryOf(new Map(), new Map(), options)
