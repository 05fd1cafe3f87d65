/** How an export begins, where a state, runs or rows may be: refuse them, go on, add to them, or replace them. */
import { fieldsOf } from '../decode/unknown.js'
import { withoutUndefined } from '../fp.js'
import type { Millis } from '../stream/index.js'
import { type ExportError, exportError, isExportError } from './ExportError.js'
import { refuseOld } from './file/manifestIn.js'
import type { OpenedFiles } from './file/openFileDestination.js'
import { isOfRun, runOfName } from './file/paths.js'
import { hasRejects, stateOfEnded } from './rejectedAgain.js'
import type { AnyPosition } from './source/SourcePage.js'
import { checkEnded } from './storage/integrity.js'
import {
  checkContinues,
  checkSameQuery,
  checkSameSpec,
  type ExportSpec,
} from './transfer/ExportSpec.js'
import {
  filesOf,
  iso,
  lastEnded,
  type Manifest,
  type ManifestRun,
  runsBefore,
} from './transfer/Manifest.js'
import type { Beginning } from './transfer/TransferEvent.js'
import type { StateText } from './transfer/TransferSession.js'
import { existing } from './transfer/TransferSession.js'
import { readTransferState, type TimeBounds, type TransferState } from './transfer/TransferState.js'

// model

/**
 * How a run begins where a state, or an earlier run, may be: refuse it, resume it, or replace all; `once`: resume or
 * begin, and do nothing where the file is complete.
 */
export type Begin = 'new' | 'resume' | 'restart' | 'once'

