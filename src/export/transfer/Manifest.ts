/** The manifest of an export: the files that it wrote, and what is missing. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { withoutPrototype, withoutUndefined } from '../../fp.js'
import { hasSum, readRecord, showSummed } from '../../store/readRecord.js'
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import { refined } from '../source/SourcePage.js'
import { type ListedFiles, MANIFEST } from './Destination.js'
import { ExportSpec } from './ExportSpec.js'
import { ReasonCount, Total } from './Totals.js'
import { KeptDriftFact, type RunState, SliceCount, TimeBounds } from './TransferState.js'

/** A name without a path. A manifest must not cause files outside its folder to be read or removed. */
const FileName: Codec<string> = refined(
  'the name of a file in the folder of the manifest',
  (u): u is string =>
    typeof u === 'string' && /^(?:_incoming\/)?[^/\\\0]+$/.test(u) && !/^(?:.*\/)?\.{1,2}$/.test(u),
)

const ManifestFile = t.readonly(
  t.intersection([
    t.type({
      /** Its name in the folder of the manifest. */
      path: FileName,
      /** Rows in the file. */
      rows: t.number,
      /** Size of the file, after any compression. */
      bytes: t.number,
    }),
    t.partial({
      /** SHA-256 of the whole file, in hex; absent while it is incomplete. */
      sha256: t.string,
    }),
  ]),
)

/** One file of an export. */
export interface ManifestFile extends t.TypeOf<typeof ManifestFile> {}

const run = t.intersection([
  t.type({
    /** True if the files contain every requested row. */
    complete: t.boolean,
    /** Descriptions of missing parts; empty when complete. */
    missing: t.readonlyArray(t.string),
    /** True if the list was read to its end. */
    ended: t.boolean,
    /** The exported list, and how it was written. */
    spec: ExportSpec,
    /** Start time, as ISO 8601; unchanged when resumed. For a sync: its end. */
    started: t.string,
    /** End time, as ISO 8601. */
    finished: t.string,
    /** Rows written. */
    rows: t.number,
    /** Rows rejected. */
    rejects: t.number,
    /** Time slices that were read to their end. Their `rows` include rejected rows. */
    slices: t.readonlyArray(SliceCount),
    /** Drift: fields and values that no codec describes. */
    drift: t.readonlyArray(KeptDriftFact),
    /** The files with the rows. */
    files: t.readonlyArray(ManifestFile),
  }),
  t.partial({
    /** Running time in ms, excluding pauses between resumptions; not for a sync. */
    ms: t.number,
    /** Number of starts and resumptions; not for a sync. */
    starts: t.number,
    /** Repeated rows that were left out; not for a sync. */
    repeated: t.number,
    /** Number of requests that got a response, including refused ones and logins; not for a sync. */
    requests: t.number,
    /** Requests refused by rate limits (429); not for a sync. */
    refused: t.number,
    /** Time range in which its rows were created; for a snapshot. */
    bounds: TimeBounds,
    /** Numbers of rows and exact sums of amounts, by status and currency if rows have them; not for a sync. */
    totals: t.readonlyArray(Total),
    /** Reasons for rejected rows, with the number of rows; not for a sync. */
    reasons: t.readonlyArray(ReasonCount),
    /** Number of distinct ids, for a plain list; not counted for a snapshot. */
    distinct: t.number,
    /** The file with the rejected rows. */
    rejected: ManifestFile,
    /** Request rate as a share of the rate limits: 0 to 1. */
    quota: t.number,
  }),
])

/** A run of an export, including all resumptions. */
export interface ManifestRun extends t.TypeOf<typeof run> {}

const ManifestRun: Codec<ManifestRun> = run

/** Returns all files of a run, including the one with rejected rows. */
export const filesOf = ({ files, rejected }: ManifestRun): ReadonlyArray<ManifestFile> =>
  rejected === undefined ? files : [...files, rejected]

