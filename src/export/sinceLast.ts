/** The part of a list that an export reads after an earlier complete run. */
import { isStoreError } from '../store/StoreError.js'
import type { Millis } from '../stream/index.js'
import { exportError } from './ExportError.js'
import { isDirectory, resolved } from './file/checkPaths.js'
import { type FoundText, isOfFolder, manifestIn, startIn } from './file/manifestIn.js'
import type { OpenedFiles } from './file/openFileDestination.js'
import { namesOf } from './file/paths.js'
import { isFolder, locationOf, openFiles, type WatchedReach } from './storage/openFiles.js'
import { checkContinues, type ExportSpec } from './transfer/ExportSpec.js'
import { lastEnded, type Manifest, type ManifestRun, runsBefore } from './transfer/Manifest.js'
import type { Since } from './transfer/TransferEvent.js'

// model

export interface SinceOptions {
  readonly opened: OpenedFiles
  /** `true`: the manifest of the folder; else the path of another one, or of its folder. */
  readonly sinceLast: true | string
  /** How long before the end of the last run rows may have changed. */
  readonly lookback: Millis
  /** The spec of the next run, without its times. */
  readonly spec: ExportSpec
  /** True if a state that is there is resumed: its own run is not one to continue from. */
  readonly resume: boolean
  readonly options: WatchedReach
}

// constructors

/** Rejects with an `ExportError` when there is no such manifest, or it is of another list. */
export const findSince = async ({
  opened,
  sinceLast,
  lookback,
  spec,
  resume,
  options,
}: SinceOptions): Promise<Since> => {
  const { files, name } = await manifestOf(opened, sinceLast, options)
  const path = files.nameOf(name)
  const found = await manifestIn(files, name)
  if (found === undefined && sinceLast !== true) {
    throw exportError('NoManifest', `there is no manifest ${path}`, { path })
  }
  const nothing = { manifest: path, isFolderStart: false, lookback }
  if (found === undefined) return nothing
  const started = resume ? await startOf(opened) : undefined
  const manifest = { ...found, runs: runsBefore(started, found.runs) }
  const last = lastEnded(manifest)
  if (last?.bounds === undefined) return nothing
  checkContinues(path, last.spec, spec, sinceLast === true)
  const { at, of } = reached(last, last.bounds)
  const back = Math.max(0, at - lookback)
  const from = Math.max(back, isOfFolder(name) ? beginningOf(manifest) : 0)
  const rejects = manifest.runs.reduce((sum, run) => sum + (run.ended ? run.rejects : 0), 0)
  return {
    ...nothing,
    ...{ from: new Date(from).toISOString(), of, isFolderStart: from > back },
    ...(rejects > 0 ? { rejects } : {}),
  }
}

const manifestOf = async (
  { names: { folder, file, manifest }, texts }: OpenedFiles,
  sinceLast: true | string,
  options: WatchedReach,
): Promise<FoundText> => {
  if (sinceLast === true) return { files: texts, name: manifest }
  const isWhole = isFolder(sinceLast) || (await isDirectory(sinceLast))
  const path = isWhole ? withSlash(sinceLast) : sinceLast
  const location = locationOf(path)
  const files = await openFiles(location.folder, options)
  const found = { files, name: isWhole ? namesOf(path).manifest : location.name }
  if (file === undefined) return found
  const out = `${folder}${file}`
  const given = await resolved(files.nameOf(found.name))
  const own = [texts.nameOf(manifest), out].map(resolved)
  if (!(await Promise.all(own)).includes(given)) return found
  const why = `${out} is the run before, and would be replaced: name a new file`
  throw exportError('UnusablePath', why, { path: out, option: 'out' })
}

const withSlash = (path: string): string => (isFolder(path) ? path : `${path}/`)

/** When the run of a state began. An unreadable one is reported when it is resumed. */
const startOf = async ({
  stateText: { store, name },
}: OpenedFiles): Promise<string | undefined> => {
  const found = await store.read(name).catch((error: unknown) => {
    if (isStoreError(error)) return undefined
    throw error
  })
  return found && startIn(found.text)
}

/** From when on a folder has rows: older ones were not asked for. The manifest of a file does not tell. */
const beginningOf = ({ runs }: Manifest): number => {
  const begins = runs.flatMap(({ ended, bounds }) => (ended && bounds ? [bounds.from] : []))
  return begins.reduce((least, from) => Math.min(least, from))
}

/** Up to when a run has read: it cannot have rows that were made after it began, wherever its time ends. */
const reached = (
  { started }: Pick<ManifestRun, 'started'>,
  { to }: Required<ManifestRun>['bounds'],
): { readonly at: number; readonly of: 'start' | 'end' } => {
  const began = Date.parse(started)
  return began < to ? { at: began, of: 'start' } : { at: to, of: 'end' }
}
