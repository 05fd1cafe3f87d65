/** The files of a folder on a disk. */
import { basename, dirname, isAbsolute, join } from 'node:path'
import { diskStore } from '../../store/diskStore.js'
import {
  closing,
  copyDurably,
  type FileSystem,
  filesNamed,
  isAbsence,
  isFolderThere,
  isLink,
  isSystemError,
  modeOf,
  randomName,
  readFully,
  removeFile,
  replaceFile,
  syncFolder,
  syncName,
  withPath,
  writeFully,
} from '../../store/FileSystem.js'
import { adviceOn } from '../../store/remedies.js'
import { exportError } from '../ExportError.js'
import { openBytes } from './ByteFile.js'
import { type Files, type FoundFile, INCOMING, type IsOurs, type ReadableFile } from './Files.js'
import { checkSize, isGone } from './integrity.js'

const IN_THE_WAY = 'a file already has this name, or the name of a folder above it'

const ADVICE: Readonly<Record<string, string>> = {
  EEXIST: IN_THE_WAY,
  ENOTDIR: IN_THE_WAY,
  ENOENT: 'a broken link already has this name, or the name of a folder above it',
  EACCES: 'the folder above it is not writable',
}

/** Opens the files of a folder. Its path ends with a slash, or is empty for the working directory of the process. */
export const diskFiles = (folder: string, fs: FileSystem): Files => {
  const pathOf = (name: string): string => join(folder, name)
  const read: Files['read'] = (name) => opened(fs, pathOf(name))
  const found = (below: string, isOurs: IsOurs) => foundIn(fs, pathOf(below), below, isOurs)
  const size: Files['size'] = (name) =>
    fs.stat(pathOf(name)).then(
      (stat) => stat.size,
      () => undefined,
    )

  let isDurable = false // true once the name `_incoming/` has been synced to disk

  /** Returns the path of a file to write, after creating its folder. */
  const prepared = async (name: string): Promise<string> => {
    const path = pathOf(name)
    if (!name.startsWith(INCOMING)) return path
    await makeIncoming(fs, dirname(path))
    if (!isDurable) await syncFolder(fs, pathOf(''))
    isDurable = true
    return path
  }

  return {
    nameOf: (name) => `${folder}${name}`,
    prepare: () => makeFolder(fs, pathOf('')),
    store: (mode) => {
      const of = (below: string) => diskStore({ folder: pathOf(below), files: fs, mode })
      const [beside, incoming] = [of(''), of(INCOMING)]
      const storeOf = (name: string) => (name.startsWith(INCOMING) ? incoming : beside)
      return {
        read: (name) => storeOf(name).read(basename(name)),
        replace: async (name, text, version) => {
          if (version === undefined) await prepared(name)
          return storeOf(name).replace(basename(name), text, version)
        },
        remove: (name, version) => storeOf(name).remove(basename(name), version),
      }
    },
    list: async (isOurs, prefix = '') => {
      const isWanted = (name: string): boolean => name.startsWith(prefix) && isOurs(name)
      const inside = prefix.startsWith(INCOMING) ? [] : await found('', isWanted)
      const isBelow = prefix === '' || prefix.startsWith(INCOMING)
      return isBelow ? [...inside, ...(await found(INCOMING, isWanted))] : inside
    },
    foreign: async (isOurs) => {
      const plain = new Set((await found('', isOurs)).map(({ name }) => name))
      return (await fs.readdir(pathOf(''))).filter((name) => isOurs(name) && !plain.has(name))
    },
    size,
    mode: (name) => modeOf(fs, pathOf(name)),
    isFolder: (name) => isFolderThere(fs, pathOf(name)),
    linked: async (name) => {
      const path = pathOf(name)
      const real = await realName(fs, path)
      return real === path ? undefined : real
    },
    read,
    get: (name) =>
      failing('ReadFailed', pathOf(name), async () => {
        const file = await read(name)
        return file?.read(0, file.size).finally(file.close)
      }),
    put: (name, bytes, mode) =>
      failing('WriteFailed', pathOf(name), async () =>
        putNew(fs, await prepared(name), bytes, mode),
      ),
    create: async (name, mode) =>
      openBytes(await prepared(name), undefined, fs, { isNew: true, mode }),
    open: (name, from) => openBytes(pathOf(name), from, fs),
    copy: async (from, to) => {
      if ((await size(from)) === undefined) throw isGone(pathOf(from))
      const path = await prepared(to)
      await copyDurably(fs, pathOf(from), path)
      await syncName(fs, path)
    },
    move: async (from, to, bytes) => {
      checkSize(pathOf(from), await size(from), bytes)
      const path = await prepared(to)
      await replaceFile(fs, pathOf(from), path)
      await syncName(fs, path)
    },
    remove: (name) => removeFile(fs, pathOf(name)),
    tidy: async () => {
      isDurable = false
      await fs.rmdir?.(pathOf(INCOMING)).catch(() => {}) // the folder is not empty, or belongs to another program
    },
    unremoved: () => [],
  }
}

