/** Checks before anything is sent that the files of an export can be created at the given paths. */
import { access, constants, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf, disk } from '../../store/FileSystem.js'
import { type ExportError, exportError } from '../ExportError.js'
import { type FilesLocation, isInBucket } from '../location/Location.js'
import { realName } from '../storage/diskFiles.js'
import { isOfRun, pathsOf } from './paths.js'

/** Files of an export, by the options that name them. */
export interface NamedPaths {
  /** The destination; `undefined` for a stream. In a bucket, nothing is checked. */
  readonly out: FilesLocation | undefined
  readonly checkpoint?: FilesLocation | undefined
}

/** A file of a run, with the option that names the file, or a description. */
type NamedFile = readonly [what: string, path: string]

/**
 * Rejects with an `UnusablePath` if a file cannot be created or written, is a pipe or a device, is already open, has too long a
 * name, or is the same as another file of the export. `show` returns an option as messages name it.
 */
export const checkPaths = async (
  given: NamedPaths,
  show: (option: string) => string = (option) => option,
): Promise<void> => {
  const { checkpoint } = given
  const out = given.out && isInBucket(given.out) ? undefined : given.out
  const check = checksOf(show)

  if (checkpoint !== undefined && (await isDirectory(checkpoint.name)))
    throw check.unusable('checkpoint', checkpoint.name, 'is a folder')
  const file = out?.kind === 'file' ? out : undefined
  const written = [...named('out', file), ...named('checkpoint', checkpoint)]
  for (const [option, path] of written) await check.canBeFile(option, path)
  if (out !== undefined) await check.namesFit(out, checkpoint)
  if (out?.kind === 'folder') await check.canBeFolder('out', out.name)
  const own = out?.kind === 'folder' ? await resolved(out.name) : undefined
  if (out !== undefined) await check.areApart(filesOf(out, checkpoint, show), own)
  for (const [option, path] of written) {
    const folder = dirname(await realName(disk, path))
    if ((await resolved(folder)) !== own) await check.isWritable(option, folder) // the export creates its own
  }
  if (file !== undefined) await check.isReplaceable('out', file.name)
}

/** Returns the canonical path, with links resolved. The file need not exist. */
const resolved = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const folder = dirname(resolve(path))
    return join(await realpath(folder).catch(() => folder), basename(path))
  })

export const isDirectory = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )

const named = (what: string, at: FilesLocation | undefined): ReadonlyArray<NamedFile> =>
  at === undefined ? [] : [[what, at.name]]

const filesOf = (
  out: FilesLocation,
  checkpoint: FilesLocation | undefined,
  show: (option: string) => string,
): ReadonlyArray<NamedFile> => {
  const paths = pathsOf(out, checkpoint)
  return [
    ...named(show('out'), out.kind === 'file' ? out : undefined),
    ['the manifest', paths.manifest],
    ['the file of rejected rows', paths.rejects(1)],
    [checkpoint === undefined ? 'the checkpoint' : show('checkpoint'), paths.checkpoint],
  ]
}

/** Folders of a process's open files, by number. Such a file belongs to the program that opened it, for example a shell. */
const OPEN_FILES = /^(\/proc\/(.+\/)?|\/dev\/)fd$/

/** Returns true if a path leads through `OPEN_FILES`, as `/dev/stdout` does. Links must not form a cycle. */
const isOpenFile = async (path: string): Promise<boolean> => {
  const folder = await realpath(dirname(resolve(path))).catch(() => undefined)
  if (folder === undefined) return false
  if (OPEN_FILES.test(folder)) return true
  const link = await readlink(join(folder, basename(path))).catch(() => undefined)
  return link !== undefined && isOpenFile(resolve(folder, link))
}

