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
  syncFolder,
  syncName,
  withPath,
  writeFully,
} from '../../store/FileSystem.js'
import { adviceOn } from '../../store/remedies.js'
import { exportError } from '../ExportError.js'
import { openBytes } from './ByteFile.js'
import { type Files, INCOMING } from './Files.js'
import { checkSize, isGone } from './integrity.js'

const IN_THE_WAY = 'a file has its name, or that of a folder above it'

/** Advice by the code of the system. */
const ADVICE: Readonly<Record<string, string>> = {
  EEXIST: IN_THE_WAY,
  ENOTDIR: IN_THE_WAY,
  ENOENT: 'a link to nothing has its name, or that of a folder above it',
  EACCES: 'the folder above it may not be written to',
}

/** Opens the files of a folder: its path ends with a slash, or is empty for the folder of the process. */
export const diskFiles = (folder: string, fs: FileSystem): Files => {
  const pathOf = (name: string): string => join(folder, name)

  /** Adds the path to errors, and says what was done to it. */
  const failing = async <T>(
    tag: 'ReadFailed' | 'WriteFailed',
    name: string,
    work: (path: string) => Promise<T>,
  ): Promise<T> => {
    const path = pathOf(name)
    try {
      return await work(path)
    } catch (error) {
      if (!isSystemError(error)) throw error
      const why = `cannot ${tag === 'ReadFailed' ? 'read' : 'write'} ${path}: ${error.message}${adviceOn(error.code)}`
      throw exportError(tag, why, { path, code: error.code }, error)
    }
  }

  let isDurable = false // the name of `_incoming/`

  /** The path of a name that is to be written. */
  const prepared = async (name: string): Promise<string> => {
    const path = pathOf(name)
    if (!name.startsWith(INCOMING)) return path
    const incoming = dirname(path)
    if (await isLink(fs, incoming)) {
      const why = `${incoming} is a link, and what it leads to is of another program: remove it`
      throw exportError('UnusablePath', why, { path: incoming, option: 'out' })
    }
    await fs.mkdir(incoming, { recursive: true })
    if (!isDurable) await syncFolder(fs, pathOf(''))
    isDurable = true
    return path
  }

  const found = async (below: string, isOurs: (name: string) => boolean) => {
    const path = pathOf(below)
    if (below !== '' && (await isLink(fs, path.replace(/[\\/]$/, '')))) return []
    const files = await filesNamed(fs, path, (name) => isOurs(below + name)).catch(
      (error: unknown) => {
        if (isAbsence(error)) return []
        throw error
      },
    )
    return files.map(({ name, size }) => ({ name: below + name, size }))
  }

  const sizeOf = (name: string): Promise<number | undefined> =>
    fs.stat(pathOf(name)).then(
      ({ size }) => size,
      () => undefined,
    )

  const opened = async (name: string) => {
    const path = pathOf(name)
    const handle = await fs.open(path, 'r').catch((error: unknown) => {
      if (isAbsence(error)) return undefined
      throw error
    })
    if (handle === undefined) return undefined
    const close = (): Promise<void> => handle.close()
    const stat = await handle.stat().catch((error: unknown) =>
      close().then(() => {
        throw withPath(path)(error)
      }),
    )
    return {
      ...{ size: stat.size, id: `${stat.dev}:${stat.ino}`, isFile: stat.isFile(), close },
      read: (position: number, length: number) =>
        readFully(path, handle, position, length).catch((error: unknown) => {
          throw withPath(path)(error)
        }),
    }
  }

  return {
    nameOf: (name) => `${folder}${name}`,
    prepare: async () => {
      const path = pathOf('')
      await fs.mkdir(path, { recursive: true }).catch((error: unknown) => {
        const advice = isSystemError(error) ? ADVICE[error.code] : undefined
        if (advice === undefined) throw withPath(path)(error)
        const why = `cannot make the folder ${path}: ${advice}`
        throw exportError('UnusablePath', why, { path, option: 'out' }, error)
      })
    },
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
    size: sizeOf,
    mode: (name) => modeOf(fs, pathOf(name)),
    isFolder: (name) => isFolderThere(fs, pathOf(name)),
    linked: async (name) => {
      const path = pathOf(name)
      const real = await realName(fs, path)
      return real === path ? undefined : real
    },
    read: opened,
    get: (name) =>
      failing('ReadFailed', name, async () => {
        const file = await opened(name)
        return file?.read(0, file.size).finally(file.close)
      }),
    put: (name, bytes, mode) =>
      failing('WriteFailed', name, async () => {
        const path = await prepared(name)
        const fresh = `${path}.${randomName()}.tmp`
        try {
          await closing(fs.open(fresh, 'wx+', mode), async (handle) => {
            await writeFully(handle, bytes, 0)
            await handle.sync()
          })
          await fs.rename(fresh, path)
        } catch (error) {
          await fs.rm(fresh, { force: true })
          throw error
        }
        await syncName(fs, path)
      }),
    create: async (name, mode) =>
      openBytes(await prepared(name), undefined, fs, { isNew: true, mode }),
    open: (name, from) => openBytes(pathOf(name), from, fs),
    copy: async (from, to) => {
      if ((await sizeOf(from)) === undefined) throw isGone(pathOf(from))
      const path = await prepared(to)
      await copyDurably(fs, pathOf(from), path)
      await syncName(fs, path)
    },
    move: async (from, to, bytes) => {
      checkSize(pathOf(from), await sizeOf(from), bytes)
      const path = await prepared(to)
      await fs.rename(pathOf(from), path)
      await syncName(fs, path)
    },
    remove: (name) => removeFile(fs, pathOf(name)),
    unremoved: () => [],
  }
}

/** Links that are followed from one to the next: as many as Linux follows. */
const LINKS = 40

/** The name of a file where it is, or will be: a link may lead to one that is not there yet. */
export const realName = async (
  fs: Pick<FileSystem, 'readlink'>,
  path: string,
  links = LINKS,
): Promise<string> => {
  const target = await fs.readlink(path).catch(() => undefined) // it is no link
  if (target === undefined || links === 0) return path
  // not joined: that would take `..` for the folder above, which it is not behind a link
  const next = isAbsolute(target) ? target : `${dirname(path)}/${target}`
  return realName(fs, next, links - 1)
}
