/** The manifest of an export: what each run wrote, and what is missing. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { defined } from '../../fp.js'
import { hasSum, readRecord, showSummed } from '../../store/readRecord.js'
import type { Millis } from '../../stream/index.js'
import type { Progress } from '../exportList.js'
import { refined } from '../SourcePage.js'
import { Bounds, type Checkpoint, KeptDriftFact, type Marks, SliceCount } from './Checkpoint.js'
import { ExportSpec } from './ExportSpec.js'
import { seenFrom } from './paths.js'
import type { Target } from './Target.js'
import { ReasonCount, Total } from './Totals.js'

// model

/** A name, and no path: nothing outside the folder of a manifest is read, or removed, on its word. */
const FileName: Codec<string> = refined(
  'the name of a file in the folder of the manifest',
  (u): u is string => typeof u === 'string' && /^[^/\\\0]+$/.test(u) && u !== '.' && u !== '..',
)

const ManifestFile = t.readonly(
  t.intersection([
    t.type({
      /** Its name, in the folder of the manifest. */
      path: FileName,
      /** Rows in the file. */
      rows: t.number,
      /** Bytes of the file, as they are there: compressed, if it is. */
      bytes: t.number,
    }),
    t.partial({
      /** SHA-256 of the whole file, in hex; left out while it is not complete. */
      sha256: t.string,
    }),
  ]),
)

/** One file of an export. */
export interface ManifestFile extends t.TypeOf<typeof ManifestFile> {}

const run = t.intersection([
  t.type({
    /** True if every row that was asked for is in the files. */
    complete: t.boolean,
    /** Missing parts, in words; empty when it is complete. */
    missing: t.readonlyArray(t.string),
    /** True if the list was read to its end. */
    ended: t.boolean,
    /** The list that was exported, and how it was written. */
    purpose: ExportSpec,
    /** When it was begun, as ISO 8601. A run that is resumed keeps this time. Of a sync: when it ended. */
    started: t.string,
    /** When it ended, as ISO 8601. */
    finished: t.string,
    /** Rows that were written. */
    rows: t.number,
    /** Rows that were rejected. */
    rejects: t.number,
    /** Slices of time that were read to their end; `rows` counts rejected rows, too. */
    slices: t.readonlyArray(SliceCount),
    /** Data that no codec names. */
    drift: t.readonlyArray(KeptDriftFact),
    /** The files that the rows are in. */
    files: t.readonlyArray(ManifestFile),
  }),
  t.partial({
    /** How long it ran, in ms, without the time between a stop and a resumption; not of a sync. */
    ms: t.number,
    /** How often it was begun or resumed; not of a sync. */
    starts: t.number,
    /** Rows that came again, and were left out; not of a sync. */
    repeated: t.number,
    /** Requests that were answered, also those that were refused, and logins; not of a sync. */
    requests: t.number,
    /** Requests that were refused for the limits (429); not of a sync. */
    refused: t.number,
    /** From when to when its rows were created; of a snapshot. */
    bounds: Bounds,
    /** Rows and exact sums of amounts by status and currency, where rows have them; not of a sync. */
    totals: t.readonlyArray(Total),
    /** Why rows were rejected, and how many for each reason; not of a sync. */
    reasons: t.readonlyArray(ReasonCount),
    /** Different ids, of a plain list; those of a snapshot are not counted. */
    distinct: t.number,
    /** The file of the rejected rows. */
    rejected: ManifestFile,
    /** Requests a second, as a share of those that the limits allow: 0 to 1. */
    quota: t.number,
  }),
])

/** One run of an export, with all its resumptions. */
export interface ManifestRun extends t.TypeOf<typeof run> {}

export const ManifestRun: Codec<ManifestRun> = run

/** All files of a run, that of rejected rows among them. */
export const filesOf = ({ files, rejected }: ManifestRun): ReadonlyArray<ManifestFile> =>
  rejected === undefined ? files : [...files, rejected]

/** Version of the layout. */
const VERSION = 2

const manifest = t.type({
  /** The version of this layout. */
  version: t.literal(VERSION),
  /** The field that identifies a row: of several with the same, the one of the last run is current. */
  key: t.literal('id'),
  /** The runs, in the order in which they were made. */
  runs: t.readonlyArray(ManifestRun),
})

/** The files of an export, and what is missing in them: kept beside them, checked by `verify`. */
export interface Manifest extends t.TypeOf<typeof manifest> {}

/** Makes the manifest of these runs, in the order in which they were made. */
export const manifestOf = (runs: ReadonlyArray<ManifestRun>): Manifest => ({
  version: VERSION,
  key: 'id',
  runs,
})

/** Reads the text of the manifest at `path`; throws `Damaged` or `NewerVersion` for what is no manifest of this version. */
export const readManifest: (path: string) => (text: string) => Manifest = readRecord({
  name: 'manifest',
  version: VERSION,
  codec: manifest,
  isIntact: hasSum,
})

/** As `readManifest` reads it, indented for people. */
export const showManifest = ({ version, key, runs }: Manifest): string =>
  showSummed({ version, key, runs }, 2)

/** Returns the last run that was read to its end, rejected rows or not. */
export const lastEnded = ({ runs }: Manifest): ManifestRun | undefined =>
  runs.findLast(({ ended }) => ended)

// the entry of a run

/** The files of a run, each by the path that it was given. */
export interface Listed extends Pick<ManifestRun, 'files' | 'rejected'> {}

/** All that is known when a run ends. */
export interface Ending extends Listed {
  /** The last durable state. */
  readonly committed: Checkpoint
  readonly progress: Progress
  readonly finished: Millis
  /** The manifest's own path. */
  readonly manifest: string
  /** Requests a second that the limits allow; `Infinity` without limits. */
  readonly perSecond: number
  /** The error that ended it, where that was no failure of the service. */
  readonly error?: string
}

/** Returns the entry of a run in the manifest. */
export const manifestRun = (ending: Ending): ManifestRun => {
  const { committed, progress, manifest, perSecond, rejected } = ending
  const { purpose, started, bounds, drift, counts, keys, totals = [], reasons = [] } = committed
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
    ...(perSecond === Number.POSITIVE_INFINITY || ms === 0
      ? {}
      : { quota: Math.min(1, (requests * 1_000) / (ms * perSecond)) }),
    ...defined({ bounds }),
    ...(totals.length === 0 ? {} : { totals }),
    ...(reasons.length === 0 ? {} : { reasons }),
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
