/** The parts of `node:fs/promises` that exports use, and system errors. */
import { constants, fsync } from 'node:fs'
import {
  chown,
  copyFile,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { checksumMismatch } from './StoreError.js'

/** An open file. */
export interface FileHandle {
  /** Writes bytes at a position of the file; possibly fewer than requested. */
  readonly write: (
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesWritten: number }>
  /** Reads bytes at a position of the file; possibly fewer than requested, 0 at its end. */
  readonly read: (
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesRead: number }>
  /** Returns the file's properties; `dev` and `ino` identify it, regardless of its name. */
  readonly stat: () => Promise<{
    readonly size: number
    readonly dev: number
    readonly ino: number
    readonly isFile: () => boolean
  }>
  /** Truncates the file. */
  readonly truncate: (length: number) => Promise<void>
  /** Makes all bytes durable. */
  readonly sync: () => Promise<void>
  /** Closes the file. */
  readonly close: () => Promise<void>
}

/** The file system functions that an export needs; `node:fs/promises` has all of them. */
export interface FileSystem {
  /**
   * Opens a file to read it (`r`), read and write it (`r+`), truncate it (`w+`), or create it if it does not exist (`wx+`);
   * `mode`: its permissions.
   */
  readonly open: (
    path: string,
    flags: 'r' | 'r+' | 'w+' | 'wx+',
    mode?: number,
  ) => Promise<FileHandle>
  /** Creates a folder and its parents. */
  readonly mkdir: (path: string, options: { readonly recursive: true }) => Promise<unknown>
  /** Lists the names in a folder. */
  readonly readdir: (path: string) => Promise<ReadonlyArray<string>>
  /** Removes a file if it exists. */
  readonly rm: (path: string, options: { readonly force: true }) => Promise<void>
  /** Renames a file atomically, replacing an existing one. */
  readonly rename: (from: string, to: string) => Promise<void>
  /** Removes an empty folder. Without it, empty folders are kept. */
  readonly rmdir?: (path: string) => Promise<void>
  /** Copies a file and its permissions to a name that does not exist; `mode`: such as `fs.constants.COPYFILE_EXCL`. */
  readonly copyFile: (from: string, to: string, mode: number) => Promise<void>
  /** Rejects if the file or folder does not exist. */
  readonly stat: (path: string) => Promise<{
    readonly size: number
    readonly mode: number
    readonly uid?: number
    readonly gid?: number
  }>
  /** Sets owner and group. Without it, a replacing file gets the group of this process. */
  readonly chown?: (path: string, uid: number, gid: number) => Promise<void>
  /** Resolves with the target of a link; rejects if it is not a link. */
  readonly readlink: (path: string) => Promise<string>
}

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = constants

/** Flags that prevent writing through a link planted by another user, and waiting for the writer of a pipe. */
const SYSTEM_FLAGS = {
  r: O_RDONLY | O_NONBLOCK,
  'r+': O_RDWR | O_NOFOLLOW,
  'w+': 'w+',
  'wx+': O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
} as const

/** Returns twelve random digits, for a file name that no other program can have used. */
export const randomName = (): string => crypto.randomUUID().replaceAll('-', '').slice(-12)

export const disk: FileSystem = {
  // synced by descriptor, because handles lack `sync` if a package manager has patched `open`
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
  rmdir,
  rename,
  copyFile,
  stat,
  readlink,
  chown,
}

// unfinished files

/** Returns a unique name for a file that is not complete yet: `charges.csv.0123456789ab.part`. */
export const unfinishedName = (final: string): string => `${final}.${randomName()}.part`

/** Returns the name that a file has, or will have once it is complete. */
export const finalName = (path: string): string => path.replace(/\.[0-9a-f]{12}\.part$/, '')

// system errors

/** Returns true for an error, judging by its fields, because under some test runners it comes from another realm. */
export const isError = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'message' in error && 'name' in error

/** Returns true for a system error. Any other error may be a bug. */
export const isSystemError = (error: unknown): error is Error & { readonly code: string } =>
  isError(error) && 'code' in error && typeof error.code === 'string'

/** Returns a code such as `ENOENT`; `undefined` if it is not a system error. */
export const codeOf = (error: unknown): string | undefined =>
  isSystemError(error) ? error.code : undefined

/** Returns true if the file or its folder does not exist. */
export const isAbsence = (error: unknown): boolean =>
  codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** Adds the path to an error without one, such as an error from an open file. */
export const withPath =
  (path: string) =>
  (error: unknown): unknown =>
    isSystemError(error) && !('path' in error) ? Object.assign(error, { path }) : error

// combinators

/** Returns true if a name is a link, even a broken one. */
export const isLink = (files: Pick<FileSystem, 'readlink'>, path: string): Promise<boolean> =>
  files.readlink(path).then(
    () => true,
    () => false,
  )

/** Lists the files of a folder that have our names. Skips links and folders with our names: they belong to other programs. */
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
    const isPlain = type === 0 || type === constants.S_IFREG // 0 means that the file system does not report it
    if (stat !== undefined && isPlain) found.push({ name, size: stat.size })
  }
  return found
}

/** Removes a file if it exists. Keeps a link or a folder of that name. */
export const removeFile = async (
  files: Pick<FileSystem, 'readlink' | 'rm'>,
  path: string,
): Promise<void> => {
  if (await isLink(files, path)) return
  await files.rm(path, { force: true }).catch((error: unknown) => {
    if (!IS_FOLDER.includes(codeOf(error))) throw error
  })
}

/** Codes of the error for removing a folder as a file, in Node and operating systems. */
const IS_FOLDER: ReadonlyArray<unknown> = ['ERR_FS_EISDIR', 'EISDIR']

/** Returns true if a readable folder with this name exists. */
export const isFolderThere = (files: Pick<FileSystem, 'readdir'>, path: string): Promise<boolean> =>
  files.readdir(path).then(
    () => true,
    () => false,
  )

/** Returns the permissions of a file, if it exists. */
export const modeOf = (
  files: Pick<FileSystem, 'stat'>,
  path: string,
): Promise<number | undefined> =>
  files.stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  )

/** Replaces a file, and keeps its group if this process may set it. */
export const replaceFile = async (files: FileSystem, from: string, to: string): Promise<void> => {
  if (files.chown !== undefined) {
    const [old, fresh] = await Promise.all(
      [to, from].map((path) => files.stat(path).catch(() => {})),
    )
    const isOther = old?.gid !== undefined && old.gid !== fresh?.gid
    if (isOther && fresh?.uid !== undefined) {
      await files.chown(from, fresh.uid, old.gid).catch(() => {}) // not a member of the group
    }
  }
  await files.rename(from, to)
}

/** Copies a file durably. A process with the old file open cannot write to the copy. Takes no space if blocks are shared. */
export const copyDurably = async (files: FileSystem, from: string, to: string): Promise<void> => {
  await files.copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  await closing(files.open(to, 'r+'), (handle) => handle.sync())
}

/** Uses an opened file, and always closes it. */
export const closing = async <T>(
  opened: Promise<FileHandle>,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> => {
  const handle = await opened
  return use(handle).finally(() => handle.close())
}

/** Error codes on systems where folders cannot be opened or synced. Names are durable there without a sync. */
const NO_SYNC_NEEDED: ReadonlyArray<unknown> = ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP']

/** Makes files created and removed in a folder durable. */
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

// bytes in full, because the system may write or read fewer than requested

/** Writes all bytes, starting at `position`. */
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

/** Reads `length` bytes starting at `position`. Throws a `ChecksumMismatch` if the file at `path` is shorter. */
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
