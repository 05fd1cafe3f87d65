import { asyncScheduler, catchError, defer } from 'rxjs'
import { fromDate } from '../../codec/Instant.js'
import { plural } from '../../decode/plural.js'
import { E } from '../../fp.js'
import {
  checkOptions,
  is,
  type OptionsOf,
  type OptionsTable,
  required,
} from '../../options/index.js'
import { type OnWait, waitsInWords } from '../../store/Waits.js'
import type { ObservableEither, Span } from '../../stream/index.js'
import { type ExportError, expectedAsLeft, exportError, isExportError } from '../ExportError.js'
import { exportTable } from '../ExportOptions.js'
import { manifestIn } from '../file/manifestIn.js'
import { openNames } from '../file/openFileDestination.js'
import { namesOf, namesWithin } from '../file/paths.js'

import type { Files } from '../storage/Files.js'
import { bracket } from '../transfer/bracket.js'
import { checkSameSpec } from '../transfer/ExportSpec.js'
import {
  filesOf,
  lastEnded,
  type Manifest,
  type ManifestRun,
  manifestOf,
  replaceManifest,
} from '../transfer/Manifest.js'
import type { ExportSliceOptions } from './exportSlice.js'
import {
  checkedPlan,
  outRule,
  type PlanLease,
  type PlannedSlice,
  planIn,
  type SlicePlan,
  specOfSlice,
  takePlan,
} from './SlicePlan.js'

// model

const own = {
  /** Rows that may be fewer than the plan has counted: those that were deleted since. Default 0. */
  maxMissing: is.nonNegativeIntOrInfinity,
  /** Called with each long wait, in words, as in `verify`. Default: `console.warn`. */
  onWait: is.fn<OnWait>(),
}

/** Options of `assemble`: where the slices are. */
export interface AssembleOptions
  extends OptionsOf<typeof own>,
    Pick<ExportSliceOptions, 'out' | 'timer' | 'files' | 'env' | 'lease'> {}

const { timer, files, env, lease } = exportTable

const table: OptionsTable<AssembleOptions> = {
  ...own,
  out: required(outRule),
  ...{ timer, files, env, lease },
}

/** The state of a slice, by its manifest. */
interface Found {
  readonly slice: PlannedSlice
  readonly run?: ManifestRun
  /** Absent if it is complete. */
  readonly wrong?: { readonly _tag: 'missing' | 'foreign'; readonly why: string }
}

// constructors

/**
 * Makes one manifest of the slices of a plan, for `verify`, and ends the plan. If a slice is missing, of another plan,
 * or overlaps another one, that is a `NotAssembled` that names each, and nothing is changed; so it is if all slices have
 * fewer rows than the plan has counted. Called again, it emits the manifest that is there. Rows that were rejected are
 * missing from a complete slice, too: the manifest says so. Files are compared by size; `verify` compares their SHA-256,
 * for which it reads them whole.
 */
export const assemble = (
  given: SlicePlan,
  options: AssembleOptions,
): ObservableEither<ExportError, Manifest> => {
  const { out, maxMissing = 0, timer = asyncScheduler, onWait } = checkOptions(options, table)
  const acquire = async () => {
    const plan = checkedPlan(out, given)
    const watched = { ...options, waits: waitsInWords(out, timer, onWait) }
    return { plan, owned: await takePlan(await openNames(namesOf(out), watched), watched) }
  }
  return bracket(acquire, ({ owned }) => owned.lease.release())(({ plan, owned }) =>
    defer(async () => E.right(await assembled(plan, { out, maxMissing }, owned))),
  ).pipe(catchError(expectedAsLeft(out)))
}

const assembled = async (
  plan: SlicePlan,
  { out, maxMissing }: { readonly out: string; readonly maxMissing: number },
  owned: PlanLease,
): Promise<Manifest> => {
  const { files, names, stateText, lease } = owned
  const path = files.nameOf(names.manifest)
  const { state } = lease
  if (state === undefined) {
    const before = await manifestIn(files, names.manifest)
    if (before !== undefined && isOf(plan, before)) return before
  }
  if (state === undefined || planIn(stateText.path, state).id !== plan.id) {
    throw exportError('SpecMismatch', `${out} is not of this plan`, { path: out, field: 'plan' })
  }
  const found = await Promise.all(plan.slices.map((slice) => find(plan, slice, files)))
  checkAll(path, found)
  const runs = found.flatMap(({ run }) => (run === undefined ? [] : [run]))
  checkCount(path, plan.atLeast - maxMissing, runs)
  await replaceManifest(owned.store, 'export', runs, () => lease.renew())
  await lease.commit(undefined)
  return manifestOf('export', runs)
}

