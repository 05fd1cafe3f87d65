/** The plan of an export in slices: plain JSON, kept where the state of the folder would be. */
import * as t from 'io-ts'
import { asyncScheduler, type SchedulerLike } from 'rxjs'
import type { Codec } from '../../codec/Codec.js'
import type { OptionRule } from '../../options/index.js'
import { type Lease, takeLease, waitWords } from '../../store/lease.js'
import { decodedAs, sha256 } from '../../store/readRecord.js'
import { type Waits, watchedStore } from '../../store/Waits.js'
import type { Millis } from '../../stream/index.js'
import { exportError } from '../ExportError.js'
import type { OpenedFiles } from '../file/openFileDestination.js'
import { isRowsName } from '../file/paths.js'
import { refined } from '../source/SourcePage.js'
import { isFolder } from '../storage/openFiles.js'
import { ExportSpec } from '../transfer/ExportSpec.js'
import { existing } from '../transfer/TransferSession.js'

// model

const FileOfRows: Codec<string> = refined(
  'the name of a file of rows',
  (u): u is string => typeof u === 'string' && isRowsName(u),
)

const plannedSlice = t.readonly(
  t.type({
    /** The id of its plan. */
    plan: t.string,
    /** From 1 on, in the order of their times. */
    number: t.number,
    /** How many slices the plan has. */
    of: t.number,
    /** The start of its times of creation, in ms since 1970, inclusive. */
    from: t.number,
    /** Their end, exclusive. */
    to: t.number,
    /** About how many rows it has. */
    rows: t.number,
    /** Its file, in the folder of the plan. */
    file: FileOfRows,
    /** The parameters of its list, as its manifest has them. */
    query: t.readonly(t.record(t.string, t.string)),
  }),
)

/** One slice of a plan: the payload of a job. */
export interface PlannedSlice extends t.TypeOf<typeof plannedSlice> {}

export const PlannedSlice: Codec<PlannedSlice> = plannedSlice

const slicePlan = t.readonly(
  t.type({
    /** SHA-256 of all below, in hex. */
    id: t.string,
    /** The list that is exported, and how it is written. */
    spec: ExportSpec,
    /** The filter of the list. */
    query: t.readonly(t.UnknownRecord),
    /** How rows are written, as options of `exportTo`. */
    format: t.readonly(t.UnknownRecord),
    /**
     * Rows that its slices must have together, at least: as counted when it was made. 0 where pages of several lengths
     * allowed only an estimate, or where rows leave the list as their status changes.
     */
    atLeast: t.number,
    /** In the order of their times. */
    slices: t.readonlyArray(plannedSlice),
  }),
)

/** An export cut into slices, whose bounds do not change any more. Holds no secret. */
export interface SlicePlan extends t.TypeOf<typeof slicePlan> {}

const SlicePlan: Codec<SlicePlan> = slicePlan

// constructors

/** Makes a plan of slices that do not know its id yet. */
export const planOf = (
  parts: Omit<SlicePlan, 'id' | 'slices'>,
  slices: ReadonlyArray<Omit<PlannedSlice, 'plan'>>,
): SlicePlan => {
  const id = idOf(parts, slices)
  return { id, ...parts, slices: slices.map((slice) => ({ plan: id, ...slice })) }
}

const idOf = (
  { spec, query, format, atLeast }: Omit<SlicePlan, 'id' | 'slices'>,
  slices: ReadonlyArray<Omit<PlannedSlice, 'plan'>>,
): string => {
  const own = slices.map((slice) => [
    ...[slice.number, slice.of, slice.from, slice.to, slice.rows],
    ...[slice.file, slice.query],
  ])
  return sha256(JSON.stringify([spec, query, format, atLeast, own]))
}

/** Returns a plan as it came, from a queue perhaps. Throws `Damaged` for what is none, or was changed. */
export const checkedPlan = (path: string, u: unknown): SlicePlan => {
  const plan = decodedAs(SlicePlan, u, path, `the plan for ${path} is none`)
  if (plan.id === idOf(plan, plan.slices)) return plan
  const why = 'was changed since it was made'
  throw exportError('Damaged', `the plan for ${path} ${why}`, { path, field: 'id' })
}

/** Reads the plan that a folder keeps; throws `CheckpointExists` where that is the state of an export without slices. */
export const planIn = (path: string, state: unknown): SlicePlan => {
  if (!t.type({ slices: t.unknown, id: t.string }).is(state)) throw existing(path)
  return checkedPlan(path, state)
}

/** Returns the spec of the export that a slice is. */
export const specOfSlice = ({ spec }: SlicePlan, { file, query }: PlannedSlice): ExportSpec => ({
  ...spec,
  query,
  destination: file,
})

/** Accepts the folder of a plan. */
export const outRule: OptionRule<string> = {
  accepts: (u) => typeof u === 'string' && isFolder(u),
  expected: 'a folder or an s3:// URL, which ends with a slash',
}

// its folder, while one process changes the plan or assembles it

export interface PlanLease extends OpenedFiles {
  readonly lease: Lease
}

/** Takes the lease; rejects with `Locked` when another process has it. */
export const takePlan = async (
  opened: OpenedFiles,
  options: {
    readonly timer?: SchedulerLike | undefined
    readonly lease?: Millis | undefined
    readonly restart?: boolean
    readonly waits: Waits
  },
): Promise<PlanLease> => {
  const { timer = asyncScheduler, lease: length, restart = false, waits } = options
  const { store } = opened.stateText
  const lease = await takeLease({
    ...{ ...opened.stateText, timer, length, restart },
    store: watchedStore(store, waits),
    onWait: (wait) => waits.announce(waitWords(wait)),
  })
  return { ...opened, lease }
}