/** Returns true if a file is a mount point, as in containers. Mounts are known on Linux only; other systems return false. */
const isMountPoint = async (path: string): Promise<boolean> => {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  const listed = path.replace(
    /[ \t\n\\]/g,
    (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return mounts.split('\n').some((line) => line.split(' ', 5)[4] === listed)
}

/** The suffix of unfinished files' names. */
const UNFINISHED = '.0123456789ab.part'

const checksOf = (show: (option: string) => string) => {
  const unusable = (option: string, path: string, why: string): ExportError =>
    exportError('UnusablePath', `${show(option)}: ${path} ${why}`, { path, option })

  const isWritable = async (option: string, folder: string): Promise<void> => {
    const can = access(folder, constants.W_OK).then(
      () => isDirectory(folder),
      () => false,
    )
    if (await can) return
    throw unusable(option, folder, 'should be an existing, writable folder')
  }

  /** Returns the folder if it exists, or else its nearest existing ancestor. */
  const existing = (option: string, folder: string): Promise<string> =>
    stat(folder).then(
      () => folder,
      async () => {
        const link = await readlink(folder).catch(() => undefined)
        if (link !== undefined) throw unusable(option, folder, 'is a link, but not to a folder')
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
      throw unusable(
        option,
        path,
        'is too long: this file, or the files next to it, could not be created',
      )
    }
  }

  return {
    unusable,
    isWritable,

    /** Rejects pipes and devices, which cannot be synced, truncated or replaced. Also rejects cyclic links. */
    canBeFile: async (option: string, path: string): Promise<void> => {
      const isOther = await stat(path).then(
        (found) => !found.isFile() && !found.isDirectory(),
        (error: unknown) => {
          if (codeOf(error) !== 'ELOOP') return false // it will be created
          throw unusable(option, path, 'is a broken link')
        },
      )
      if (isOther) throw unusable(option, path, 'is a pipe or a device, not a file')
      if (await isOpenFile(path))
        throw unusable(option, path, 'is an open file descriptor: use the name of a file')
    },

    canBeFolder: async (option: string, out: string): Promise<void> => {
      const folder = resolve(out)
      const isFile = await stat(folder).then(
        (found) => !found.isDirectory(),
        () => false, // it will be created
      )
      if (isFile) throw unusable(option, folder, 'is a file, not a folder')
      await isWritable(option, await existing(option, folder))
    },

    /** Checks the lengths of the names of all files that an export creates next to the destination. */
    namesFit: async (out: FilesLocation, checkpoint?: FilesLocation): Promise<void> => {
      const paths = pathsOf(out, checkpoint)
      const own = [pathsOf(out).checkpoint, paths.rejects(1)].map((path) => `${path}${UNFINISHED}`)
      await nameFits('out', out.name, own)
      if (checkpoint !== undefined) {
        await nameFits('checkpoint', checkpoint.name, [`${checkpoint.name}${UNFINISHED}`])
      }
    },

    /** Checks that all files are different, and that no file in a folder has a name that runs of the folder use. */
    areApart: async (files: ReadonlyArray<NamedFile>, own: string | undefined): Promise<void> => {
      const taken = new Map<string, string>()
      for (const [what, path] of files) {
        const real = await resolved(path)
        const other = taken.get(real)
        if (other !== undefined) {
          const why = `${what} and ${other} are the same file, ${path}: choose another name for one of them`
          throw exportError('UnusablePath', why, { path })
        }
        if (!what.startsWith('the ') && dirname(real) === own && isOfRun(basename(real))) {
          const why = `${what}: ${path} is a name that the export uses for its rows: choose another name`
          throw exportError('UnusablePath', why, { path })
        }
        taken.set(real, what)
      }
    },

    /** Checks that the destination can be written to and replaced by name, which is impossible for a mount point. */
    isReplaceable: async (option: string, out: string): Promise<void> => {
      const code = await access(out, constants.W_OK).then(() => undefined, codeOf)
      if (await isMountPoint(await resolved(out))) {
        const why = `is a mount point, which cannot be replaced: mount its folder, or use ${show('inPlace')}`
        throw unusable(option, out, why)
      }
      if (code === undefined || code === 'ENOENT') return // it will be created
      throw unusable(option, out, `cannot be written to: ${code}`)
    },
  }
}
