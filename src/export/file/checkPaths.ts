/** Checks, before anything is sent, that the files of an export can be where its options say. */
import { access, constants, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf, disk } from '../../store/FileSystem.js'
import { type ExportError, exportError } from '../ExportError.js'
import { realName } from '../storage/diskFiles.js'
import { isFolder } from '../storage/openFiles.js'
import { isOfRun, pathsOf } from './paths.js'

// model

/** Files of an export, by the options that name them. */
export interface NamedPaths {
  /** A file, or a folder with a slash at its end; undefined for a stream. */
  readonly out: string | undefined
  readonly checkpoint?: string | undefined
  /** Another file that is written to meanwhile. */
  readonly report?: string | undefined
}

/** A file of a run, and what it is: an option, or in words. */
type NamedFile = readonly [what: string, path: string]

// constructors

/**
 * Rejects with an `UnusablePath` where a file cannot be made or written to, is a pipe or a device, is open already,
 * has too long a name, or is another file of the export. `show` is how a message names an option.
 */
export const checkPaths = async (
  given: NamedPaths,
  show: (option: string) => string = (option) => option,
): Promise<void> => {
  const { out, checkpoint, report } = given
  const isFile = out !== undefined && !isFolder(out)
  const others = [...named('checkpoint', checkpoint), ...named('report', report)]
  const check = checksOf(show)

  for (const [option, path] of others) {
    if (isFolder(path) || (await isDirectory(path)))
      throw check.unusable(option, path, 'is a folder')
  }
  if (isFile) await check.canBeFile('out', out)
  if (checkpoint !== undefined) await check.canBeFile('checkpoint', checkpoint)
  if (out !== undefined) await check.namesFit(out, checkpoint)
  if (report !== undefined) {
    await check.canBeReport('report', report)
    await check.nameFits('report', report, [report])
  }
  if (out !== undefined && !isFile) await check.canBeFolder('out', out)
  const own = out === undefined || isFile ? undefined : await resolved(out)
  if (out !== undefined) await check.areApart(filesOf(out, given, show), own)
  const files = isFile ? [...named('out', out), ...others] : others
  for (const [option, path] of files) {
    const folder = dirname(await realName(disk, path))
    if ((await resolved(folder)) !== own) await check.isWritable(option, folder) // its own is made
  }
  if (isFile) await check.isReplaceable('out', out)
}

/** Resolves a path through links and however it is spelt; it need not be there. */
export const resolved = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const folder = dirname(resolve(path))
    return join(await realpath(folder).catch(() => folder), basename(path))
  })

/** Returns whether there is such a folder. */
export const isDirectory = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )

const named = (what: string, path: string | undefined): ReadonlyArray<NamedFile> =>
  path === undefined ? [] : [[what, path]]

const filesOf = (
  out: string,
  { checkpoint, report }: NamedPaths,
  show: (option: string) => string,
): ReadonlyArray<NamedFile> => {
  const paths = pathsOf(out, checkpoint)
  return [
    ...(isFolder(out) ? [] : named(show('out'), out)),
    ['the manifest', paths.manifest],
    ['the file of rejected rows', paths.rejects(1)],
    [checkpoint === undefined ? 'the checkpoint' : show('checkpoint'), paths.checkpoint],
    ...named(show('report'), report),
  ]
}

/** Open files of a process, by number: the file behind one belongs to the program that opened it, such as a shell. */
const OPEN_FILES = /^(\/proc\/(.+\/)?|\/dev\/)fd$/

/** Returns whether a path leads through such a number, as `/dev/stdout` does. For links that do not go round. */
const isOpenFile = async (path: string): Promise<boolean> => {
  const folder = await realpath(dirname(resolve(path))).catch(() => undefined)
  if (folder === undefined) return false
  if (OPEN_FILES.test(folder)) return true
  const link = await readlink(join(folder, basename(path))).catch(() => undefined)
  return link !== undefined && isOpenFile(resolve(folder, link))
}

/** The end of names of unfinished files. */
const UNFINISHED = '.0123456789ab.part'

