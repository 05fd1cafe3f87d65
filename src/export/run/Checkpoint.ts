/** How far an export is, as kept in a file: all that it takes to resume after a crash. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { type DriftFact, factName } from '../../decode/drift.js'
import { causes } from '../../decode/index.js'
import { driftKinds } from '../../decode/watcher.js'
import { E } from '../../fp.js'
import { exportError } from '../ExportError.js'
import type { Progress } from '../exportList.js'
import type { Mark } from '../file/integrity.js'
import { isMark } from '../file/integrity.js'
import { type DestinationMark, isDestinationMark } from '../file/parts.js'
import { type AnyPosition, KeptPosition, refined } from '../SourcePage.js'
import { ExportSpec } from './ExportSpec.js'
import { ReasonCount, Total } from './Totals.js'

// what a run has counted

export const Bounds = t.readonly(
  t.type({
    /** The earliest time of creation, in ms since 1970, inclusive. 0: whatever is oldest. */
    from: t.number,
    /** The end of the times of creation, in ms since 1970, exclusive. */
    to: t.number,
  }),
)

/** From when to when rows were created. */
export interface Bounds extends t.TypeOf<typeof Bounds> {}

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

/** The effort for the rows: requests and time. */
export type Effort = Pick<Counts, 'requests' | 'refused' | 'ms' | 'starts'>

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

// the checkpoint

const OutputMark: Codec<DestinationMark> = refined('a mark of the output', isDestinationMark)

const FileMark: Codec<Mark> = refined('a mark of a file', isMark)

const common = t.intersection([
  t.type({
    /** The list that is exported, and how it is written. */
    purpose: ExportSpec,
    /** When the first start of it began, as ISO 8601. */
    started: t.string,
    counts: Counts,
    output: OutputMark,
    drift: t.readonlyArray(KeptDriftFact),
  }),
  t.partial({
    rejects: FileMark,
    /** Mark of the keys of the rows, where one can come in two pages. */
    keys: FileMark,
    bounds: Bounds,
    /** How much of its time range was read: 0 to 1. */
    share: t.number,
    totals: t.readonlyArray(Total),
    reasons: t.readonlyArray(ReasonCount),
  }),
])

/** The state that a run is resumed from. */
export interface Checkpoint extends t.TypeOf<typeof common> {
  /** The rest to read; absent when there is none. */
  readonly position?: AnyPosition
}

/** Up to where all files of a run are durable. */
export interface Marks extends Pick<Checkpoint, 'output' | 'rejects' | 'keys'> {}

/** Up to where its files are durable. Once all was read, keys are not needed, and may be gone. */
export const marksOf = (checkpoint: Checkpoint | undefined): Marks | undefined => {
  if (checkpoint === undefined || checkpoint.position !== undefined) return checkpoint
  const { keys: _, ...marks } = checkpoint
  return marks
}

const checkpoint = t.intersection([common, t.partial({ position: KeptPosition })])

/** Reads a checkpoint from the state of the lease at `path`; throws `Damaged`. */
export const readCheckpoint =
  (path: string) =>
  (state: unknown): Checkpoint => {
    const read = checkpoint.decode(state)
    if (E.isRight(read)) return read.right
    const [{ path: field, expected, actual }] = causes(read.left)
    const why = `${field || 'it'} should be ${expected}, and is ${actual}`
    throw exportError('Damaged', `${path} is no checkpoint: ${why}`, { path, field })
  }
