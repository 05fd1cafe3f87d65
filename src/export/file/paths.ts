/** Where an export keeps what it has, and the names of its files. */
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { closing, type FileSystem, isFolderThere, isThere } from '../../store/FileSystem.js'
import { compressions, extensionOf, formatNames } from '../format/Format.js'
import { INCOMING } from '../storage/Files.js'
import { sortable } from './parts.js'

// model

/** The files of an export, by their paths. */
export interface Paths {
  /** The file, or the folder. */
  readonly out: string
  /** True if it has a file for each part, and runs are added to those before. */
  readonly isFolder: boolean
  /** The file or folder as a spec names it: seen from the state, so that both can be moved together. */
  readonly destination: string
  readonly checkpoint: string
  readonly manifest: string
  /** The rejected rows of one run. */
  readonly rejects: (run: number) => string
}

/** The name of the manifest of a folder; that of a file ends with it, without the underscore. */
const MANIFEST = '_manifest.json'

// constructors

/** A name that ends with a slash is a folder. */
export const isFolder = (out: string): boolean => /[\\/]$/.test(out)

/** `FILE.checkpoint.json`, or `DIR/_checkpoint.json`; and so for the others. */
export const pathsOf = (out: string, checkpoint?: string): Paths => {
  if (!isFolder(out)) {
    const beside = (name: string): string => `${out}.${name}`
    return {
      out,
      isFolder: false,
      destination: seenFrom(checkpoint ?? out, out),
      checkpoint: checkpoint ?? beside('checkpoint.json'),
      manifest: beside('manifest.json'),
      rejects: () => beside('rejects.ndjson'),
    }
  }
  return {
    out,
    isFolder: true,
    destination: checkpoint === undefined ? '.' : seenFrom(checkpoint, out),
    checkpoint: checkpoint ?? join(out, '_checkpoint.json'),
    manifest: join(out, MANIFEST),
    rejects: (run) => join(out, rejectsName(run)),
  }
}

/** The files beside one of several files of a folder: in `_incoming/`, where readers of data sets do not look. */
export const pathsWithin = (folder: string, name: string): Paths => {
  const beside = (end: string): string => join(folder, `${INCOMING}${name}.${end}`)
  return {
    out: `${folder}${name}`,
    isFolder: false,
    destination: name,
    checkpoint: beside('checkpoint.json'),
    manifest: beside('manifest.json'),
    rejects: () => beside('rejects.ndjson'),
  }
}

/** The file of rejected rows of a run in a folder. */
export const rejectsName = (run: number): string =>
  `${INCOMING}${run === 1 ? 'rejects' : `rejects-${run}`}.ndjson`

/**
 * Finds the manifest of a file, of a folder, or itself. An export may be called `manifest.json`, too, and a folder may
 * be named without a slash.
 */
export const findManifest = async (
  files: Pick<FileSystem, 'readdir' | 'stat'>,
  path: string,
): Promise<string> => {
  const own = pathsOf(path).manifest
  const inside = pathsOf(`${path}/`).manifest
  if (await isThere(files, inside)) return inside
  if (await isThere(files, own)) return own
  if (await isFolderThere(files, path)) return inside
  return path.endsWith('manifest.json') ? path : own
}

// combinators

/** Returns whether a manifest is that of a folder; else it has the name of the one file it is of. */
export const isOfFolder = (manifest: string): boolean => basename(manifest) === MANIFEST

/** The path relative to the folder of `from`, so that both can be moved together; `.` is that folder. */
export const seenFrom = (from: string, path: string): string => relative(dirname(from), path) || '.'

/** Returns whether two names are of one file, there or not. */
export const isSameFile = async (
  files: Pick<FileSystem, 'open'>,
  one: string,
  other: string,
): Promise<boolean> => {
  if (one === other) return true
  const [a, b] = [await identity(files, one), await identity(files, other)]
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino
}

/** Undefined where it cannot be opened. */
const identity = (files: Pick<FileSystem, 'open'>, path: string) =>
  closing(files.open(path, 'r'), (handle) => handle.stat()).catch(() => undefined)

/** Links that are followed from one to the next: as many as Linux follows. */
const LINKS = 40

/** The name of a file where it is, or will be: a link may lead to one that is not there yet. */
export const realName = async (
  files: Pick<FileSystem, 'readlink'>,
  path: string,
  links = LINKS,
): Promise<string> => {
  const target = await files.readlink(path).catch(() => undefined) // it is no link
  if (target === undefined || links === 0) return path
  // not joined: that would take `..` for the folder above, which it is not behind a link
  const next = isAbsolute(target) ? target : `${dirname(path)}/${target}`
  return realName(files, next, links - 1)
}

// names in a folder

/** The beginning of names of parts. Later runs sort after earlier ones: `part`, `run-0002`, `run-9999`, `run-a10000`. */
export const prefixOf = (run: number): string => (run === 1 ? 'part' : `run-${sortable(run, 4)}`)

/** Extensions of all formats. */
const EXTENSIONS = formatNames.flatMap((name) =>
  compressions.map((compress) => extensionOf(name, compress)),
)

/** The run that gives a file in its folder this name, from 1: rows, or rejected rows. Undefined if none does. */
export const runOfName = (
  name: string,
): { readonly run: number; readonly isRows: boolean } | undefined => {
  const [, rejects, second = '1'] =
    /^(?:_incoming\/)?(rejects)(?:-(\d+))?\.ndjson$/.exec(name) ?? []
  if (rejects !== undefined) return { run: Number(second), isRows: false }
  const [, later, extension = ''] =
    /^(?:part|run-[a-l]?(\d{4,}))-[a-m]?\d{5,}-[a-m]?\d{3,}\.(.+)$/.exec(name) ?? []
  if (!EXTENSIONS.includes(extension)) return undefined
  return { run: later === undefined ? 1 : Number(later), isRows: true }
}

/** Returns whether a run may give this name to a file in its folder, complete or not; rejected rows among them. */
export const isOfRun = (name: string): boolean =>
  runOfName(name.replace(/\.[0-9a-f]{12}\.part$/, '')) !== undefined

/** Returns whether a complete file of rows of a run may have this name. */
export const isRowsName = (name: string): boolean => runOfName(name)?.isRows === true
