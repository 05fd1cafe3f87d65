/** Names of the files of an export. */
import { relative } from 'node:path'
import { compressions, extensionOf, formatNames } from '../format/Format.js'
import { INCOMING } from '../storage/Files.js'
import { locationOf } from '../storage/openFiles.js'
import { type PartMark, sortable } from './parts.js'

// model

/** The files of an export, by their names in its folder. */
export interface ExportNames {
  /** A path or a URL that ends with a slash; empty for the folder of the process. */
  readonly folder: string
  /** The one file; undefined: there is one for each part, and runs are added to those before. */
  readonly file: string | undefined
  /** The beginning of the names of texts: they are beside the one file, or in the folder of several. */
  readonly beside: string
  readonly checkpoint: string
  readonly manifest: string
  /** The rejected rows of one run. */
  readonly rejects: (run: number) => string
}

// constructors

const textsBeside = (beside: string) => ({
  beside,
  checkpoint: `${beside}checkpoint.json`,
  manifest: `${beside}manifest.json`,
})

/** `FILE.checkpoint.json`, or `DIR/_checkpoint.json`; and so for the others. */
export const namesOf = (out: string): ExportNames => {
  const { folder, name } = locationOf(out)
  if (name === '') return { folder, file: undefined, ...textsBeside('_'), rejects: rejectsName }
  return {
    ...{ folder, file: name, ...textsBeside(`${name}.`) },
    rejects: () => `${name}.rejects.ndjson`,
  }
}

/** The names of one of several files of a folder: its texts lie in `_incoming/`, where readers of data sets do not look. */
export const namesWithin = (folder: string, file: string): ExportNames => {
  const beside = `${INCOMING}${file}.`
  return { folder, file, ...textsBeside(beside), rejects: () => `${beside}rejects.ndjson` }
}

/** The paths of the texts of an export. `checkpoint`: where that is, unless beside it. */
export const pathsOf = (out: string, checkpoint?: string) => {
  const { folder, ...names } = namesOf(out)
  return {
    checkpoint: checkpoint ?? `${folder}${names.checkpoint}`,
    manifest: `${folder}${names.manifest}`,
    rejects: (run: number): string => `${folder}${names.rejects(run)}`,
  }
}

/** The name of a file or folder in a spec: seen from the state, so that both can be moved together. `.` is that folder. */
export const specName = (
  { folder, file = '' }: Pick<ExportNames, 'folder' | 'file'>,
  checkpoint: string | undefined,
): string =>
  checkpoint === undefined
    ? file || '.'
    : relative(locationOf(checkpoint).folder || '.', `${folder}${file}`) || '.'

/** The file of rejected rows of a run in a folder. */
const rejectsName = (run: number): string =>
  `${INCOMING}${run === 1 ? 'rejects' : `rejects-${run}`}.ndjson`

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
  const [, later, , , extension = ''] = PART.exec(name) ?? []
  if (!EXTENSIONS.includes(extension)) return undefined
  return { run: later === undefined ? 1 : Number(later), isRows: true }
}

const PART = /^(?:part|run-[a-l]?(\d{4,}))-[a-m]?(\d{5,})-[a-m]?(\d{3,})\.(.+)$/

/** The part of a run that has this name; undefined if none has. */
export const partOfName = (name: string): Pick<PartMark, 'slice' | 'number'> | undefined => {
  const [, , slice, number] = PART.exec(name) ?? []
  return runOfName(name)?.isRows === true
    ? { slice: Number(slice), number: Number(number) }
    : undefined
}

/** Returns whether a run may give this name to a file in its folder, complete or not; rejected rows among them. */
export const isOfRun = (name: string): boolean =>
  runOfName(name.replace(/\.[0-9a-f]{12}\.part$/, '')) !== undefined

/** Returns whether a complete file of rows of a run may have this name. */
export const isRowsName = (name: string): boolean => runOfName(name)?.isRows === true
