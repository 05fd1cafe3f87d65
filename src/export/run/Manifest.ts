import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import type { DriftFact } from '../../decode/index.js'
import { SliceCount } from './Counts.js'
import { Purpose } from './Purpose.js'
import { readKept } from './readKept.js'

// model

const VERSION = 1

const ManifestFile = t.readonly(
  t.intersection([
    t.type({
      /** Seen from the folder of the manifest. */
      path: t.string,
      /** How many it has. */
      rows: t.number,
      /** As they are in the file, compressed or not. */
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

export const Drift: Codec<DriftFact> = t.readonly(
  t.type({
    endpoint: t.string,
    path: t.string,
    kind: t.keyof({
      'unknown field': null,
      'unknown value': null,
      'optional field': null,
      'second shape': null,
      'other paging': null,
    }),
    example: t.string,
    count: t.number,
  }),
)

export const Bounds = t.readonly(
  t.type({
    /** In ms since 1970: from `from` on, up to and without `to`. `from` 0: whatever is oldest. */
    from: t.number,
    /** In ms since 1970, exclusive. */
    to: t.number,
  }),
)

/** From when to when rows were created. */
export interface Bounds extends t.TypeOf<typeof Bounds> {}

const run = t.intersection([
  t.type({
    /** Whether every row that was asked for is in the files. */
    complete: t.boolean,
    /** What is not in them, in words; empty when it is complete. */
    missing: t.readonlyArray(t.string),
    /** Whether the list was read to its end. */
    ended: t.boolean,
    /** What it is of. */
    purpose: Purpose,
    /** ISO 8601. A run that is resumed keeps the time at which it was begun. */
    started: t.string,
    /** ISO 8601. */
    finished: t.string,
    /** How long it ran, in ms, without the time between a stop and a resumption. */
    ms: t.number,
    /** How often it was begun or resumed. */
    starts: t.number,
    /** Written. */
    rows: t.number,
    /** Rows that were put aside. */
    rejects: t.number,
    /** Rows that came again, and were left out. */
    repeated: t.number,
    /** Requests that were answered, also those that were refused, and logins. */
    requests: t.number,
    /** Those that were refused for the limits (429). */
    refused: t.number,
    /** Slices of time that were read to their end; `rows` counts those that were put aside, too. */
    slices: t.readonlyArray(SliceCount),
    /** What came that no codec names. */
    drift: t.readonlyArray(Drift),
    /** The files that the rows are in. */
    files: t.readonlyArray(ManifestFile),
  }),
  t.partial({
    /** From when to when its rows were created; of a snapshot. */
    bounds: Bounds,
    /** Ids that are different: of a list, whose rows may come again. Those of a snapshot are not counted. */
    distinct: t.number,
    /** The file of the rows that were put aside. */
    rejected: ManifestFile,
    /** Requests a second, as a share of those that the limits allow: 0 to 1. */
    quota: t.number,
  }),
])

/** One run of an export, with all its resumptions. */
export interface ManifestRun extends t.TypeOf<typeof run> {}

const ManifestRun: Codec<ManifestRun> = run

const manifest = t.type({
  /** Of this layout. */
  version: t.literal(VERSION),
  /** What tells rows apart: of several with the same, the one of the last run is how it stands now. */
  key: t.literal('id'),
  /** In the order in which they were made. */
  runs: t.readonlyArray(ManifestRun),
})

/** What an export has in its files, and what is missing: kept beside them, checked by `verify`. */
export interface Manifest extends t.TypeOf<typeof manifest> {}

// constructors

export const manifestOf = (runs: ReadonlyArray<ManifestRun>): Manifest => ({
  version: VERSION,
  key: 'id',
  runs,
})

/** Reads what was kept at `path`; throws a `CannotRun` for what is no manifest of this version. */
export const readManifest: (path: string) => (text: string) => Manifest = readKept({
  name: 'manifest',
  version: VERSION,
  codec: manifest,
})

/** For people, too. */
export const showManifest = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`

// combinators

export const withRun =
  (run: ManifestRun) =>
  ({ runs, ...rest }: Manifest): Manifest => ({ ...rest, runs: [...runs, run] })

/** All files of a run, those of rejected rows among them. */
export const filesOf = ({ files, rejected }: ManifestRun): ReadonlyArray<ManifestFile> =>
  rejected === undefined ? files : [...files, rejected]

/** The last run that is complete. */
export const lastComplete = ({ runs }: Manifest): ManifestRun | undefined =>
  runs.findLast(({ complete }) => complete)
