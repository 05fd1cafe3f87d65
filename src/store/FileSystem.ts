/** The part of `node:fs/promises` that an export writes with, and what the system says when it refuses. */
import { constants, fsync } from 'node:fs'
import { copyFile, mkdir, open, readdir, readlink, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { checksumMismatch } from './StoreError.js'

// model

/** An open file. */
export interface FileHandle {
  /** Writes some of the bytes at a position of the file; fewer than asked for, perhaps. */
  readonly write: (
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesWritten: number }>
  /** Reads some of the bytes at a position of the file; 0 at its end. */
  readonly read: (
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesRead: number }>
  /** `dev` and `ino` identify the file, by whatever name. */
  readonly stat: () => Promise<{
    readonly size: number
    readonly dev: number
    readonly ino: number
    readonly isFile: () => boolean
  }>
  /** Cuts the file off. */
  readonly truncate: (length: number) => Promise<void>
  /** Makes all bytes durable. */
  readonly sync: () => Promise<void>
  /** Gives the file back to the system. */
  readonly close: () => Promise<void>
}

/** The file system that an export needs; `node:fs/promises` has all of it. */
export interface FileSystem {
  /**
   * Opens a file to read it (`r`), to read and write it (`r+`), anew (`w+`), or as one that is not there yet (`wx+`);
   * `mode`: its permissions.
   */
  readonly open: (
    path: string,
    flags: 'r' | 'r+' | 'w+' | 'wx+',
    mode?: number,
  ) => Promise<FileHandle>
  /** Makes a folder, and those above it. */
  readonly mkdir: (path: string, options: { readonly recursive: true }) => Promise<unknown>
  /** Lists the names in a folder. */
  readonly readdir: (path: string) => Promise<ReadonlyArray<string>>
  /** Removes a file, if it is there. */
  readonly rm: (path: string, options: { readonly force: true }) => Promise<void>
  /** Renames a file in one step, over one that is there. */
  readonly rename: (from: string, to: string) => Promise<void>
  /** Copies a file to one that is not there yet, with its permissions; `mode`: as `fs.constants.COPYFILE_EXCL`. */
  readonly copyFile: (from: string, to: string, mode: number) => Promise<void>
  /** Rejects if there is no such file or folder. */
  readonly stat: (path: string) => Promise<{ readonly size: number; readonly mode: number }>
  /** Resolves with what a link leads to; rejects for what is no link. */
  readonly readlink: (path: string) => Promise<string>
}

// constructors

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = constants

/** Nothing is written through a link that another user may have put there; opening a pipe does not wait for a writer. */
const SYSTEM_FLAGS = {
  r: O_RDONLY | O_NONBLOCK,
  'r+': O_RDWR | O_NOFOLLOW,
  'w+': 'w+',
  'wx+': O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
} as const

/** Twelve digits at random, for the name of a file that no other program can have made before. */
export const randomName = (): string => crypto.randomUUID().replaceAll('-', '').slice(-12)

/** The disk itself. */
export const disk: FileSystem = {
  // synced by its number: where a package manager has put an `open` of its own, handles have no `sync`
  open: async (path, flags, mode) => {
    const handle = await open(path, SYSTEM_FLAGS[flags], mode)
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
  rename,
  copyFile,
  stat,
  readlink,
}

// files that are not complete

/** A name of its own for a file until it is complete: `charges.csv.0123456789ab.part`. */
export const unfinishedName = (final: string): string => `${final}.${randomName()}.part`

/** The name that a file has, or will have when it is complete. */
export const finalName = (path: string): string => path.replace(/\.[0-9a-f]{12}\.part$/, '')

// errors of the system

/** Returns whether it is an error. Told by its fields: under some test runners it is of another realm. */
export const isError = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'message' in error && 'name' in error

/** Returns whether the system refused; else it may be a bug. */
export const isSystemError = (error: unknown): error is Error & { readonly code: string } =>
  isError(error) && 'code' in error && typeof error.code === 'string'

/** Returns a code such as `ENOENT`; undefined if it was not the system that refused. */
export const codeOf = (error: unknown): string | undefined =>
  isSystemError(error) ? error.code : undefined

/** Returns whether there is no such file, nor perhaps its folder. */
export const isAbsence = (error: unknown): boolean =>
  codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** Adds the path to an error that does not say it, such as one of an open file. */
export const withPath =
  (path: string) =>
  (error: unknown): unknown =>
    isSystemError(error) && !('path' in error) ? Object.assign(error, { path }) : error

// combinators

/** Returns whether a name is a link, whatever it leads to. */
export const isLink = (files: Pick<FileSystem, 'readlink'>, path: string): Promise<boolean> =>
  files.readlink(path).then(
    () => true,
    () => false,
  )

/** Lists the files of a folder that have names of ours. Links and folders by such names are of other programs. */
export const filesNamed = async (
  files: Pick<FileSystem, 'readdir' | 'readlink' | 'stat'>,
  folder: string,
  isOurs: (name: string) => boolean,
): Promise<ReadonlyArray<{ readonly name: string; readonly size: number }>> => {
  const found: Array<{ readonly name: string; readonly size: number }> = []
  for (const name of (await files.readdir(folder)).filter(isOurs)) {
    const path = join(folder, name)
    const stat = (await isLink(files, path)) ? undefined : await files.stat(path).catch(() => {})
    const type = stat && stat.mode & constants.S_IFMT
    const isPlain = type === 0 || type === constants.S_IFREG // 0: it does not tell
    if (stat !== undefined && isPlain) found.push({ name, size: stat.size })
  }
  return found
}

/** Removes a file, if it is there; a link or a folder by its name stays. */
export const removeFile = async (
  files: Pick<FileSystem, 'readlink' | 'rm'>,
  path: string,
): Promise<void> => {
  if (await isLink(files, path)) return
  await files.rm(path, { force: true }).catch((error: unknown) => {
    if (!IS_FOLDER.includes(codeOf(error))) throw error
  })
}

/** Codes of Node and of systems for a folder that is removed as a file. */
const IS_FOLDER: ReadonlyArray<unknown> = ['ERR_FS_EISDIR', 'EISDIR']

/** Returns whether there is such a folder that can be read. */
export const isFolderThere = (files: Pick<FileSystem, 'readdir'>, path: string): Promise<boolean> =>
  files.readdir(path).then(
    () => true,
    () => false,
  )

/** The permissions of a file, if it is there. */
export const modeOf = (
  files: Pick<FileSystem, 'stat'>,
  path: string,
): Promise<number | undefined> =>
  files.stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  )

/**
 * Copies a file under a new name, durably: a process that has the old one open cannot reach the copy. Takes no room
 * where the file system shares blocks.
 */
export const copyDurably = async (files: FileSystem, from: string, to: string): Promise<void> => {
  await files.copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  await closing(files.open(to, 'r+'), (handle) => handle.sync())
}

/** Does something with a file that is opened, and closes it however that ends. */
export const closing = async <T>(
  opened: Promise<FileHandle>,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> => {
  const handle = await opened
  return use(handle).finally(() => handle.close())
}

/** Folders that cannot be opened or synced are those of systems where names are durable without. */
const NO_SYNC_NEEDED: ReadonlyArray<unknown> = ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP']

/** Makes names that were made or removed in a folder durable. */
export const syncFolder = async (files: FileSystem, folder: string): Promise<void> => {
  try {
    await closing(files.open(folder, 'r'), (handle) => handle.sync())
  } catch (error) {
    if (!NO_SYNC_NEEDED.includes(codeOf(error))) throw withPath(folder)(error)
  }
}

/** Makes the name of a file durable. */
export const syncName = (files: FileSystem, path: string): Promise<void> =>
  syncFolder(files, dirname(path))

// bytes in full: the system may write and read fewer at a time than it is asked to

/** Writes all of the bytes, from `position` on. */
export const writeFully = async (
  handle: FileHandle,
  bytes: Uint8Array,
  position: number,
): Promise<void> => {
  for (let written = 0; written < bytes.length; ) {
    const rest = bytes.length - written
    written += (await handle.write(bytes, written, rest, position + written)).bytesWritten
  }
}

/** Reads so many bytes from `position` on. Throws a `ChecksumMismatch` when the file at `path` ends before. */
export const readFully = async (
  path: string,
  handle: FileHandle,
  position: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new Uint8Array(length)
  for (let got = 0; got < length; ) {
    const { bytesRead } = await handle.read(bytes, got, length - got, position + got)
    if (bytesRead === 0) throw checksumMismatch(path, `ends before byte ${position + length}`)
    got += bytesRead
  }
  return bytes
}
