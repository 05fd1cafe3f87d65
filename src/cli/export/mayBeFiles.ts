/** Whether there can be files where an export is to have them, before anything is asked for. */

import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf } from '../../export/file/systemError.js'
import { pathsOf } from '../../export/index.js'
import { UsageError } from '../output.js'

/** Throws a `WrongUse` for a pipe or a device: it cannot be synced, cut back, or replaced. And for links that go round. */
export const mayBeFile = async (option: string, path: string): Promise<void> => {
  const other = await stat(path).then(
    (found) => !found.isFile() && !found.isDirectory(),
    (error: unknown) => {
      if (codeOf(error) !== 'ELOOP') return false // it is made
      throw new UsageError(`${option}: ${path} is a link that leads to no file`)
    },
  )
  if (other) {
    const advice = option === '--out' ? ': use --out - for stdout' : ''
    throw new UsageError(`${option}: ${path} is a pipe or a device, and no file${advice}`)
  }
  await mayBeOwn(option, path)
}

/** Throws a `WrongUse` for a file by a number of its process: it would be emptied. A pipe may be written to. */
export const mayBeReport = async (option: string, path: string): Promise<void> => {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false, // it is made
  )
  if (isFile) await mayBeOwn(option, path)
}

const mayBeOwn = async (option: string, path: string): Promise<void> => {
  if (!(await isOpenFile(path))) return
  throw new UsageError(`${option}: ${path} is open already, and no file of its own: name one`)
}

/** What a process has open, by number: the file behind it belongs to who opened it, a shell that appends to it, say. */
const OPEN_FILES = /^(\/proc\/(.+\/)?|\/dev\/)fd$/

/** Whether a path leads through such a number, as `/dev/stdout` does. Of links that do not go round. */
const isOpenFile = async (path: string): Promise<boolean> => {
  const folder = await realpath(dirname(resolve(path))).catch(() => undefined)
  if (folder === undefined) return false
  if (OPEN_FILES.test(folder)) return true
  const link = await readlink(join(folder, basename(path))).catch(() => undefined)
  return link !== undefined && isOpenFile(resolve(folder, link))
}

/** The longest number of a process, and what tells its runs apart. */
const OWN = '4194304.01234567'

/** Throws a `WrongUse` where a file that an export makes would have a name that is too long for its disk. */
export const mayBeNamed = async (out: string, checkpoint: string | undefined): Promise<void> => {
  const paths = pathsOf(out, checkpoint)
  const lockOf = (lock: string): string => `${lock}.${OWN}.dead`
  const kept = [`${paths.checkpoint}.tmp`, paths.keys]
  const own = [`${paths.manifest}.tmp`, paths.rejects(1), lockOf(paths.lock)]
  if (checkpoint === undefined) return fits('--out', out, [...own, ...kept])
  await fits('--out', out, own)
  await fits('--checkpoint', checkpoint, [...kept, lockOf(pathsOf(checkpoint).lock)])
}

/** Throws a `WrongUse` where one of these names is too long. */
export const fits = async (
  option: string,
  path: string,
  names: ReadonlyArray<string>,
): Promise<void> => {
  for (const name of names) {
    const code = await stat(name).then(() => undefined, codeOf)
    if (code !== 'ENAMETOOLONG') continue
    throw new UsageError(`${option}: ${path} is too long a name for it or for the files beside it`)
  }
}
