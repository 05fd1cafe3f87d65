import { asyncScheduler, catchError, concatMap, defer, type Observable, of } from 'rxjs'
import { E, withoutPrototype } from '../../fp.js'
import {
  checkArgument,
  checkOptions,
  is,
  type OptionsOf,
  type OptionsTable,
  required,
} from '../../options/index.js'
import { type ExportError, expectedAsLeft, exportError } from '../ExportError.js'
import { type ExportEvent, type ExportProgress, exportTable } from '../ExportOptions.js'
import { startExport } from '../exportTo.js'
import { manifestIn, readState } from '../file/manifestIn.js'
import { namesOf, namesWithin } from '../file/paths.js'
import type { Files } from '../storage/Files.js'
import { openFiles } from '../storage/openFiles.js'
import { checkSameSpec } from '../transfer/ExportSpec.js'
import { waitsOf } from '../transfer/runTransfer.js'
import { type SliceSource, writing } from './planSlices.js'
import { outRule, type PlannedSlice, planIn, specOfSlice } from './SlicePlan.js'

// model

/** Lists that can be exported in slices: a client. */
export interface SliceClient<A> {
  /** Its charges. */
  readonly charges: { readonly snapshot: (filter: never) => SliceSource<A> }
}

const own = {
  /** The folder of the plan. */
  out: required(outRule),
  /** Concurrent requests. Default: enough to use the full rate limit. */
  parallel: is.positiveIntOrInfinity,
}

type SliceOption =
  | ('account' | 'stop' | 'deadline' | 'maxRejects' | 'onReject' | 'commitEvery')
  | ('lease' | 'timer' | 'files' | 'env')

/** Options of `exportSlice`: those of `exportTo` that may differ between workers. `account`: as in the plan. */
export interface ExportSliceOptions
  extends OptionsOf<typeof own>,
    Pick<OptionsOf<typeof exportTable>, SliceOption> {}

const { account, stop, deadline, maxRejects, onReject, commitEvery } = exportTable
const { lease, timer, files, env } = exportTable

const table: OptionsTable<ExportSliceOptions> = {
  ...own,
  ...{ account, stop, deadline, maxRejects, onReject, commitEvery, lease, timer, files, env },
}

// constructors

/**
 * Exports a slice of a plan, from wherever an earlier worker stopped. While that one lives, this one is refused with
 * `Locked`; when it is dead or frozen, this one takes over, and the other is `Fenced`. A slice that is complete is not
 * read again.
 *
 *     exportSlice(payments, job.data, { out: 's3://lake/charges/' })
 *
 * Emits as `exportTo` does. Throws an `InvalidOption` at once for an option that cannot work.
 */
export const exportSlice = <A>(
  payments: SliceClient<A>,
  slice: PlannedSlice,
  given: ExportSliceOptions,
): Observable<ExportEvent> => {
  checkArgument('payments', payments, is.object('a client'))
  checkArgument('slice', slice, is.object('a slice of a plan'))
  const { out, parallel, ...options } = checkOptions(given, table)
  const names = namesOf(out)
  const begin = async (): Promise<Observable<ExportEvent>> => {
    const { timer = asyncScheduler } = options
    const client = payments.charges.snapshot({} as never).describe()
    const waits = waitsOf(client, out, timer)
    const files = await openFiles(names.folder, { ...options, waits })
    const checkpoint = files.nameOf(names.checkpoint)
    const state = await readState(files, names.checkpoint)
    if (state === undefined) return of(E.right(await assembled(files, names.manifest, slice)))
    const plan = planIn(checkpoint, state)
    const own = plan.slices.find(({ file }) => file === slice.file)
    if (plan.id !== slice.plan || own === undefined) throw ofAnotherPlan(checkpoint)
    const source = payments.charges.snapshot(plan.query as never).within(own) // the client checks it
    const list = source.describe()
    const { specFor } = writing(list, plan.format, { ...options, out })
    checkSameSpec(checkpoint, specFor(list)(own.file))(specOfSlice(plan, own))
    const file = { ...plan.format, ...options, out: `${out}${own.file}` }
    return startExport(source.parallel(parallel), withoutPrototype(file), {
      begin: 'once',
      names: namesWithin(names.folder, own.file),
    })
  }
  return defer(begin).pipe(
    concatMap((events) => events),
    catchError(expectedAsLeft(out)),
  )
}

/** Resolves with the end of a slice that was assembled; rejects with `SpecMismatch` where none was. */
const assembled = async (
  files: Files,
  name: string,
  { file, query }: Pick<PlannedSlice, 'file' | 'query'>,
): Promise<ExportProgress> => {
  const manifest = await manifestIn(files, name)
  const path = files.nameOf(name)
  const run = manifest?.runs.find((one) => one.files.some((own) => own.path === file))
  if (run === undefined) throw ofAnotherPlan(path)
  checkSameSpec(path, { ...run.spec, query })(run.spec)
  const { rows, rejects, ended } = run
  return { pages: 0, rows, rejects, ended, run }
}

const ofAnotherPlan = (path: string): ExportError =>
  exportError('SpecMismatch', `${path} is not of the plan of this slice`, { path, field: 'plan' })