/** Where to look, and what may be there. */
export interface BeginOptions {
  readonly opened: Pick<OpenedFiles, 'names' | 'files' | 'texts' | 'name' | 'stateText'>
  /** Resolves with the manifest that is there. */
  readonly loadManifest: () => Promise<Manifest | undefined>
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
export const beginExport = async (options: BeginOptions, found: unknown): Promise<Beginning> => {
  const { opened, begin, adds, spec } = options
  const { files, names, stateText } = opened
  const { sync, slices } = fieldsOf(found)
  const isResumed = begin !== 'new' && begin !== 'restart'
  if (sync !== undefined || (slices !== undefined && isResumed)) {
    const own = sync === undefined ? 'an export in slices' : 'a sync'
    const why = `${stateText.path} is of ${own}, which has this folder: name another one`
    throw exportError('UnusableDestination', why, { destination: stateText.path })
  }
  if (begin === 'resume') {
    const again = await beginAgain(options, found)
    if (again !== undefined) return again
  }
  const kept = stateToResume({ ...options, path: stateText.path }, found)
  const state = kept ?? { spec }
  if (names.file !== undefined) {
    const complete = begin === 'once' && kept === undefined ? await completeRun(options) : undefined
    const replaces =
      begin === 'new' && complete === undefined ? await exportedRun(options) : undefined
    if (replaces !== undefined) checkSameQuery(manifestPath(options), spec)(replaces.spec)
    return {
      state,
      runs: [],
      complete,
      ...(replaces && { checkBounds: laterThan(replaces, spec) }),
    }
  }
  if (begin !== 'restart') await refuseOld(files)
  const [foreign] = await files.foreign(isOfRun)
  if (foreign !== undefined) {
    const path = files.nameOf(foreign)
    const why = `${path} has the name of a file of an export, and is a link or a folder: remove it`
    throw exportError('UnusablePath', why, { path, option: 'out' })
  }
  const runs = runsBefore(kept?.run?.started, await entriesOf(options)).filter(({ ended }) => ended)
  if (kept !== undefined) return { state, runs }
  if (begin === 'restart') return { state, runs: adds ? runs : [] }
  if (!adds && runs.length > 0) {
    const path = manifestPath(options)
    throw exportError('OutputExists', `${path} is of an export that would be replaced`, { path })
  }
  const listed = new Set(runs.flatMap(filesOf).map(({ path }) => path))
  const [other] = await files.list((name) => runOfName(name)?.isRows === true && !listed.has(name))
  if (other !== undefined) {
    const path = files.nameOf(other.name)
    const why = `${path} is of no complete run, by its manifest, and might be replaced`
    throw exportError('OutputExists', why, { path })
  }
  return { state, runs }
}

/**
 * Goes on with a run that came to its end, if it rejected rows: these are read again. Resolves with undefined if what was
 * kept is of no such run, or nothing was kept and there is none.
 */
const beginAgain = async (
  options: BeginOptions,
  found: unknown,
): Promise<Beginning | undefined> => {
  const { opened, adds, loadManifest } = options
  const { files, names, stateText } = opened
  if (found !== undefined && fieldsOf(fieldsOf(found).run).again !== true) return undefined
  const entries = (await loadManifest())?.runs ?? []
  const path = manifestPath(options)
  const at =
    found === undefined
      ? entries.findLastIndex(hasRejects(names))
      : entries.findLastIndex(({ started }) => started === fieldsOf(fieldsOf(found).run).started)
  const run = entries[at]
  if (run === undefined) return undefined
  if (adds) checkContinues(path, run.spec, options.spec, true)
  const spec = adds ? { ...options.spec, query: run.spec.query } : options.spec
  if (found === undefined) {
    checkSameSpec(path, spec)(run.spec)
    for (const file of run.files) await checkEnded(files, file.path, { sha256: '', ...file })
  }
  const kept = stateToResume({ ...options, spec, path: stateText.path, begin: 'once' }, found)
  const state = kept ?? stateOfEnded(run, names, at === 0, path)
  const { rejected, rejects } = run
  const reads = state.run?.position !== undefined
  if (rejected !== undefined && reads) {
    await checkEnded(files, rejected.path, { sha256: '', ...rejected })
  }
  return {
    state,
    ...{ runs: entries.slice(0, at), later: entries.slice(at + 1) },
    ...(reads ? { reads: { rejected: rejects } } : {}),
    ...withoutUndefined({ again: rejected }),
  }
}

const manifestPath = ({ opened: { texts, names } }: BeginOptions): string =>
  texts.nameOf(names.manifest)

/** Resolves with the run that wrote the file that is there; rejects with `OutputExists` if none did, or it was changed since. */
const exportedRun = async ({
  opened: { files, name, names, texts },
  loadManifest,
}: BeginOptions): Promise<ManifestRun | undefined> => {
  const size = (await files.size(name)) ?? 0
  if (size === 0) return undefined
  const manifest = await loadManifest().catch(ofKind) // else as if there were none
  const found = manifest?.runs.find((run) =>
    filesOf(run).some((file) => file.path === names.file && file.bytes === size),
  )
  if (found !== undefined) return found
  const path = texts.nameOf(names.file ?? '')
  const why = `${path} is not as an export wrote it, by its manifest, and would be replaced`
  throw exportError('OutputExists', why, { path })
}

const ofKind = (error: unknown): undefined => {
  if (isExportError(error) && error._tag === 'UnusableDestination') throw error
  return undefined
}

/** Resolves with the run of the same export that wrote the file; rejects with `SpecMismatch` if one of another did. */
const completeRun = async (options: BeginOptions): Promise<ManifestRun | undefined> => {
  const { opened, loadManifest, spec } = options
  const manifest = await loadManifest()
  const run = manifest === undefined ? undefined : lastEnded(manifest)
  if (run === undefined) {
    await exportedRun(options) // refuses a file of no export
    return undefined
  }
  checkSameSpec(manifestPath(options), spec)(run.spec)
  const [file] = run.files
  const size = await opened.files.size(opened.name)
  return file !== undefined && size === file.bytes ? run : undefined
}

/** The runs in a folder, also those that did not come to their end. */
const entriesOf = async ({
  loadManifest,
  begin,
  adds,
}: BeginOptions): Promise<Manifest['runs']> => {
  try {
    return (await loadManifest())?.runs ?? []
  } catch (error) {
    if (begin === 'restart' && !adds) return ofKind(error) ?? [] // it is replaced, whatever it says
    throw error
  }
}

/** The state at a path, and what it may be of. */
export interface ResumeOptions
  extends Pick<BeginOptions, 'spec' | 'isPosition' | 'begin' | 'maxRejects'> {
  readonly path: string
}

/** Returns the state to go on with; undefined where there is none, or it is not to be resumed. */
export const stateToResume = (
  { path, spec, isPosition, begin, maxRejects }: ResumeOptions,
  kept: unknown,
): TransferState | undefined => {
  if (begin === 'restart') return undefined
  if (kept === undefined) {
    if (begin !== 'resume') return undefined
    throw nothingToResume(path)
  }
  if (begin === 'new') throw existing(path)
  const found = readTransferState(path, kept)
  checkSameSpec(path, spec)(found.spec)
  const { position, counts: { rejects = 0 } = {} } = found.run ?? {}
  const isOwn = found.run?.again === true ? 'page_num' in (position ?? {}) : undefined
  if (position !== undefined && !(isOwn ?? isPosition(position))) {
    const why = 'its position is one of a list, and now there is a snapshot, or the other way round'
    const details = { path, field: 'position' }
    throw exportError('SpecMismatch', `${path} is of another export: ${why}`, details)
  }
  if (position !== undefined && rejects > maxRejects) {
    const why = `has more rejected rows (${rejects}) than there may be (${maxRejects})`
    throw exportError('TooManyRejects', `${path} ${why}`, { path })
  }
  return found
}

/**
 * Rejects with `NothingToResume` where no text is, before a lease is taken for nothing: a text that is released is removed,
 * and a run that was frozen within that would remove the text of a later one.
 */
export const checkResumable = async (
  { store, name, path }: StateText,
  { names }: Pick<OpenedFiles, 'names'>,
  loadManifest: BeginOptions['loadManifest'],
): Promise<void> => {
  if ((await store.read(name)) !== undefined) return
  const runs = (await loadManifest())?.runs ?? []
  if (!runs.some(hasRejects(names))) throw nothingToResume(path)
}

const nothingToResume = (path: string): ExportError =>
  exportError('NothingToResume', `there is no unfinished export to resume at ${path}`, { path })

/** The service tells its time in whole seconds (`Date`): of two runs within one, the later may end earlier. */
const CLOCK_STEP: Millis = 1_000

/** Throws an `OutputExists` if a snapshot of the same query ends before the one that it would replace: a clock went back. */
const laterThan =
  ({ spec, bounds: before, files }: ManifestRun, { query }: ExportSpec) =>
  ({ to }: TimeBounds): void => {
    if (before === undefined || to > before.to - CLOCK_STEP) return
    if (JSON.stringify(spec.query) !== JSON.stringify(query)) return
    const [path = ''] = files.map((file) => file.path)
    const why = `${path} has all up to ${iso(before.to)}, and this run would end at ${iso(to)}, so one of the clocks was wrong`
    throw exportError('OutputExists', why, { path })
  }
