/** State of a transfer: everything needed to continue after a crash. It is stored at the destination, with the lease. */
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
    /** Earliest time of creation, in ms since 1970, inclusive. 0: no lower bound. */
    from: t.number,
    /** Latest time of creation, in ms since 1970, exclusive. */
    to: t.number,
  }),
)

/** Time range in which rows were created. */
export interface TimeBounds extends t.TypeOf<typeof TimeBounds> {}

/** Drift: fields and values that no codec describes. */
export const KeptDriftFact: Codec<DriftFact> = t.readonly(
  t.type({
    endpoint: t.string,
    path: t.string,
    kind: t.keyof(driftKinds),
    example: t.string,
    count: t.number,
  }),
)

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
    /** In ms since 1970: `from` inclusive, `to` exclusive. */
    from: t.number,
    to: t.number,
    rows: t.number,
  }),
)

const Counts = t.readonly(
  t.type({
    /** Number of distinct rows written. */
    rows: t.number,
    rejects: t.number,
    /** Number of repeated rows that were left out. */
    repeated: t.number,
    pages: t.number,
    /** Number of requests that got a response, including logins. */
    requests: t.number,
    /** Number of requests refused by rate limits. */
    refused: t.number,
    /** Time spent, in ms. */
    ms: t.number,
    /** Number of starts and resumptions. */
    starts: t.number,
    /** Time slices that were read to their end. */
    slices: t.readonlyArray(SliceCount),
  }),
)

/** Counters of a run, including all resumptions. */
export interface Counts extends t.TypeOf<typeof Counts> {}

export type RowCounts = Pick<Counts, 'rows' | 'rejects' | 'pages' | 'repeated'>

/** Counts of a run that was never started. */
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

/** Adds the progress of this start to the counts of earlier starts. */
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
    /** Time of its first start, as ISO 8601. */
    started: t.string,
    counts: Counts,
    drift: t.readonlyArray(KeptDriftFact),
  }),
  t.partial({
    /** Position of the rest; absent if everything was read. */
    position: KeptPosition,
    /** Time range of its rows, for a list by time. */
    bounds: TimeBounds,
    /** Time of creation of the newest row read by a sync, in ms since 1970. */
    newest: t.number,
    /** Share of its time range that has been read, 0 to 1. */
    share: t.number,
    totals: t.readonlyArray(Total),
    reasons: t.readonlyArray(ReasonCount),
    /** Number of saved keys, if a row can occur on two pages. */
    keys: t.number,
  }),
])

/** An unfinished run. */
export interface RunState extends t.TypeOf<typeof run> {}

const rejectedRow = t.readonly(
  t.type({
    id: t.string,
    /** Time of creation, in whole seconds since 1970. */
    created: t.number,
    status: t.string,
  }),
)

/** A row that could not be written: the fields needed to read it again and to count it. */
export interface RejectedRow extends t.TypeOf<typeof rejectedRow> {}

const upkeep = t.intersection([
  t.type({
    /** Rows that could not be written. They are read again, and counted. */
    rejected: t.readonlyArray(rejectedRow),
  }),
  t.partial({
    /** Start of the time range in which all rows are present, in ms since 1970. */
    since: t.number,
    /** End of that time range. Both are absent until a run has finished. */
    upTo: t.number,
    /**
     * Time from which the next run continues, in whole seconds. It is no later than this machine's clock and the newest row,
     * because the clock of the service may be ahead for a night. Present together with `upTo`.
     */
    believed: t.number,
    /** Paging depth of the service, as observed by proofs. `learned`: when it was observed, in seconds since 1970. */
    depth: t.readonly(
      t.intersection([
        t.type({ answered: t.number }),
        t.partial({ refused: t.number, learned: t.number }),
      ]),
    ),
    /** When the last proof ended, in whole seconds since 1970. */
    proved: t.number,
    /** Ranges in which the last proof found differences, in whole seconds since 1970, with the number of nights in a row. */
    unproven: t.readonlyArray(
      t.readonly(
        t.intersection([
          t.type({ from: t.number, to: t.number, nights: t.number, counted: t.number }),
          t.partial({ status: t.string }),
        ]),
      ),
    ),
    /** Position of the current round of sweeps, in seconds since 1970. */
    sweep: t.readonly(
      t.intersection([
        t.type({ began: t.number }),
        t.partial({ swept: t.number, before: t.number }),
      ]),
    ),
  }),
])

/** State that a sync saves from run to run. */
export interface Upkeep extends t.TypeOf<typeof upkeep> {}

const state = t.intersection([
  t.type({
    spec: ExportSpec,
  }),
  t.partial({
    run,
    sync: upkeep,
    /** State of the destination. */
    own: t.unknown,
  }),
])

export interface TransferState extends t.TypeOf<typeof state> {}

/** State of a sync that was never started. */
export const NO_UPKEEP: Upkeep = { rejected: [] }

/** Reads the state of the lease at `path`. Throws `Damaged`. */
export const readTransferState = (path: string, u: unknown): TransferState =>
  decodedAs(state, u, path, `${path} is not a checkpoint`)
