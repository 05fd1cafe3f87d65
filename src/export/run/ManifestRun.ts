/** One run of an export, as its manifest has it. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { Bounds } from './Bounds.js'
import { SliceCount } from './Counts.js'
import { KeptFact } from './KeptFact.js'
import { Purpose } from './Purpose.js'

// model

const ManifestFile = t.readonly(
  t.intersection([
    t.type({
      /** The path, seen from the folder of the manifest. */
      path: t.string,
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
    /** Whether every row that was asked for is in the files. */
    complete: t.boolean,
    /** What is not in them, in words; empty when it is complete. */
    missing: t.readonlyArray(t.string),
    /** Whether the list was read to its end. */
    ended: t.boolean,
    /** What was exported, and how it was written. */
    purpose: Purpose,
    /** When it was begun, as ISO 8601. A run that is resumed keeps this time. */
    started: t.string,
    /** When it ended, as ISO 8601. */
    finished: t.string,
    /** How long it ran, in ms, without the time between a stop and a resumption. */
    ms: t.number,
    /** How often it was begun or resumed. */
    starts: t.number,
    /** Rows that were written. */
    rows: t.number,
    /** Rows that were put aside. */
    rejects: t.number,
    /** Rows that came again, and were left out. */
    repeated: t.number,
    /** Requests that were answered, also those that were refused, and logins. */
    requests: t.number,
    /** Requests that were refused for the limits (429). */
    refused: t.number,
    /** Slices of time that were read to their end; `rows` counts those that were put aside, too. */
    slices: t.readonlyArray(SliceCount),
    /** What came that no codec names. */
    drift: t.readonlyArray(KeptFact),
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

export const ManifestRun: Codec<ManifestRun> = run

// combinators

/** All files of a run, those of rejected rows among them. */
export const filesOf = ({ files, rejected }: ManifestRun): ReadonlyArray<ManifestFile> =>
  rejected === undefined ? files : [...files, rejected]
