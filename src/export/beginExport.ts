/** How an export starts if a state, a run or rows exist: it refuses, continues, or replaces them. */
import { fieldsOf } from '../decode/unknown.js'
import type { Millis } from '../stream/index.js'
import { exportError, isExportError } from './ExportError.js'
import type { OpenedFiles } from './file/openFileDestination.js'
import { finalOf, isOfRun, runOfName } from './file/paths.js'
import type { AnyPosition } from './source/SourcePage.js'
import { checkSameQuery, checkSameSpec, type ExportSpec } from './transfer/ExportSpec.js'
import { iso, type Manifest, type ManifestRun } from './transfer/Manifest.js'
import type { Beginning } from './transfer/TransferEvent.js'
import { existing } from './transfer/TransferSession.js'
import { readTransferState, type TimeBounds, type TransferState } from './transfer/TransferState.js'

/** How a run begins if a state or an earlier run may exist: refuses it, resumes it, or replaces everything. */
export type Begin = 'new' | 'resume' | 'restart'

export interface BeginOptions {
  readonly opened: Pick<OpenedFiles, 'at' | 'names' | 'files' | 'texts' | 'name' | 'stateText'>
  readonly loadManifest: () => Promise<Manifest | undefined>
  readonly spec: ExportSpec
  /** Returns true if a position belongs to the list. */
  readonly isPosition: (position: AnyPosition) => boolean
  readonly begin: Begin
  readonly maxRejects: number
}

/** Examines what exists, without changes. Rejects with an `ExportError` if that prevents the export. */
export const beginExport = async (options: BeginOptions, found: unknown): Promise<Beginning> => {
  const { opened, spec } = options
  const begin = options.begin === 'resume' && found === undefined ? 'new' : options.begin
  const { at, files, stateText } = opened
  if (fieldsOf(found).sync !== undefined) {
    const why = `${stateText.path} belongs to a sync, which uses this folder: choose another one`
    throw exportError('UnusableDestination', why, { destination: stateText.path })
  }
  const state = stateToResume({ ...options, path: stateText.path }, found) ?? { spec }
  const removes = begin === 'restart' ? await replacedFiles(options) : []
  const beginning = { state, ...(removes.length > 0 && { reads: { removes } }) }
  if (at.file !== '') {
    const replaces = begin === 'new' ? await exportedRun(options) : undefined
    if (replaces === undefined) return beginning
    checkSameQuery(manifestPath(options), spec)(replaces.spec)
    return { state, checkBounds: laterThan(replaces, spec) }
  }
  const [foreign] = await files.foreign(isOfRun)
  if (foreign !== undefined) {
    const path = files.nameOf(foreign)
    const why = `${path} has the name of an export file, but is a link or a folder: remove it`
    throw exportError('UnusablePath', why, { path, option: 'out' })
  }
  const run = await runIn(options)
  if (begin !== 'new') return beginning
  if (run?.ended === true) {
    const path = manifestPath(options)
    throw exportError(
      'OutputExists',
      `${path} belongs to an earlier export, which would be replaced`,
      {
        path,
      },
    )
  }
  const [other] = await files.list((name) => runOfName(name)?.isRows === true)
  if (other === undefined) return { state }
  const path = files.nameOf(other.name)
  const why = `${path} does not belong to a complete run in the manifest, and might be replaced`
  throw exportError('OutputExists', why, { path })
}

/** Resolves with the files that a restart removes or replaces, complete or not, by their paths. */
const replacedFiles = async ({
  opened: { at, files, texts, name, names },
}: BeginOptions): Promise<ReadonlyArray<string>> => {
  const { beside, manifest, rejects } = names
  const found = await files.list((one) => {
    const final = finalOf(one) ?? one
    return at.file === ''
      ? runOfName(final) !== undefined || (final === 'keys' && final !== one)
      : [name, rejects(1), `${beside}keys`].includes(final)
  })
  const isListed = (await texts.size(manifest)) !== undefined
  return [
    ...found.map((one) => files.nameOf(one.name)),
    ...(isListed ? [texts.nameOf(manifest)] : []),
  ]
}

const manifestPath = ({ opened: { texts, names } }: BeginOptions): string =>
  texts.nameOf(names.manifest)

/** Resolves with the run that wrote the file. Rejects with `OutputExists` if none did, or the file has changed since. */
const exportedRun = async ({
  opened: { at, files, name, texts },
  loadManifest,
}: BeginOptions): Promise<ManifestRun | undefined> => {
  const size = (await files.size(name)) ?? 0
  if (size === 0) return undefined
  const run = (await loadManifest().catch(ofKind))?.run // otherwise it counts as absent
  const isIts = run?.files.some((file) => file.path === at.file && file.bytes === size)
  if (isIts === true) return run
  const path = texts.nameOf(at.file)
  const why = `${path} was changed after an export wrote it, and would be replaced`
  throw exportError('OutputExists', why, { path })
}

const ofKind = (error: unknown): undefined => {
  if (isExportError(error) && error._tag === 'UnusableDestination') throw error
  return undefined
}

/** Resolves with the run in a folder, finished or not. */
const runIn = async ({ loadManifest, begin }: BeginOptions): Promise<ManifestRun | undefined> => {
  try {
    return (await loadManifest())?.run
  } catch (error) {
    if (begin === 'restart') return ofKind(error) // it will be replaced, whatever it contains
    throw error
  }
}

/** The state at a path, and the export that it should belong to. */
export interface ResumeOptions
  extends Pick<BeginOptions, 'spec' | 'isPosition' | 'begin' | 'maxRejects'> {
  readonly path: string
}

/** Returns the state to continue from; `undefined` if there is none, or if it must not be resumed. */
export const stateToResume = (
  { path, spec, isPosition, begin, maxRejects }: ResumeOptions,
  kept: unknown,
): TransferState | undefined => {
  if (begin === 'restart' || kept === undefined) return undefined
  if (begin === 'new') throw existing(path)
  const found = readTransferState(path, kept)
  checkSameSpec(path, spec)(found.spec)
  const { position, counts: { rejects = 0 } = {} } = found.run ?? {}
  if (position !== undefined && !isPosition(position)) {
    const why = 'it was started from a list but is now given a snapshot, or vice versa'
    const details = { path, field: 'position' }
    throw exportError('SpecMismatch', `${path} belongs to another export: ${why}`, details)
  }
  if (position !== undefined && rejects > maxRejects) {
    const why = `has more rejected rows (${rejects}) than maxRejects allows (${maxRejects})`
    throw exportError('TooManyRejects', `${path} ${why}`, { path })
  }
  return found
}

/** The service reports its time in whole seconds (`Date`), so the later of two runs in one second may seem to end earlier. */
const CLOCK_STEP: Millis = 1_000

/**
 * Throws an `OutputExists` if a snapshot ends before the snapshot of the same query that it would replace, because a clock was
 * set back.
 */
const laterThan =
  ({ spec, bounds: before, files }: ManifestRun, { query }: ExportSpec) =>
  ({ to }: TimeBounds): void => {
    if (before === undefined || to > before.to - CLOCK_STEP) return
    if (JSON.stringify(spec.query) !== JSON.stringify(query)) return
    const [path = ''] = files.map((file) => file.path)
    const why = `${path} has all rows up to ${iso(before.to)}, but this run would end at ${iso(to)}, so one of the clocks was wrong`
    throw exportError('OutputExists', why, { path })
  }
