/** The manifest of an export: what each run wrote, and what is missing. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { fieldsOf, parsed } from '../../decode/unknown.js'
import { withoutPrototype, withoutUndefined } from '../../fp.js'
import { hasSum, readRecord, showSummed } from '../../store/readRecord.js'
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import { refined } from '../source/SourcePage.js'
import { type ListedFiles, MANIFEST } from './Destination.js'
import { ExportSpec } from './ExportSpec.js'
import { ReasonCount, Total } from './Totals.js'
import { KeptDriftFact, type RunState, SliceCount, TimeBounds } from './TransferState.js'

// model

/** A name, and no path: nothing outside the folder of a manifest is read, or removed, on its word. */
const FileName: Codec<string> = refined(
  'the name of a file in the folder of the manifest',
  (u): u is string =>
    typeof u === 'string' && /^(?:_incoming\/)?[^/\\\0]+$/.test(u) && !/^(?:.*\/)?\.{1,2}$/.test(u),
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
      /** Where it stood before its end was written, of a single file with rejected rows: these may be added to it. */
      unclosed: t.readonly(t.type({ bytes: t.number, sha256: t.string })),
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
    spec: ExportSpec,
    /** When it was begun, as ISO 8601. A run that is resumed keeps this time. For a sync: when it ended. */
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
    bounds: TimeBounds,
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
const VERSION = 3

const manifestKinds = { export: null, sync: null }

/** An export lists its runs; a sync the files that have each row once. */
export type ManifestKind = keyof typeof manifestKinds

const manifest = t.type({
  /** The version of this layout. */
  version: t.literal(VERSION),
  /** `export`, or `sync`. */
  kind: t.keyof(manifestKinds),
  /** The field that identifies a row: of several with the same, the one of the last run is current. */
  key: t.literal('id'),
  /** The runs, in the order in which they were made. */
  runs: t.readonlyArray(ManifestRun),
})

/** The files of an export, and what is missing in them: kept beside them, checked by `verify`. */
export interface Manifest extends t.TypeOf<typeof manifest> {}

/** Makes the manifest of these runs, in the order in which they were made. */
export const manifestOf = (kind: ManifestKind, runs: ReadonlyArray<ManifestRun>): Manifest => ({
  version: VERSION,
  kind,
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

/** Reads a manifest of version 0.1, whose runs have the spec under other names. */
export const readOldManifest =
  (path: string) =>
  (text: string): Manifest => {
    const { sum: _, ...content } = fieldsOf(parsed(text))
    const { version, runs } = content
    if (version !== VERSION - 1 || !Array.isArray(runs) || !hasSum(fieldsOf(parsed(text)))) {
      return readManifest(path)(text)
    }
    const renamed = runs.map((run) => {
      const { purpose, ...rest } = fieldsOf(run)
      const { output: destination, ...spec } = fieldsOf(purpose)
      return { ...rest, spec: { ...spec, destination } }
    })
    return readManifest(path)(
      showSummed({ ...content, version: VERSION, kind: 'export', runs: renamed }),
    )
  }

/** As `readManifest` reads it, indented for people. */
const showManifest = ({ version, kind, key, runs }: Manifest): string =>
  showSummed({ version, kind, key, runs }, 2)

/** Returns the last run that was read to its end, rejected rows or not. */
export const lastEnded = ({ runs }: Manifest): ManifestRun | undefined =>
  runs.findLast(({ ended }) => ended)

/**
 * Leaves out the run whose state stands, by when it was `started`. Only the last entry can be that run: others may have
 * begun at the same ms.
 */
export const runsBefore = (
  started: string | undefined,
  entries: Manifest['runs'],
): Manifest['runs'] => (entries.at(-1)?.started === started ? entries.slice(0, -1) : entries)

/**
 * Replaces a manifest; without runs, removes it. `checkOwner` rejects once a later run has taken over: after the version was
 * read, so that one that is replaced is not that run's.
 */
export const replaceManifest = async (
  store: Store,
  kind: ManifestKind,
  runs: ReadonlyArray<ManifestRun>,
  checkOwner: () => Promise<void>,
): Promise<void> => {
  const text = runs.length === 0 ? undefined : showManifest(manifestOf(kind, runs))
  for (;;) {
    const version = (await store.read(MANIFEST))?.version
    await checkOwner()
    if (text !== undefined) {
      if ((await store.replace(MANIFEST, text, version)) !== undefined) return
    } else if (version === undefined || (await store.remove(MANIFEST, version))) return
  }
}

// the entry of a run

/** All that is known when a run ends. */
export interface RunEnding {
  readonly kind: ManifestKind
  readonly spec: ExportSpec
  readonly run: RunState
  readonly listed: ListedFiles
  /** Why it was not read to its end, in words; absent if it was. */
  readonly why?: string | undefined
  readonly finished: Millis
  /** Requests a second that the limits allow; `Infinity` without limits. */
  readonly perSecond: number
}

/** Returns the entry of a run in the manifest. */
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
  // a sync lists all rows that are there
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

/** In words. */
const missingOf = (rejects: number, why: string | undefined): ReadonlyArray<string> => [
  ...(rejects === 0
    ? []
    : [`${rejects} ${rejects === 1 ? 'row that was' : 'rows that were'} rejected`]),
  ...(why === undefined ? [] : [`what comes after these rows: ${why}`]),
]

/** ISO 8601. */
export const iso = (ms: Millis): string => new Date(ms).toISOString()
