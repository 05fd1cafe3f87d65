/** A file system that writes little at a time, runs full, and tells what was done. */
import { copyFile, mkdir, open, readdir, readlink, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle, FileSystem } from '../../../src/export/index.js'

export interface Limits {
  /** Bytes that one write takes at most. */
  readonly atOnce?: number
  /** Bytes that there is room for. */
  readonly room?: number
  /** Waited for before each write. */
  readonly ready?: () => Promise<unknown>
}

export interface Watched {
  readonly files: FileSystem
  /** Paths that were synced, in order. */
  readonly synced: ReadonlyArray<string>
  /** How many handles are open. */
  readonly open: () => number
  /** Makes room, or takes it. */
  readonly room: (bytes: number) => void
}

const full = (): Error =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 })

export const watched = ({
  atOnce = Number.POSITIVE_INFINITY,
  room: first,
  ready = () => Promise.resolve(),
}: Limits = {}): Watched => {
  const synced: Array<string> = []
  let room = first ?? Number.POSITIVE_INFINITY
  let count = 0

  const watch: FileSystem['open'] = async (path, flags, mode): Promise<FileHandle> => {
    const handle = await open(path, flags, mode)
    count++
    return {
      write: async (bytes, offset, length, position) => {
        await ready()
        const most = Math.min(length, atOnce, room)
        if (most === 0) throw full()
        room -= most
        return handle.write(bytes, offset, most, position)
      },
      read: (bytes, offset, length, position) =>
        handle.read(bytes, offset, Math.min(length, atOnce), position),
      stat: () => handle.stat(),
      truncate: (length) => handle.truncate(length),
      sync: async () => {
        await handle.sync()
        synced.push(path)
      },
      close: async () => {
        await handle.close()
        count--
      },
    }
  }

  return {
    files: { copyFile, mkdir, readdir, readlink, rename, rm, stat, open: watch },
    synced,
    open: () => count,
    room: (bytes) => {
      room = bytes
    },
  }
}
