/** The state that a run finds: a checkpoint to resume, runs to add to, leftovers to remove. */
import { basename, dirname, resolve } from 'node:path'
import { defined } from '../../fp.js'
import { type FileSystem, filesNamed, hasBytes } from '../../store/FileSystem.js'
import { exportError } from '../ExportError.js'
import type { AnyPosition } from '../SourcePage.js'
import type { Checkpoint } from './Checkpoint.js'
import { checkSameSpec, type ExportSpec } from './ExportSpec.js'
import { filesOf, lastEnded, type Manifest, type ManifestRun } from './Manifest.js'
import { isOfRun, isRowsName, type Paths } from './paths.js'
import { existing, type Records } from './records.js'

// model

/**
 * How a run begins where a checkpoint, or an earlier run, may be: refuse it, resume it, or replace all; `once`: resume or
 * begin, and do nothing where the file is complete.
 */
export type Begin = 'new' | 'resume' | 'restart' | 'once'

/** The state that a run finds. */
export interface ResumeState {
  /** Where to continue. */
  readonly checkpoint?: Checkpoint
  /** The runs of its folder that it is added to. */
  readonly runs: Manifest['runs']
  readonly leftovers: Leftovers
  /** The run of the complete file that is replaced. */
  readonly replaces?: ManifestRun
  /** The run that wrote all of the file; nothing is left to do. */
  readonly complete?: ManifestRun
}

/** Removed before the first row is written, the manifest last: while it stands, some of the rows are not taken for all. */
export interface Leftovers {
  /** Files of rows. */
  readonly rows: ReadonlyArray<string>
  readonly manifest: boolean
}

const NO_LEFTOVERS: Leftovers = { rows: [], manifest: false }

/** Where to look, and what may be there. */
export interface ResumeOptions {
  readonly files: FileSystem
  readonly paths: Paths
  readonly records: Records
  readonly spec: ExportSpec
  /** Returns whether a position is one of the list. */
  readonly isPosition: (position: AnyPosition) => boolean
  readonly begin: Begin
  /** True if it adds to the runs that are there. */
  readonly adds: boolean
  readonly maxRejects: number
}

// constructors

/** Looks at what is there, and changes nothing. Rejects with an `ExportError` when that is in the way. */
export const findResumeState = async (options: ResumeOptions): Promise<ResumeState> => {
  const { files, paths, begin, adds } = options
  const checkpoint = checkpointOf(options)
  if (!paths.isFolder) {
    const complete =
      begin === 'once' && checkpoint === undefined ? await completeRun(options) : undefined
    if (complete !== undefined) return { complete, runs: [], leftovers: NO_LEFTOVERS }
    const replaces = begin === 'new' ? await exportedRun(options) : undefined
    return { ...defined({ checkpoint, replaces }), runs: [], leftovers: NO_LEFTOVERS }
  }
  const entries = await entriesOf(options)
  const runs = runsBefore(checkpoint?.started, entries).filter(({ ended }) => ended)

  if (checkpoint !== undefined) return { checkpoint, runs, leftovers: NO_LEFTOVERS }
  if (begin !== 'restart') {
    if (!adds && runs.length > 0) {
      const why = `${paths.manifest} is of an export that would be replaced`
      throw exportError('OutputExists', why, { path: paths.manifest })
    }
    const [other] = (await otherFiles(files, paths, runs)).filter((path) =>
      isRowsName(basename(path)),
    )
    if (other !== undefined) {
      const why = `${other} is of no complete run, by its manifest, and might be replaced`
      throw exportError('OutputExists', why, { path: other })
    }
    return { runs, leftovers: NO_LEFTOVERS }
  }
  const kept = adds ? runs : []
  const rows = await otherFiles(files, paths, kept)
  return { runs: kept, leftovers: { rows, manifest: kept.length === 0 } }
}

