/** The part of `node:fs/promises` that files are written with. */
import { fsync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { codeOf, withPath } from './systemError.js'

// model

/** An open file. */
export interface Handle {
  readonly write: (
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesWritten: number }>
  readonly read: (
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesRead: number }>
  /** `dev` and `ino` tell it from every other file, by whatever name. */
  readonly stat: () => Promise<{
    readonly size: number
    readonly dev: number
    readonly ino: number
  }>
  readonly truncate: (length: number) => Promise<void>
  readonly sync: () => Promise<void>
  readonly close: () => Promise<void>
}

/** What files are written with: `node:fs/promises` has all of it. */
export interface Files {
  readonly open: (path: string, flags: 'r' | 'r+' | 'w+') => Promise<Handle>
  readonly mkdir: (path: string, options: { readonly recursive: true }) => Promise<unknown>
  readonly readdir: (path: string) => Promise<ReadonlyArray<string>>
  readonly rm: (path: string, options: { readonly force: true }) => Promise<void>
}

// constructors

/** The disk itself. */
export const disk: Files = {
  // synced by its number: where a package manager has put an `open` of its own, handles have no `sync`
  open: async (path, flags) => {
    const handle = await open(path, flags)
    return {
      write: (...place) => handle.write(...place),
      read: (...place) => handle.read(...place),
      stat: () => handle.stat(),
      truncate: (length) => handle.truncate(length),
      sync: () => promisify(fsync)(handle.fd),
      close: () => handle.close(),
    }
  },
  mkdir,
  readdir,
  rm,
}

// combinators

/** Does something with a file that is opened, and closes it however that ends. */
export const closing = async <T>(
  opened: Promise<Handle>,
  use: (handle: Handle) => Promise<T>,
): Promise<T> => {
  const handle = await opened
  return use(handle).finally(() => handle.close())
}

/** Folders that cannot be opened or synced are those of systems where names are durable without. */
const NEEDLESS: ReadonlyArray<unknown> = ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP']

/** Makes names that were made or taken away in a folder durable. */
export const syncFolder = async (files: Files, folder: string): Promise<void> => {
  try {
    await closing(files.open(folder, 'r'), (handle) => handle.sync())
  } catch (error) {
    if (!NEEDLESS.includes(codeOf(error))) throw withPath(folder)(error)
  }
}

/** Makes the name of a file durable. */
export const syncName = (files: Files, path: string): Promise<void> =>
  syncFolder(files, dirname(path))