const checksOf = (show: (option: string) => string) => {
  const unusable = (option: string, path: string, why: string): ExportError =>
    exportError('UnusablePath', `${show(option)}: ${path} ${why}`, { path, option })

  const isNotOpen = async (option: string, path: string): Promise<void> => {
    if (!(await isOpenFile(path))) return
    throw unusable(option, path, 'is open already, and no file of its own: name one')
  }

  const isWritable = async (option: string, folder: string): Promise<void> => {
    const can = access(folder, constants.W_OK).then(
      () => isDirectory(folder),
      () => false,
    )
    if (await can) return
    throw unusable(option, folder, 'should be a folder that can be written to')
  }

  /** The folder itself, or that in which it is made, and those above it. */
  const existing = (option: string, folder: string): Promise<string> =>
    stat(folder).then(
      () => folder,
      async () => {
        const link = await readlink(folder).catch(() => undefined)
        if (link !== undefined) throw unusable(option, folder, 'is a link to no folder')
        return dirname(folder) === folder ? folder : existing(option, dirname(folder))
      },
    )

  const nameFits = async (
    option: string,
    path: string,
    names: ReadonlyArray<string>,
  ): Promise<void> => {
    for (const name of names) {
      const code = await stat(name).then(() => undefined, codeOf)
      if (code !== 'ENAMETOOLONG') continue
      throw unusable(option, path, 'is too long a name for it or for the files beside it')
    }
  }

  return {
    unusable,
    isWritable,
    nameFits,

    /** No pipe or device, which cannot be synced, cut back, or replaced; no links that go round. */
    canBeFile: async (option: string, path: string): Promise<void> => {
      const isOther = await stat(path).then(
        (found) => !found.isFile() && !found.isDirectory(),
        (error: unknown) => {
          if (codeOf(error) !== 'ELOOP') return false // it is made
          throw unusable(option, path, 'is a link that leads to no file')
        },
      )
      if (isOther) throw unusable(option, path, 'is a pipe or a device, and no file')
      await isNotOpen(option, path)
    },

    /** A report may go into a pipe. A file by a number of its process would be emptied. */
    canBeReport: async (option: string, path: string): Promise<void> => {
      const isFile = await stat(path).then(
        (found) => found.isFile(),
        () => false, // it is made
      )
      if (isFile) await isNotOpen(option, path)
    },

    canBeFolder: async (option: string, out: string): Promise<void> => {
      const folder = resolve(out)
      const isFile = await stat(folder).then(
        (found) => !found.isDirectory(),
        () => false, // it is made
      )
      if (isFile) throw unusable(option, folder, 'is a file, and no folder')
      await isWritable(option, await existing(option, folder))
    },

    /** Names of all files that an export makes beside it. */
    namesFit: async (out: string, checkpoint: string | undefined): Promise<void> => {
      const paths = pathsOf(out, checkpoint)
      const own = [pathsOf(out).checkpoint, paths.rejects(1)].map((path) => `${path}${UNFINISHED}`)
      await nameFits('out', out, own)
      if (checkpoint !== undefined) {
        await nameFits('checkpoint', checkpoint, [`${checkpoint}${UNFINISHED}`])
      }
    },

    /** No two files are one. In a folder, none has a name that its runs give their files. */
    areApart: async (files: ReadonlyArray<NamedFile>, own: string | undefined): Promise<void> => {
      const taken = new Map<string, string>()
      for (const [what, path] of files) {
        const real = await resolved(path)
        const other = taken.get(real)
        if (other !== undefined) {
          const why = `${what} and ${other} are one file, ${path}: name another`
          throw exportError('UnusablePath', why, { path })
        }
        if (!what.startsWith('the ') && dirname(real) === own && isOfRun(basename(real))) {
          const why = `${what}: ${path} is a name for rows: choose another`
          throw exportError('UnusablePath', why, { path })
        }
        taken.set(real, what)
      }
    },

    /** The files beside it are replaced by name; the destination is written to. */
    isReplaceable: async (option: string, out: string): Promise<void> => {
      const code = await access(out, constants.W_OK).then(() => undefined, codeOf)
      if (code === undefined || code === 'ENOENT') return // it is made
      throw unusable(option, out, `cannot be written to: ${code}`)
    },
  }
}