/** Resolves with the run that wrote the file that is there; rejects with `OutputExists` if none did, or it was changed since. */
const exportedRun = async ({
  files,
  paths,
  records,
}: ResumeOptions): Promise<ManifestRun | undefined> => {
  const size = await files.stat(paths.out).then(
    (found) => found.size,
    () => 0,
  )
  if (size === 0) return undefined
  const manifest = await records.loadManifest().catch(() => undefined) // as if there were none
  const name = basename(paths.out)
  const found = manifest?.runs.find((run) =>
    filesOf(run).some((file) => file.path === name && file.bytes === size),
  )
  if (found !== undefined) return found
  const why = `${paths.out} is not as an export wrote it, by its manifest, and would be replaced`
  throw exportError('OutputExists', why, { path: paths.out })
}

/** Resolves with the run of the same export that wrote the file; rejects with `SpecMismatch` if one of another did. */
const completeRun = async (options: ResumeOptions): Promise<ManifestRun | undefined> => {
  const { files, paths, records, spec } = options
  const manifest = await records.loadManifest()
  const run = manifest === undefined ? undefined : lastEnded(manifest)
  if (run === undefined) {
    await exportedRun(options) // refuses a file of no export
    return undefined
  }
  checkSameSpec(paths.manifest, spec)(run.purpose)
  const [file] = run.files
  return file !== undefined && (await hasBytes(files, paths.out, file.bytes)) ? run : undefined
}

/**
 * Leaves out the run whose checkpoint stands, by when it was `started`. Only the last entry can be that run: others may
 * have begun at the same ms.
 */
export const runsBefore = (
  started: string | undefined,
  entries: Manifest['runs'],
): Manifest['runs'] => (entries.at(-1)?.started === started ? entries.slice(0, -1) : entries)

/** The runs in a folder, also those that did not come to their end. */
const entriesOf = async ({ records, begin, adds }: ResumeOptions): Promise<Manifest['runs']> => {
  try {
    return (await records.loadManifest())?.runs ?? []
  } catch (error) {
    if (begin === 'restart' && !adds) return [] // it is replaced, whatever it says
    throw error
  }
}

/** Files of all runs of a folder but those that are kept, whether its manifest knows them or not. */
const otherFiles = async (
  files: FileSystem,
  { manifest }: Paths,
  kept: Manifest['runs'],
): Promise<ReadonlyArray<string>> => {
  const folder = dirname(manifest)
  const namesOf = (runs: Manifest['runs']): ReadonlyArray<string> =>
    runs.flatMap(filesOf).map(({ path }) => resolve(folder, path))
  const staying = new Set(namesOf(kept))
  const others = (await files.readdir(folder)).filter(
    (name) => isOfRun(name) && !staying.has(resolve(folder, name)),
  )
  const plain = new Set(await filesNamed(files, folder, (name) => others.includes(name)))
  const [foreign] = others.filter((name) => !plain.has(name))
  if (foreign !== undefined) {
    const path = resolve(folder, foreign)
    const why = `${path} has the name of a file of an export, and is a link or a folder: remove it`
    throw exportError('UnusablePath', why, { path, option: 'out' })
  }
  return others.map((name) => resolve(folder, name))
}

/** Undefined where there is none to resume. */
const checkpointOf = ({
  records,
  paths,
  spec,
  isPosition,
  begin,
  maxRejects,
}: ResumeOptions): Checkpoint | undefined => {
  if (begin === 'restart') return undefined
  const { checkpoint: path } = paths
  if (begin === 'once' && !records.hasCheckpoint()) return undefined
  if (begin === 'new') {
    if (!records.hasCheckpoint()) return undefined
    throw existing(path)
  }
  const checkpoint = records.loadCheckpoint()
  if (checkpoint === undefined) {
    const why = `there is no unfinished export to resume at ${path}`
    throw exportError('NothingToResume', why, { path })
  }
  checkSameSpec(path, spec)(checkpoint.purpose)
  const { position, counts } = checkpoint
  if (position !== undefined && !isPosition(position)) {
    const why = 'its position is one of a list, and now there is a snapshot, or the other way round'
    const details = { path, field: 'position' }
    throw exportError('SpecMismatch', `${path} is of another export: ${why}`, details)
  }
  if (position !== undefined && counts.rejects > maxRejects) {
    const why = `has more rejected rows (${counts.rejects}) than there may be (${maxRejects})`
    throw exportError('TooManyRejects', `${path} ${why}`, { path })
  }
  return checkpoint
}
