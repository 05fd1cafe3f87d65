/** The entry of a run in its manifest: pure, from what was counted. */
import { defined } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import type { Progress } from '../Progress.js'
import type { Checkpoint } from './Checkpoint.js'
import type { ManifestFile, ManifestRun } from './ManifestRun.js'
import type { Marks } from './Marks.js'
import { seenFrom } from './Paths.js'
import type { Target } from './Target.js'

// model

/** The files of a run, each by the path that it was given. */
export interface Listed extends Pick<ManifestRun, 'files' | 'rejected'> {}

/** All that is known when a run ends. */
export interface Ending extends Listed {
  /** What was durable last. */
  readonly committed: Omit<Checkpoint<unknown>, 'version'>
  readonly progress: Progress
  readonly finished: Millis
  /** The manifest's own path. */
  readonly manifest: string
  /** Requests a second that the limits allow. */
  readonly perSecond: number | undefined
  /** What ended it, where that was no failure of the service. */
  readonly error?: string
}

// constructors

/** What the manifest says of a run. */
export const entryOf = (ending: Ending): ManifestRun => {
  const { committed, progress, manifest, perSecond, rejected } = ending
  const { purpose, started, bounds, drift, counts, keys } = committed
  const { rows, rejects, repeated, requests, refused, ms, starts, slices } = counts
  const missing = missingOf(ending)
  const listed = ({ path, ...rest }: ManifestFile): ManifestFile => ({
    path: seenFrom(manifest, path),
    ...rest,
  })
  return {
    complete: missing.length === 0,
    missing,
    ended: progress.ended,
    purpose,
    started,
    finished: iso(ending.finished),
    ms,
    starts,
    rows,
    ...(keys === undefined ? {} : { distinct: keys.rows }),
    rejects,
    repeated,
    requests,
    refused,
    ...(perSecond === undefined || ms === 0
      ? {}
      : { quota: Math.min(1, (requests * 1_000) / (ms * perSecond)) }),
    ...defined({ bounds }),
    slices,
    drift,
    files: ending.files.map(listed),
    ...(rejected === undefined ? {} : { rejected: listed(rejected) }),
  }
}

/** The files of a run that is not complete, as they were durable last. */
export const unfinished =
  (target: Pick<Target<never>, 'fileOf' | 'paths'>, run: number) =>
  ({ output, rejects }: Marks): Listed => ({
    files: output.parts.map((part) => {
      const { rows, bytes, sha256, ended } = part
      return { path: target.fileOf(part, run), rows, bytes, ...(ended ? { sha256 } : {}) }
    }),
    ...(rejects && {
      rejected: { path: target.paths.rejects(run), rows: rejects.rows, bytes: rejects.bytes },
    }),
  })

/** ISO 8601. */
export const iso = (ms: Millis): string => new Date(ms).toISOString()

/** In words. */
const missingOf = ({ progress, committed, error }: Ending): ReadonlyArray<string> => {
  const { rejects } = committed.counts
  return [
    ...(rejects === 0
      ? []
      : [`${rejects} ${rejects === 1 ? 'row that was' : 'rows that were'} rejected`]),
    ...(progress.ended ? [] : [`what comes after these rows: ${why(progress, error)}`]),
  ]
}

/** Why it was not read to its end. */
const why = ({ failure, cut }: Progress, error: string | undefined): string => {
  if (failure !== undefined) return failure.message
  if (cut === 'rejects') return 'too many rows were rejected'
  return error ?? 'it was stopped'
}
