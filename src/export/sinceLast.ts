/** The part of a list that an export reads after an earlier complete run. */

import type { FileSystem } from '../store/FileSystem.js'
import type { Millis } from '../stream/index.js'
import { exportError, isExportError } from './ExportError.js'
import { isDirectory, placeOf } from './file/checkPaths.js'
import { manifestAt, startAt } from './file/manifestAt.js'
import { isFolder, isOfFolder, type Paths, pathsOf } from './file/paths.js'
import { checkContinues, type ExportSpec } from './transfer/ExportSpec.js'
import { lastEnded, type Manifest, type ManifestRun, runsBefore } from './transfer/Manifest.js'
import type { Since } from './transfer/TransferEvent.js'

// model

export interface SinceOptions {
  readonly paths: Paths
  /** `true`: the manifest of the folder; else the path of another one, or of its folder. */
  readonly sinceLast: true | string
  /** How long before the end of the last run rows may have changed. */
  readonly lookback: Millis
  /** The spec of the next run, without its times. */
  readonly spec: ExportSpec
  /** True if a checkpoint that is there is resumed: its own run is not one to continue from. */
  readonly resume: boolean
  readonly files: FileSystem
}

// constructors

/** Rejects with an `ExportError` when there is no such manifest, or it is of another list. */
export const findSince = async ({
  paths,
  sinceLast,
  lookback,
  spec,
  resume,
  files,
}: SinceOptions): Promise<Since> => {
  const path = await manifestOf(paths, sinceLast)
  const found = await manifestAt(files, path)
  if (found === undefined && sinceLast !== true) {
    throw exportError('NoManifest', `there is no manifest ${path}`, { path })
  }
  const nothing = { manifest: path, isFolderStart: false, lookback }
  if (found === undefined) return nothing
  const started = resume ? await startOf(paths, files) : undefined
  const manifest = { ...found, runs: runsBefore(started, found.runs) }
  const last = lastEnded(manifest)
  if (last?.bounds === undefined) return nothing
  checkContinues(path, last.spec, spec, sinceLast === true)
  const { at, of } = reached(last, last.bounds)
  const back = Math.max(0, at - lookback)
  const from = Math.max(back, beginningOf(path, manifest))
  const rejects = manifest.runs.reduce((sum, run) => sum + (run.ended ? run.rejects : 0), 0)
  return {
    ...nothing,
    ...{ from: new Date(from).toISOString(), of, isFolderStart: from > back },
    ...(rejects > 0 ? { rejects } : {}),
  }
}

const manifestOf = async ({ out, manifest }: Paths, sinceLast: true | string): Promise<string> => {
  if (sinceLast === true) return manifest
  const path = (await isDirectory(sinceLast)) ? pathsOf(`${sinceLast}/`).manifest : sinceLast
  if (isFolder(out)) return path
  const place = await placeOf(path)
  if (place !== (await placeOf(manifest)) && place !== (await placeOf(out))) return path
  const why = `${out} is the run before, and would be replaced: name a new file`
  throw exportError('UnusablePath', why, { path: out, option: 'out' })
}

/** When the run of a checkpoint began. What is wrong with an unreadable one is reported when it is resumed. */
const startOf = async (paths: Paths, files: FileSystem): Promise<string | undefined> => {
  return startAt(files, paths.checkpoint).catch((error: unknown) => {
    if (isExportError(error)) return undefined
    throw error
  })
}

/** From when on a folder has rows: older ones were not asked for. The manifest of a file does not tell. */
const beginningOf = (path: string, { runs }: Manifest): number => {
  if (!isOfFolder(path)) return 0
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
