/** How far a transfer is: all that it takes to go on after a crash, kept at its destination with the lease. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { type DriftFact, factName } from '../../decode/drift.js'
import { driftKinds } from '../../decode/watcher.js'
import { decodedAs } from '../../store/readRecord.js'
import type { Progress } from '../source/exportList.js'
import { KeptPosition } from '../source/SourcePage.js'
import { ExportSpec } from './ExportSpec.js'
import { ReasonCount, Total } from './Totals.js'

// what a run has counted

export const TimeBounds = t.readonly(
  t.type({
    /** The earliest time of creation, in ms since 1970, inclusive. 0: whatever is oldest. */
    from: t.number,
    /** The end of the times of creation, in ms since 1970, exclusive. */
    to: t.number,
  }),
)

/** From when to when rows were created. */
export interface TimeBounds extends t.TypeOf<typeof TimeBounds> {}

/** Data that no codec names. */
export const KeptDriftFact: Codec<DriftFact> = t.readonly(
  t.type({
    endpoint: t.string,
    path: t.string,
    kind: t.keyof(driftKinds),
    example: t.string,
    count: t.number,
  }),
)

/** Adds up the facts of two runs. */
export const addFacts = (
  before: ReadonlyArray<DriftFact>,
  now: ReadonlyArray<DriftFact>,
): ReadonlyArray<DriftFact> => {
  const all = new Map<string, DriftFact>()
  for (const fact of [...before, ...now]) {
    const name = factName(fact)
    const known = all.get(name)
    all.set(name, known === undefined ? fact : { ...known, count: known.count + fact.count })
  }
  return [...all.values()]
}

export const SliceCount = t.readonly(
  t.type({
    /** In ms since 1970: from `from` on, up to and without `to`. */
    from: t.number,
    to: t.number,
    rows: t.number,
  }),
)

const Counts = t.readonly(
  t.type({
    /** Rows written, all of them different. */
    rows: t.number,
    rejects: t.number,
    /** Rows that had come before, and were left out. */
    repeated: t.number,
    pages: t.number,
    /** Requests that were answered, logins among them. */
    requests: t.number,
    /** Requests that were refused for the limits. */
    refused: t.number,
    /** Time spent, in ms. */
    ms: t.number,
    /** How often it was begun or resumed. */
    starts: t.number,
    /** Slices of time that were read to their end. */
    slices: t.readonlyArray(SliceCount),
  }),
)

/** Counters of a run, over all its resumptions. */
export interface Counts extends t.TypeOf<typeof Counts> {}

/** Counts of rows, and of the pages they came in. */
export type RowCounts = Pick<Counts, 'rows' | 'rejects' | 'pages' | 'repeated'>

/** Counts of a run that was never begun. */
export const NOTHING: Counts = {
  rows: 0,
  rejects: 0,
  repeated: 0,
  pages: 0,
  requests: 0,
  refused: 0,
  ms: 0,
  starts: 0,
  slices: [],
}

/** Adds the progress of this start to the counts of earlier ones. */
export const plus = (
  before: RowCounts,
  { rows, rejects, pages, repeated = 0 }: Progress,
): RowCounts => ({
  rows: before.rows + rows,
  rejects: before.rejects + rejects,
  pages: before.pages + pages,
  repeated: before.repeated + repeated,
})

// the state

const run = t.intersection([
  t.type({
    /** When the first start of it began, as ISO 8601. */
    started: t.string,
    counts: Counts,
    drift: t.readonlyArray(KeptDriftFact),
  }),
  t.partial({
    /** The rest to read; absent when there is none. */
    position: KeptPosition,
    /** It was at its end, and reads the rows that it rejected again: its position is among these. */
    again: t.literal(true),
    /** Which rows it reads, of a list by time. */
    bounds: TimeBounds,
    /** When the newest row was created that a sync has read, in ms since 1970. */
    newest: t.number,
    /** How much of its time range was read: 0 to 1. */
    share: t.number,
    totals: t.readonlyArray(Total),
    reasons: t.readonlyArray(ReasonCount),
    /** How many keys are kept, where one can come in two pages. */
    keys: t.number,
  }),
])

/** A run that has not come to its end. */
export interface RunState extends t.TypeOf<typeof run> {}

const rejectedRow = t.readonly(
  t.type({
    id: t.string,
    /** In whole seconds since 1970. */
    created: t.number,
    status: t.string,
  }),
)

/** A row that could not be written, as far as it takes to read it again and to count it. */
export interface RejectedRow extends t.TypeOf<typeof rejectedRow> {}

const upkeep = t.intersection([
  t.type({
    /** Rows that came and could not be written: they are read again, and counted. */
    rejected: t.readonlyArray(rejectedRow),
  }),
  t.partial({
    /** All rows created from then on, in ms since 1970 ... */
    since: t.number,
    /** ... up to then are there; both are absent until a run has come to its end. */
    upTo: t.number,
    /**
     * The time that the next run reads on from, in whole seconds: no later than this machine's clock and the newest row, as
     * the clock of the service may be ahead for a night. Absent in earlier states: `upTo`.
     */
    believed: t.number,
    /** The rows of an export are being taken over. */
    adopting: t.literal(true),
    /** Files that were taken over, until they are gone. */
    adopted: t.readonlyArray(t.string),
    /** How deep the service pages, as proofs have learned; `learned`: when, in seconds since 1970. */
    depth: t.readonly(
      t.intersection([
        t.type({ answered: t.number }),
        t.partial({ refused: t.number, learned: t.number }),
      ]),
    ),
    /** When the last proof ended, in whole seconds since 1970. */
    proved: t.number,
    /** How far the present round of sweeps is, in seconds since 1970. */
    sweep: t.readonly(
      t.intersection([
        t.type({ began: t.number }),
        t.partial({ swept: t.number, before: t.number }),
      ]),
    ),
  }),
])

/** State that a sync keeps from run to run. */
export interface Upkeep extends t.TypeOf<typeof upkeep> {}

const state = t.intersection([
  t.type({
    /** The list, and how it is written. */
    spec: ExportSpec,
  }),
  t.partial({
    run,
    /** Present for a sync. */
    sync: upkeep,
    /** State of the destination. */
    own: t.unknown,
  }),
])

/** How far a transfer is. */
export interface TransferState extends t.TypeOf<typeof state> {}

/** A sync that was never begun. */
export const NO_UPKEEP: Upkeep = { rejected: [] }

/** Reads the state of the lease at `path`; throws `Damaged`. */
export const readTransferState = (path: string, u: unknown): TransferState =>
  decodedAs(state, u, path, `${path} is no checkpoint`)
