/** A `Store` in a folder. Each text is a file of the same name, which is replaced atomically. */
import { dirname, join } from 'node:path'
import { plural } from '../decode/plural.js'
import {
  closing,
  codeOf,
  disk,
  type FileSystem,
  filesNamed,
  isAbsence,
  isLink,
  isSystemError,
  randomName,
  readFully,
  replaceFile,
  syncFolder,
  writeFully,
} from './FileSystem.js'
import { sha256 } from './readRecord.js'
import { adviceOn } from './remedies.js'
import type { Store } from './Store.js'
import { isStoreError, type StoreError, storeError } from './StoreError.js'

/** Maximum size of a text in bytes, enough for a manifest of about 100,000 files. No export writes a larger file. */
const MOST_BYTES = 64 * 1024 * 1024

/** Number of attempts for a change that simultaneous changes undo. */
const TRIES = 100

/** The folder, and how its files are created. */
export interface DiskStoreOptions {
  /** The folder; it must exist. */
  readonly folder: string
  /** The file system. Default: Node's. */
  readonly files?: FileSystem
  /** Permissions of new files, such as 0o600. Default: those of the process (umask). */
  readonly mode?: number | undefined
}

/**
 * Opens a store of texts in a folder, which must exist.
 *
 * POSIX has no rename that is conditional on the target. But a rename fails if its source is gone, so each change takes four
 * steps, all with plain names:
 *
 *     1. write    NAME.RANDOM.tmp, durable
 *     2. sweep    remove every other NAME.*.tmp: changes of others that have not reached step 4 then fail
 *     3. check    that NAME has the expected version
 *     4. rename   NAME.RANDOM.tmp to NAME; if it is gone, another change swept it
 *
 * If two changes start from the same version, only one succeeds. The change that would rename second must have written its file
 * before the first rename, or its check fails. One of the two has therefore swept the other's file. No hard links are needed,
 * and a process that dies leaves no lock behind. Removing a text replaces it with an empty one, whose file is then deleted.
 */
export const diskStore = ({ folder, files = disk, mode }: DiskStoreOptions): Store => {
  const read: Store['read'] = async (name) => {
    const path = pathIn(folder, name)
    const text = await textAt(files, path)
    return text === undefined ? undefined : { text, version: sha256(text) }
  }

  const attempt = async (name: string, text: string, version: string | undefined) => {
    const path = pathIn(folder, name)
    if (await isLink(files, path))
      throw unusable(path, 'is a link, which exports never create: remove it')
    const fresh = `${path}.${randomName()}.tmp`
    await writeNew(files, fresh, text, mode)
    try {
      await sweep(files, folder, name, fresh)
      const found = await read(name)
      if (found?.version !== version) {
        await files.rm(fresh, { force: true })
        return 'changed'
      }
    } catch (error) {
      await files.rm(fresh, { force: true })
      throw error
    }
    const isSwept = await replaceFile(files, fresh, path).then(
      () => false,
      (error: unknown) => {
        if (codeOf(error) === 'ENOENT') return true
        throw error
      },
    )
    if (isSwept) return 'swept'
    await syncFolder(files, folder)
    return 'done'
  }

  const replace: Store['replace'] = async (name, text, version) =>
    writing(pathIn(folder, name), async () => {
      for (let tries = 0; tries < TRIES; tries++) {
        const outcome = await attempt(name, text, version)
        if (outcome === 'done') return sha256(text)
        if (outcome === 'changed') return undefined
        // processes that sweep each other's files each back off for a random and growing time
        const most = 2 ** Math.min(tries + 1, 7)
        for (let looks = Number.parseInt(randomName(), 16) % most; looks > 0; looks--) {
          if ((await read(name))?.version !== version) return undefined
        }
      }
      return undefined
    })

  return {
    read,
    replace,
    remove: async (name, version) => {
      if ((await replace(name, '', version)) === undefined) return false
      const path = pathIn(folder, name)
      await writing(path, () => files.rm(path, { force: true }))
      return true
    },
  }
}

/** Throws an `UnusablePath` for a name that would lead out of the folder. */
const pathIn = (folder: string, name: string): string => {
  if (!/^[^/\\\0]+$/.test(name) || name === '.' || name === '..') {
    const why = `${JSON.stringify(name)} cannot be the name of a file in ${folder}`
    throw storeError('UnusablePath', why, { path: folder })
  }
  return join(folder, name)
}

// files

/** Reads a file as text; `undefined` if missing or empty. Rejects with `UnusablePath` if no export can have written it. */
const textAt = async (
  files: Pick<FileSystem, 'open'>,
  path: string,
): Promise<string | undefined> => {
  try {
    return await closing(files.open(path, 'r'), async (handle) => {
      const stat = await handle.stat()
      if (!stat.isFile()) throw unusable(path, 'is not a regular file')
      if (stat.size > MOST_BYTES)
        throw unusable(
          path,
          `has ${plural(stat.size, 'byte')}, which is more than any export writes`,
        )
      const { size } = stat
      if (size === 0) return undefined // its removal has been started
      return new TextDecoder().decode(await readFully(path, handle, 0, size))
    })
  } catch (error) {
    if (isAbsence(error)) return undefined
    if (isStoreError(error) || !isSystemError(error)) throw error
    const details = { path, code: error.code }
    throw storeError(
      'ReadFailed',
      `cannot read ${path}: ${error.message}${adviceOn(error.code)}`,
      details,
      error,
    )
  }
}

const unusable = (path: string, why: string): StoreError =>
  storeError('UnusablePath', `${path} ${why}`, { path })

/** Creates a durable file with this text. Removes it if that fails, for example on a full disk. */
const writeNew = async (
  files: FileSystem,
  path: string,
  text: string,
  mode: number | undefined,
): Promise<void> => {
  const handle = await files.open(path, 'wx+', mode)
  try {
    await writeFully(handle, new TextEncoder().encode(text), 0)
    await handle.sync()
  } catch (error) {
    await handle.close()
    await files.rm(path, { force: true })
    throw error
  }
  await handle.close()
}

/** Removes unfinished changes of other processes, including killed ones. */
const sweep = async (
  files: FileSystem,
  folder: string,
  name: string,
  own: string,
): Promise<void> => {
  const isChange = (other: string): boolean =>
    other.startsWith(`${name}.`) && CHANGE.test(other.slice(name.length))
  for (const { name: other } of await filesNamed(files, folder, isChange)) {
    const path = join(folder, other)
    if (path !== own) await files.rm(path, { force: true })
  }
}

/** Suffix of an unfinished change. */
const CHANGE = /^\.[0-9a-f]{12}\.tmp$/

/** Converts system errors to a `StoreError`. */
const writing = async <T>(path: string, write: () => Promise<T>): Promise<T> => {
  try {
    return await write()
  } catch (error) {
    if (isStoreError(error) || !isSystemError(error)) throw error
    if (isAbsence(error)) {
      const why = `${dirname(path)} is not a writable folder`
      throw storeError('UnusablePath', why, { path: dirname(path) }, error)
    }
    const details = { path, code: error.code }
    throw storeError(
      'WriteFailed',
      `cannot write ${path}: ${error.message}${adviceOn(error.code)}`,
      details,
      error,
    )
  }
}
