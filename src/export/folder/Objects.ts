/** Whole files of a folder or of a prefix in a bucket: written once, never changed. */
import { dirname, join } from 'node:path'
import {
  closing,
  disk,
  type FileSystem,
  filesNamed,
  isAbsence,
  isLink,
  isSystemError,
  randomName,
  readFully,
  syncName,
  writeFully,
} from '../../store/FileSystem.js'
import { exportError } from '../ExportError.js'
import { INCOMING } from '../storage/Files.js'

// model

export interface Objects {
  /** Name of a key in messages. */
  readonly nameOf: (key: string) => string
  /** Reads a file; undefined if there is none. */
  readonly get: (key: string) => Promise<{ readonly bytes: Uint8Array<ArrayBuffer> } | undefined>
  /** Writes a new file, durably and in one step; `mode`: its permissions. Keys have at most one slash. */
  readonly put: (key: string, bytes: Uint8Array<ArrayBuffer>, mode?: number) => Promise<unknown>
  /** Removes a file, if it is there. */
  readonly remove: (key: string) => Promise<void>
  /** Names the files that were to be removed, and may not be. */
  readonly unremoved?: () => ReadonlyArray<string>
  /** Lists the files, but no links or folders, whose keys begin so. */
  readonly list: (prefix: string) => Promise<ReadonlyArray<ListedObject>>
}

/** A file in a listing. */
export interface ListedObject {
  readonly key: string
  /** In bytes. */
  readonly size: number
}

// disk

/** Files of a folder. */
export interface DiskObjects extends Objects {
  /** Makes the folder, if it is not there. */
  readonly prepare: () => Promise<void>
}

const IN_THE_WAY = 'a file has its name, or that of a folder above it'

/** Advice by the code of the system. */
const ADVICE: Readonly<Record<string, string>> = {
  EEXIST: IN_THE_WAY,
  ENOTDIR: IN_THE_WAY,
  EACCES: 'the folder above it may not be written to',
}

export const diskObjects = (folder: string, files: FileSystem = disk): DiskObjects => {
  const pathOf = (key: string): string => join(folder, key)
  const failing =
    <Args extends ReadonlyArray<unknown>, T>(
      tag: 'ReadFailed' | 'WriteFailed',
      work: (key: string, ...args: Args) => Promise<T>,
    ) =>
    (key: string, ...args: Args): Promise<T> =>
      work(key, ...args).catch((error: unknown) => {
        if (!isSystemError(error)) throw error
        const path = pathOf(key)
        const why = `cannot ${tag === 'ReadFailed' ? 'read' : 'write'} ${path}: ${error.message}`
        throw exportError(tag, why, { path, code: error.code }, error)
      })
  const absentAs =
    <T>(value: T) =>
    (error: unknown): T => {
      if (isAbsence(error)) return value
      throw error
    }
  const prepare = async (): Promise<void> => {
    await files.mkdir(folder, { recursive: true }).catch((error: unknown) => {
      if (!isSystemError(error)) throw error
      const why = `cannot make the folder ${folder}: ${ADVICE[error.code] ?? error.message}`
      throw exportError(
        'UnusableDestination',
        why,
        { destination: folder, code: error.code },
        error,
      )
    })
    const incoming = pathOf(INCOMING)
    if (!(await isLink(files, incoming.replace(/[\\/]$/, '')))) return
    const why = `${incoming} is a link, and what it leads to is of another program: remove it`
    throw exportError('UnusableDestination', why, { destination: folder })
  }
  return {
    nameOf: pathOf,
    prepare,
    get: failing('ReadFailed', async (key) => {
      const path = pathOf(key)
      const read = closing(files.open(path, 'r'), async (handle) => {
        const { size } = await handle.stat()
        return { bytes: Uint8Array.from(await readFully(path, handle, 0, size)) }
      })
      return read.catch(absentAs(undefined))
    }),
    put: failing('WriteFailed', async (key, bytes: Uint8Array<ArrayBuffer>, mode?: number) => {
      const path = pathOf(key)
      const fresh = `${path}.${randomName()}.tmp`
      await files.mkdir(dirname(path), { recursive: true })
      try {
        await closing(files.open(fresh, 'wx+', mode), async (handle) => {
          await writeFully(handle, bytes, 0)
          await handle.sync()
        })
        await files.rename(fresh, path)
      } catch (error) {
        await files.rm(fresh, { force: true })
        throw error
      }
      await syncName(files, path)
    }),
    remove: failing('WriteFailed', (key) => files.rm(pathOf(key), { force: true })),
    list: failing('ReadFailed', async (prefix) => {
      const below = prefix.slice(0, prefix.lastIndexOf('/') + 1)
      const isListed = (name: string): boolean => (below + name).startsWith(prefix)
      const names = await filesNamed(files, pathOf(below), isListed).catch(
        absentAs<ReadonlyArray<string>>([]),
      )
      return Promise.all(
        names.map(async (name) => {
          const { size } = await files.stat(pathOf(below + name))
          return { key: below + name, size }
        }),
      )
    }),
  }
}