/** Adds the path and the failed operation to errors. */
const failing = async <T>(
  tag: 'ReadFailed' | 'WriteFailed',
  path: string,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!isSystemError(error)) throw error
    const why = `cannot ${tag === 'ReadFailed' ? 'read' : 'write'} ${path}: ${error.message}${adviceOn(error.code)}`
    throw exportError(tag, why, { path, code: error.code }, error)
  }
}

// folders

const makeFolder = async (fs: FileSystem, path: string): Promise<void> => {
  await fs.mkdir(path, { recursive: true }).catch((error: unknown) => {
    const advice = isSystemError(error) ? ADVICE[error.code] : undefined
    if (advice === undefined) throw withPath(path)(error)
    const why = `cannot create the folder ${path}: ${advice}`
    throw exportError('UnusablePath', why, { path, option: 'out' }, error)
  })
}

const makeIncoming = async (fs: FileSystem, path: string): Promise<void> => {
  if (await isLink(fs, path)) {
    const why = `${path} is a link to a file of another program: remove it`
    throw exportError('UnusablePath', why, { path, option: 'out' })
  }
  await fs.mkdir(path, { recursive: true })
}

/** Lists a folder's files with our names; `below`: the start of the names. */
const foundIn = async (
  fs: FileSystem,
  path: string,
  below: string,
  isOurs: IsOurs,
): Promise<ReadonlyArray<FoundFile>> => {
  if (below !== '' && (await isLink(fs, path.replace(/[\\/]$/, '')))) return []
  try {
    const files = await filesNamed(fs, path, (name) => isOurs(below + name))
    return files.map(({ name, size }) => ({ name: below + name, size }))
  } catch (error) {
    if (isAbsence(error)) return []
    throw error
  }
}

// files

const opened = async (fs: FileSystem, path: string): Promise<ReadableFile | undefined> => {
  const handle = await fs.open(path, 'r').catch((error: unknown) => {
    if (isAbsence(error)) return undefined
    throw error
  })
  if (handle === undefined) return undefined
  const failed = (error: unknown): never => {
    throw withPath(path)(error)
  }
  const close = (): Promise<void> => handle.close()
  const stat = await handle.stat().catch((error: unknown) => close().then(() => failed(error)))
  return {
    ...{ size: stat.size, id: `${stat.dev}:${stat.ino}`, isFile: stat.isFile(), close },
    read: (position, length) => readFully(path, handle, position, length).catch(failed),
  }
}

/** Writes a file under a temporary name, and then renames it. */
const putNew = async (
  fs: FileSystem,
  path: string,
  bytes: Uint8Array,
  mode: number | undefined,
): Promise<void> => {
  const fresh = `${path}.${randomName()}.tmp`
  try {
    await closing(fs.open(fresh, 'wx+', mode), async (handle) => {
      await writeFully(handle, bytes, 0)
      await handle.sync()
    })
    await replaceFile(fs, fresh, path)
  } catch (error) {
    await fs.rm(fresh, { force: true })
    throw error
  }
  await syncName(fs, path)
}

/** Maximum number of consecutive links to follow, as in Linux. */
const LINKS = 40

/** Returns the name of the file that links lead to. That file need not exist yet. */
export const realName = async (
  fs: Pick<FileSystem, 'readlink'>,
  path: string,
  links = LINKS,
): Promise<string> => {
  const target = await fs.readlink(path).catch(() => undefined) // not a link
  if (target === undefined || links === 0) return path
  // not `join`, which resolves `..` lexically and is therefore wrong behind a link
  const next = isAbsolute(target) ? target : `${dirname(path)}/${target}`
  return realName(fs, next, links - 1)
}
