/** Where the files of an export are: whether each can be there, and is no other. */

import { access, constants, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf } from '../../export/file/systemError.js'
import { isFolder, pathsOf } from '../../export/index.js'
import { realName } from '../../export/run/locks.js'
import { isOfRun } from '../../export/run/runNames.js'
import { wholeDisk } from '../../export/run/SmallFiles.js'
import { UsageError } from '../output.js'
import { fits, mayBeFile, mayBeNamed, mayBeReport } from './mayBeFiles.js'

// model

export interface Places {
  /** As `OutputPlan` has them. */
  readonly out: string
  readonly kind: 'stdout' | 'file' | 'folder'
  readonly checkpoint?: string
  readonly report?: string
}

/** A file of a run, and what it is: an option, or in words. */
type NamedFile = readonly [what: string, path: string]

// constructors

/** Where a path leads, through links and however it is spelt; it need not be there. */
export const placeOf = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const folder = dirname(resolve(path))
    return join(await realpath(folder).catch(() => folder), basename(path))
  })

/** Whether there is such a folder. */
export const isFolderThere = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** Throws a `WrongUse` that names the option. */
export const checkPlaces = async (places: Places): Promise<void> => {
  const { out, kind, checkpoint, report } = places
  const options = [...given('--checkpoint', checkpoint), ...given('--report', report)]

  for (const [option, path] of options) {
    if (isFolder(path) || (await isFolderThere(path))) {
      throw new UsageError(`${option}: ${path} is a folder`)
    }
  }
  if (kind === 'file') await mayBeFile('--out', out)
  if (checkpoint !== undefined) await mayBeFile('--checkpoint', checkpoint)
  if (kind !== 'stdout') await mayBeNamed(out, checkpoint)
  if (report !== undefined) {
    await mayBeReport('--report', report)
    await fits('--report', report, [report])
  }
  if (kind === 'folder') await mayBeFolder(out)
  const own = kind === 'folder' ? await placeOf(out) : undefined
  if (kind !== 'stdout') await apart(filesOf(places), own)
  const files = kind === 'file' ? [...given('--out', out), ...options] : options
  for (const [option, path] of files) {
    const folder = dirname(await realName(wholeDisk, path))
    if ((await placeOf(folder)) !== own) await writable(option, folder) // its own is made
  }
  if (kind === 'file') await replaceable(out)
}

const mayBeFolder = async (out: string): Promise<void> => {
  const folder = resolve(out)
  const isFile = await stat(folder).then(
    (found) => !found.isDirectory(),
    () => false, // it is made
  )
  if (isFile) throw new UsageError(`--out: ${folder} is a file, and no folder`)
  await writable('--out', await standing(folder))
}

/** The folder itself, or that in which it is made, and those above it. */
const standing = (folder: string): Promise<string> =>
  stat(folder).then(
    () => folder,
    async () => {
      const link = await readlink(folder).catch(() => undefined)
      if (link !== undefined) throw new UsageError(`--out: ${folder} is a link to no folder`)
      return dirname(folder) === folder ? folder : standing(dirname(folder))
    },
  )

const writable = async (option: string, folder: string): Promise<void> => {
  const can = access(folder, constants.W_OK).then(
    () => isFolderThere(folder),
    () => false,
  )
  if (await can) return
  throw new UsageError(`${option}: ${folder} should be a folder that can be written to`)
}

/** What is kept beside it is replaced by name; it is written to. */
const replaceable = async (out: string): Promise<void> => {
  const code = await access(out, constants.W_OK).then(() => undefined, codeOf)
  if (code === undefined || code === 'ENOENT') return // it is made
  throw new UsageError(`--out: ${out} cannot be written to: ${code}`)
}

const given = (what: string, path: string | undefined): ReadonlyArray<NamedFile> =>
  path === undefined ? [] : [[what, path]]

const filesOf = ({ out, kind, checkpoint, report }: Places): ReadonlyArray<NamedFile> => {
  const paths = pathsOf(out, checkpoint)
  return [
    ...given('--out', kind === 'file' ? out : undefined),
    ['the manifest', paths.manifest],
    ['the lock', paths.lock],
    ['the file of rejected rows', paths.rejects(1)],
    [checkpoint === undefined ? 'the checkpoint' : '--checkpoint', paths.checkpoint],
    ['the file of keys', paths.keys],
    ...given('--report', report),
  ]
}

/** No two are one. In a folder, none is called what its runs call their files. */
const apart = async (files: ReadonlyArray<NamedFile>, own: string | undefined): Promise<void> => {
  const taken = new Map<string, string>()
  for (const [what, path] of files) {
    const place = await placeOf(path)
    const other = taken.get(place)
    if (other !== undefined) {
      throw new UsageError(`${what} and ${other} are one file, ${path}: name another`)
    }
    if (what.startsWith('--') && dirname(place) === own && isOfRun(basename(place))) {
      throw new UsageError(`${what}: ${path} is a name for rows: choose another`)
    }
    taken.set(place, what)
  }
}