const VERSION = 4

const manifestKinds = { export: null, sync: null }

/** `export` lists the files that were written; `sync` lists the files that contain each row once. */
export type ManifestKind = keyof typeof manifestKinds

const manifest = t.type({
  /** Version of the manifest's layout. */
  version: t.literal(VERSION),
  /** The kind of manifest: `export` or `sync`. */
  kind: t.keyof(manifestKinds),
  /** The field that identifies a row. */
  key: t.literal('id'),
  /** The run that wrote the files, including all resumptions. */
  run: ManifestRun,
})

/** The files of an export and what is missing from them. Stored next to the files, and checked by `verify`. */
export interface Manifest extends t.TypeOf<typeof manifest> {}

/** Parses the manifest at `path`. Throws `Damaged` or `NewerVersion` if it is not a manifest of this version. */
export const readManifest: (path: string) => (text: string) => Manifest = readRecord({
  name: 'manifest',
  version: VERSION,
  codec: manifest,
  isIntact: hasSum,
})

/**
 * Replaces a manifest, or removes it if there is no run. `checkOwner` rejects once a later run has taken over. It is called
 * after the version was read, so the later run's manifest is not replaced.
 */
export const replaceManifest = async (
  store: Store,
  kind: ManifestKind,
  run: ManifestRun | undefined,
  checkOwner: () => Promise<void>,
): Promise<void> => {
  const text = run && showSummed({ version: VERSION, kind, key: 'id', run }, 2) // indented for readability
  for (;;) {
    const version = (await store.read(MANIFEST))?.version
    await checkOwner()
    if (text !== undefined) {
      if ((await store.replace(MANIFEST, text, version)) !== undefined) return
    } else if (version === undefined || (await store.remove(MANIFEST, version))) return
  }
}

// the entry of a run

export interface RunEnding {
  readonly kind: ManifestKind
  readonly spec: ExportSpec
  readonly run: RunState
  readonly listed: ListedFiles
  /** Why the list was not read to its end; absent if it was. */
  readonly why?: string | undefined
  readonly finished: Millis
  /** Requests per second that the limits allow; `Infinity` without limits. */
  readonly perSecond: number
}

export const manifestRun = ({
  kind,
  spec,
  run,
  listed,
  why,
  finished,
  perSecond,
}: RunEnding): ManifestRun => {
  const { started, bounds, drift, counts, keys, totals = [], reasons = [] } = run
  const { rejects, repeated, requests, refused, ms, starts, slices } = counts
  // a sync lists all existing rows
  const listsAll = kind === 'sync' && listed.files.length > 0
  const rows = listsAll ? listed.files.reduce((sum, file) => sum + file.rows, 0) : counts.rows
  const { format = spec.format, ...files } = withoutPrototype(listed)
  const missing = missingOf(rejects, why)
  return {
    complete: missing.length === 0,
    missing,
    ended: why === undefined,
    spec: { ...spec, format },
    started,
    finished: iso(finished),
    ms,
    starts,
    rows,
    ...(keys === undefined ? {} : { distinct: keys }),
    rejects,
    repeated,
    requests,
    refused,
    ...(perSecond === Number.POSITIVE_INFINITY || ms === 0
      ? {}
      : { quota: Math.min(1, (requests * 1_000) / (ms * perSecond)) }),
    ...withoutUndefined({ bounds }),
    ...(totals.length === 0 ? {} : { totals }),
    ...(reasons.length === 0 ? {} : { reasons }),
    slices,
    drift,
    ...files,
  }
}

const missingOf = (rejects: number, why: string | undefined): ReadonlyArray<string> => [
  ...(rejects === 0
    ? []
    : [`${rejects} ${rejects === 1 ? 'row that was' : 'rows that were'} rejected`]),
  ...(why === undefined ? [] : [`all later rows: ${why}`]),
]

export const iso = (ms: Millis): string => new Date(ms).toISOString()
