/** The files of a folder, or the objects below a prefix of a bucket, by their names: they grow, are moved and read. */
import { dirname, join } from 'node:path'
import {
  closing,
  copyDurably,
  type FileSystem,
  filesNamed,
  isAbsence,
  isLink,
  modeOf,
  removeFile,
  syncFolder,
  withPath,
} from '../../store/FileSystem.js'
import { exportError } from '../ExportError.js'
import { type ByteFile, openBytes } from './ByteFile.js'
import {
  checkCommitted,
  checkEnded,
  checkNoConflict,
  type Fingerprint,
  openMarked,
} from './integrity.js'

// model

/** Names have at most one slash: that of `_incoming/`. */
export interface Files {
  /** Name of a file in messages: its path, or its URL. */
  readonly nameOf: (name: string) => string
  /**
   * Lists the files that have names of ours, also in `_incoming/`. Links and folders by such names are of other programs,
   * and left out.
   */
  readonly list: (isOurs: (name: string) => boolean) => Promise<ReadonlyArray<string>>
  /** Lists the links and folders that have names of ours. */
  readonly foreign: (isOurs: (name: string) => boolean) => Promise<ReadonlyArray<string>>
  /** Resolves with the size of a file in bytes; undefined if there is none. */
  readonly size: (name: string) => Promise<number | undefined>
  /** Makes a file, empty, which is not there yet. `mode`: its permissions, as octal number. */
  readonly create: (name: string, mode?: number) => Promise<ByteFile>
  /** Opens a file to go on where it was durable. Rejects with a `ChecksumMismatch` if it is not what it was. */
  readonly open: (name: string, from: Fingerprint) => Promise<ByteFile>
  /** Copies a file under a name of its own, durably: whoever has the old one open cannot reach the copy. */
  readonly copy: (from: string, to: string) => Promise<void>
  /** Gives a file another name, durably, in place of what has it. `bytes`: its size; a `FileConflict` if it has another. */
  readonly move: (from: string, to: string, bytes: number) => Promise<void>
  /** Removes a file, if it is there. */
  readonly remove: (name: string) => Promise<void>
  /** Names the files that were to be removed, and may not be. */
  readonly unremoved: () => ReadonlyArray<string>
  /** Rejects with a `ChecksumMismatch` unless the file is what it was when it was ended. */
  readonly checkEnded: (name: string, ended: Fingerprint) => Promise<void>
  /** Rejects with a `ChecksumMismatch` unless the file begins with what was committed. */
  readonly checkCommitted: (name: string, mark: Fingerprint) => Promise<void>
  /** Rejects with a `FileConflict` unless the file is there with so many bytes. */
  readonly checkSize: (name: string, bytes: number) => Promise<void>
  /** Resolves with the permissions of a file that is there. */
  readonly mode: (name: string) => Promise<number | undefined>
}

/** The folder of unfinished files and rejected rows: readers of data sets leave out names with an underscore. */
export const INCOMING = '_incoming/'

// the disk

/** The files of a folder on a disk. */
export const diskFiles = (folder: string, files: FileSystem): Files => {
  const pathOf = (name: string): string => join(folder, name)
  const located = <T>(done: Promise<T>): Promise<T> =>
    done.catch((error: unknown) => {
      throw withPath(folder)(error)
    })
  const names = async (
    below: string,
    isOurs: (name: string) => boolean,
  ): Promise<ReadonlyArray<string>> => {
    const isWanted = (name: string): boolean => isOurs(below + name)
    const found = await filesNamed(files, pathOf(below), isWanted).catch((error: unknown) => {
      if (isAbsence(error)) return []
      throw error
    })
    return found.map((name) => below + name)
  }
  const prepare = async (name: string): Promise<string> => {
    const path = pathOf(name)
    if (!name.startsWith(INCOMING)) return path
    if (await isLink(files, dirname(path))) {
      const why = `${dirname(path)} is a link, and what it leads to is of another program: remove it`
      throw exportError('UnusablePath', why, { path: dirname(path), option: 'out' })
    }
    await files.mkdir(dirname(path), { recursive: true })
    await syncFolder(files, folder)
    return path
  }
  return {
    nameOf: pathOf,
    list: async (isOurs) => {
      const incoming = pathOf(INCOMING).replace(/[\\/]$/, '')
      const isOther = await isLink(files, incoming)
      return [...(await names('', isOurs)), ...(isOther ? [] : await names(INCOMING, isOurs))]
    },
    foreign: async (isOurs) => {
      const plain = new Set(await names('', isOurs))
      return (await files.readdir(folder)).filter((name) => isOurs(name) && !plain.has(name))
    },
    size: (name) =>
      files.stat(pathOf(name)).then(
        ({ size }) => size,
        () => undefined,
      ),
    create: async (name, mode) =>
      openBytes(await prepare(name), undefined, files, { isNew: true, mode }),
    open: (name, from) => openBytes(pathOf(name), from, files),
    copy: async (from, to) => {
      await closing(openMarked(files, pathOf(from), 'r'), async () => {}) // or it says that it is gone
      const path = await prepare(to)
      await copyDurably(files, pathOf(from), path)
      await located(syncFolder(files, dirname(path)))
    },
    move: async (from, to, bytes) => {
      await checkNoConflict(files, pathOf(from), bytes)
      const path = await prepare(to)
      await files.rename(pathOf(from), path)
      await located(syncFolder(files, dirname(path)))
    },
    remove: (name) => removeFile(files, pathOf(name)),
    unremoved: () => files.unremoved?.() ?? [],
    checkEnded: (name, ended) => checkEnded(pathOf(name), ended, files),
    checkCommitted: (name, mark) => checkCommitted(pathOf(name), mark, files),
    checkSize: (name, bytes) => checkNoConflict(files, pathOf(name), bytes),
    mode: (name) => modeOf(files, pathOf(name)),
  }
}
