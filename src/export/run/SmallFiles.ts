/** Files that are read and written whole: checkpoints, manifests, locks. */
import { link, readFile, readlink, rename, stat } from 'node:fs/promises'
import { disk, type Files, syncName } from '../file/Files.js'
import { isAbsence, isSystemError, withPath } from '../file/systemError.js'
import { Unreadable } from '../file/Unreadable.js'
import { writeWholly } from '../file/wholly.js'

// model

/** The part of `node:fs/promises` that a run is kept with. */
export interface SmallFiles extends Files {
  readonly rename: (from: string, to: string) => Promise<void>
  /** Fails with `EEXIST` when there is such a file. */
  readonly link: (from: string, to: string) => Promise<void>
  readonly readFile: (path: string, encoding: 'utf8') => Promise<string>
  readonly stat: (path: string) => Promise<{ readonly size: number }>
  readonly readlink: (path: string) => Promise<string>
}

// constructors

/** The disk itself. */
export const wholeDisk: SmallFiles = {
  ...disk,
  rename,
  link,
  readFile,
  stat,
  readlink,
}

// combinators

/** Whether there is such a file or folder. */
export const isThere = (files: Pick<SmallFiles, 'stat'>, path: string): Promise<boolean> =>
  files.stat(path).then(
    () => true,
    () => false,
  )

/** Whether there is such a folder, as far as it may be read. */
export const isFolderThere = (files: Pick<SmallFiles, 'readdir'>, path: string): Promise<boolean> =>
  files.readdir(path).then(
    () => true,
    () => false,
  )

/** Nothing, when there is no such file. */
export const readText = (files: SmallFiles, path: string): Promise<string | undefined> =>
  files.readFile(path, 'utf8').catch((error: unknown) => {
    if (isAbsence(error)) return undefined
    throw isSystemError(error) ? new Unreadable(path, error) : error
  })

/** A file with this text, durable, and no such file while it is not: not even on a disk that is full. */
export const writeNew = async (files: SmallFiles, path: string, text: string): Promise<void> => {
  const bytes = new TextEncoder().encode(text)
  const handle = await files.open(path, 'w+')
  try {
    await writeWholly(handle, bytes, 0)
    await handle.sync()
  } catch (error) {
    await handle.close()
    await files.rm(path, { force: true })
    throw withPath(path)(error)
  }
  await handle.close()
}

/** In one step, and durable: whoever reads it finds all of the text, or all of what was there before. */
export const replaceText = async (files: SmallFiles, path: string, text: string): Promise<void> => {
  const fresh = `${path}.tmp`
  await writeNew(files, fresh, text)
  await files.rename(fresh, path)
  await syncName(files, path)
}
