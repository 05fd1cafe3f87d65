import { dirname, resolve } from 'node:path'
import type { Codec } from '../../codec/Codec.js'
import type { Begin } from './Begin.js'
import { CannotRun } from './CannotRun.js'
import { type Checkpoint, readCheckpoint } from './Checkpoint.js'
import { type Manifest, readManifest } from './Manifest.js'
import { filesOf } from './ManifestRun.js'
import type { Paths } from './Paths.js'
import { type Purpose, samePurpose } from './Purpose.js'
import { isOfRun } from './runNames.js'
import { readText, type SmallFiles } from './SmallFiles.js'
import type { Stale } from './Stale.js'

// model

/** What a run finds. */
export interface Found<Q> {
  /** Where to go on. */
  readonly checkpoint?: Checkpoint<Q>
  /** The runs of its folder that it is added to. */
  readonly runs: Manifest['runs']
  readonly stale: Stale
}

/** Where to look, and what may stand there. */
export interface FindOptions<Q> {
  readonly files: SmallFiles
  readonly paths: Paths
  readonly purpose: Purpose
  /** How a position of the list is kept. */
  readonly position: Codec<Q>
  readonly begin: Begin
  /** Whether it adds to the runs that are there. */
  readonly adds: boolean
  /** How many rows may be rejected. */
  readonly maxRejects: number
}

// constructors

/** Looks at what is there, and changes nothing. Throws a `CannotRun` when that is in the way. */
export const find = async <Q>(options: FindOptions<Q>): Promise<Found<Q>> => {
  const { files, paths, begin, adds } = options
  const checkpoint = await checkpointOf(options)
  const entries = paths.isFolder ? await entriesOf(options) : []
  const runs = runsBefore(checkpoint?.started, entries).filter(({ ended }) => ended)

  if (checkpoint !== undefined) return { checkpoint, runs, stale: { rows: [], records: [] } }
  const before = [paths.checkpoint, paths.keys, ...(paths.isFolder ? [] : [paths.manifest])]
  if (begin !== 'restart') {
    if (!adds && runs.length > 0) {
      throw new CannotRun('kept', paths.manifest, 'is of an export that would be replaced')
    }
    return { runs, stale: { rows: [], records: before } }
  }
  const kept = adds ? runs : []
  const rows = paths.isFolder ? await otherFiles(files, paths, entries, kept) : []
  const records = kept.length === 0 ? [...before, paths.manifest] : before
  return { runs: kept, stale: { rows, records } }
}

/**
 * Without the run whose checkpoint stands, by when it was `started`: it can have the last entry only, since others may
 * have begun at the same ms.
 */
export const runsBefore = (
  started: string | undefined,
  entries: Manifest['runs'],
): Manifest['runs'] => (entries.at(-1)?.started === started ? entries.slice(0, -1) : entries)

/** Of the runs in a folder, also of those that did not come to their end. */
const entriesOf = async <Q>({
  files,
  paths,
  begin,
  adds,
}: FindOptions<Q>): Promise<Manifest['runs']> => {
  const text = await readText(files, paths.manifest)
  if (text === undefined) return []
  try {
    return readManifest(paths.manifest)(text).runs
  } catch (error) {
    if (begin === 'restart' && !adds) return [] // it is replaced, whatever it says
    throw error
  }
}

/** Files of all runs of a folder but those that are kept, whether its manifest knows them or not. */
const otherFiles = async (
  files: SmallFiles,
  { manifest }: Paths,
  entries: Manifest['runs'],
  kept: Manifest['runs'],
): Promise<ReadonlyArray<string>> => {
  const folder = dirname(manifest)
  const namesOf = (runs: Manifest['runs']): ReadonlyArray<string> =>
    runs.flatMap(filesOf).map(({ path }) => resolve(folder, path))
  const there = (await files.readdir(folder)).filter(isOfRun).map((name) => resolve(folder, name))
  const staying = new Set(namesOf(kept))
  return [...new Set([...namesOf(entries), ...there])].filter((path) => !staying.has(path))
}

/** Undefined where there is none to go on with. */
const checkpointOf = async <Q>({
  files,
  paths,
  purpose,
  position: codec,
  begin,
  maxRejects,
}: FindOptions<Q>): Promise<Checkpoint<Q> | undefined> => {
  if (begin === 'restart') return undefined
  const text = await readText(files, paths.checkpoint)
  if (text === undefined) return undefined
  if (begin === 'new') {
    throw new CannotRun('begun', paths.checkpoint, 'is of an export that was not finished')
  }
  const checkpoint = readCheckpoint(codec)(paths.checkpoint)(text)
  samePurpose(paths.checkpoint, purpose)(checkpoint.purpose)
  const { position, counts } = checkpoint
  if (position !== undefined && counts.rejects > maxRejects) {
    const why = `has more rejected rows (${counts.rejects}) than there may be (${maxRejects})`
    throw new CannotRun('rejects', paths.checkpoint, why, 'counts.rejects')
  }
  return checkpoint
}