/** Returns whether a manifest has all slices of a plan. */
const isOf = (plan: SlicePlan, { runs }: Manifest): boolean =>
  plan.slices.every((slice) =>
    runs.some(
      (run) =>
        run.files.some(({ path }) => path === slice.file) &&
        differs(plan, slice, run) === undefined,
    ),
  )

/** Returns why a run is not of a slice. */
const differs = (plan: SlicePlan, slice: PlannedSlice, run: ManifestRun): string | undefined => {
  try {
    checkSameSpec(slice.file, specOfSlice(plan, slice))(run.spec)
  } catch (error) {
    if (isExportError(error)) return error.message
    throw error
  }
  const { from, to } = run.bounds ?? slice
  return from === slice.from && to === slice.to ? undefined : `it has ${shown({ from, to })}`
}

/** Looks for the manifest of a slice, and for its files. */
const find = async (plan: SlicePlan, slice: PlannedSlice, files: Files): Promise<Found> => {
  const missing = (why: string): Found => ({ slice, wrong: { _tag: 'missing', why } })
  const manifest = await manifestIn(files, namesWithin('', slice.file).manifest)
  const run = manifest === undefined ? undefined : lastEnded(manifest)
  if (run === undefined) return missing('it is not complete')
  const why = differs(plan, slice, run)
  if (why !== undefined) return { slice, run, wrong: { _tag: 'foreign', why } }
  for (const { path, bytes } of filesOf(run)) {
    if ((await files.size(path)) !== bytes) {
      return missing(`${path} is not there with ${bytes} bytes`)
    }
  }
  return { slice, run }
}

/** Throws a `NotAssembled` unless all are complete. */
const checkAll = (path: string, all: ReadonlyArray<Found>): void => {
  const numbers = (tag: 'missing' | 'foreign') =>
    all.filter(({ wrong }) => wrong?._tag === tag).map(({ slice }) => slice.number)
  const overlapping = all
    .filter((one) => all.some((other) => other !== one && overlap(boundsOf(one), boundsOf(other))))
    .map(({ slice }) => slice.number)
  const details = { path, missing: numbers('missing'), foreign: numbers('foreign'), overlapping }
  const reasons = all.flatMap(({ slice, wrong }) => {
    const { number } = slice
    const own = wrong === undefined ? [] : [`${WRONG[wrong._tag]}: ${wrong.why}`]
    const others = overlapping.includes(number) ? ['overlaps another slice'] : []
    const why = [...own, ...others]
    return why.length === 0
      ? []
      : [`slice ${number} of ${slice.of} (${shown(slice)}) ${why.join(', and ')}`]
  })
  if (reasons.length === 0) return
  throw exportError('NotAssembled', `${path} cannot be written: ${reasons.join('; ')}`, details)
}

/** Throws a `NotAssembled` unless the runs have so many rows together. */
const checkCount = (path: string, atLeast: number, runs: ReadonlyArray<ManifestRun>): void => {
  const rows = runs.reduce((sum, run) => sum + run.rows + run.rejects, 0)
  if (rows >= atLeast) return
  throw exportError(
    'NotAssembled',
    `${path} cannot be written: the slices have ${plural(rows, 'row')}, and the plan has counted at least ${atLeast}: the service has left some out, or they were deleted since (maxMissing: how many may be)`,
    { path, missing: [], foreign: [], overlapping: [] },
  )
}

const WRONG = { missing: 'is missing', foreign: 'is of another plan' } as const

const boundsOf = ({ slice, run }: Found): Span => run?.bounds ?? slice

const overlap = (one: Span, other: Span): boolean => one.from < other.to && other.from < one.to

const shown = ({ from, to }: Span): string =>
  `${fromDate(new Date(from))} to ${fromDate(new Date(to))}`
