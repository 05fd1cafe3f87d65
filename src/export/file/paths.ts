/** Names of the files of an export. */
import { relative } from 'node:path'
import { compressions, extensionOf, formatNames } from '../format/Format.js'
import type { FilesLocation } from '../location/Location.js'
import { INCOMING } from '../storage/Files.js'
import { sortable } from './parts.js'

/** Names of an export's texts (state, manifest), in its folder. */
export interface ExportNames {
  /** Start of the texts' names. The texts are next to the single file, or in the folder. */
  readonly beside: string
  readonly checkpoint: string
  readonly manifest: string
  readonly rejects: (run: number) => string
}

const textsBeside = (beside: string) => ({
  beside,
  checkpoint: `${beside}checkpoint.json`,
  manifest: `${beside}manifest.json`,
})

export const OF_FOLDER: ExportNames = {
  ...textsBeside('_'),
  rejects: (run) => `${INCOMING}${run === 1 ? 'rejects' : `rejects-${run}`}.ndjson`,
}

/** `FILE.checkpoint.json`, or `DIR/_checkpoint.json`, and so on. */
export const namesOf = ({ file }: Pick<FilesLocation, 'file'>): ExportNames =>
  file === '' ? OF_FOLDER : { ...textsBeside(`${file}.`), rejects: () => `${file}.rejects.ndjson` }

/** Returns the paths of checkpoint, manifest and rejects files. `checkpoint`: its path, if not next to the file. */
export const pathsOf = (at: FilesLocation, checkpoint?: FilesLocation) => {
  const names = namesOf(at)
  return {
    checkpoint: checkpoint?.name ?? `${at.folder}${names.checkpoint}`,
    manifest: `${at.folder}${names.manifest}`,
    rejects: (run: number): string => `${at.folder}${names.rejects(run)}`,
  }
}

/** Returns a file's or folder's name in a spec: relative to the state, so both can be moved. `.` is the state's folder. */
export const specName = (
  { name, file }: FilesLocation,
  checkpoint: FilesLocation | undefined,
): string => (checkpoint === undefined ? file : relative(checkpoint.folder || '.', name)) || '.'

// names in a folder

/**
 * Start of the parts' names. A run that replaces another run uses different names, which sort after the earlier ones: `part`,
 * `run-0002`, `run-9999`, `run-a10000`.
 */
export const prefixOf = (run: number): string => (run === 1 ? 'part' : `run-${sortable(run, 4)}`)

const EXTENSIONS = formatNames.flatMap((name) =>
  compressions.map((compress) => extensionOf(name, compress)),
)

/** Returns the number of the run that uses this file name for rows or rejected rows, from 1; `undefined` if none. */
export const runOfName = (
  name: string,
): { readonly run: number; readonly isRows: boolean } | undefined => {
  const [, rejects, second = '1'] =
    /^(?:_incoming\/)?(rejects)(?:-(\d+))?\.ndjson$/.exec(name) ?? []
  if (rejects !== undefined) return { run: Number(second), isRows: false }
  const [, later, , , extension = ''] = PART.exec(name) ?? []
  if (!EXTENSIONS.includes(extension)) return undefined
  return { run: later === undefined ? 1 : Number(later), isRows: true }
}

const PART = /^(?:part|run-[a-l]?(\d{4,}))-[a-m]?(\d{5,})-[a-m]?(\d{3,})\.(.+)$/

/** Returns true if a run may use this file name in its folder, for complete or unfinished files, or for rejected rows. */
export const isOfRun = (name: string): boolean =>
  runOfName(name.replace(/\.[0-9a-f]{12}\.part$/, '')) !== undefined

/** Returns the name that an unfinished file will have; undefined for any other file. */
export const finalOf = (name: string): string | undefined =>
  /^(?:_incoming\/)?([^/\\\0]+)\.[0-9a-f]{12}\.part$/.exec(name)?.[1]
