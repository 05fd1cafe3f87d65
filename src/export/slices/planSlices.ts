import { asyncScheduler, catchError, concatMap, defer, from, map, type Observable, of } from 'rxjs'
import { E, withoutPrototype, withoutUndefined } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { ListDescription } from '../../http/list/List.js'
import {
  checkArgument,
  checkOptions,
  InvalidOption,
  is,
  type OptionsOf,
  type OptionsTable,
  required,
} from '../../options/index.js'
import type { ObservableEither, Span } from '../../stream/index.js'
import { beginExport } from '../beginExport.js'
import { shapeOf } from '../column/Shape.js'
import { type ExportError, expectedAsLeft } from '../ExportError.js'
import { type ExportOptions, exportTable } from '../ExportOptions.js'
import { specOfExport } from '../exportTo.js'
import { manifestOfKind } from '../file/manifestIn.js'
import { openNames } from '../file/openFileDestination.js'
import { partName } from '../file/parts.js'
import { namesOf, prefixOf, runOfName } from '../file/paths.js'
import { formatFor } from '../givenDestination.js'
import type { ExportSource } from '../source/ExportSource.js'
import { bracket } from '../transfer/bracket.js'
import { checkSameSpec, type ExportSpec } from '../transfer/ExportSpec.js'
import { replaceManifest } from '../transfer/Manifest.js'
import { waitsOf } from '../transfer/runTransfer.js'
import { outRule, type PlanLease, planIn, planOf, type SlicePlan, takePlan } from './SlicePlan.js'

// model

/** A span, and about how many rows are in it. */
interface CountedSpan extends Span {
  readonly rows: number
  /** True if the rows of all spans do not add up to a count. */
  readonly estimated?: boolean
}

/** A list by times of creation, which can be cut into parts: `payments.charges.snapshot()`. */
export interface SliceSource<A> extends ExportSource<A> {
  /** Returns the part that was created in a span. */
  readonly within: (span: Span) => SliceSource<A>
  /** Emits spans with about equal rows. */
  readonly split: (
    count: { readonly slices: number } | { readonly rows: number },
  ) => Observable<E.Either<AnyFailure, ReadonlyArray<CountedSpan>>>
  /** Reads with this many concurrent requests. Default: enough to use the full rate limit. */
  readonly parallel: (requests?: number) => ExportSource<A>
}

const own = {
  /** The folder of the files: its name ends with a slash, and may be an `s3://` URL. All workers must reach it. */
  out: required(outRule),
  /** How many slices. Default 12; fewer where charges of one second would have to be cut. */
  slices: is.int(1, 10_000),
  /** Rows a slice, in place of `slices`. */
  rows: is.int(1),
}

type PlanOption =
  | ('format' | 'compress' | 'columns' | 'numbers' | 'amounts' | 'formulas' | 'rowGroup')
  | ('restart' | 'account' | 'timer' | 'files' | 'env' | 'lease')

/** Options of `planSlices`; those of formats are as in `exportTo`. */
export interface PlanSlicesOptions
  extends OptionsOf<typeof own>,
    Pick<OptionsOf<typeof exportTable>, PlanOption> {}

const { format, compress, columns, numbers, amounts, formulas, rowGroup } = exportTable
const { restart, account, timer, files, env, lease } = exportTable

const table: OptionsTable<PlanSlicesOptions> = {
  ...own,
  ...{ format, compress, columns, numbers, amounts, formulas, rowGroup },
  ...{ restart, account, timer, files, env, lease },
}

/** Where neither `slices` nor `rows` is given. */
const SLICES = 12

// constructors

/**
 * Cuts a snapshot into slices of about equal rows, for `exportSlice` on any machine, and keeps the plan in the folder
 * `out`: called again, it emits the same plan, until it is assembled. Finds the bounds by reading some pages, 30 for ten
 * million rows in 12 slices.
 *
 *     const planning = planSlices(payments.charges.snapshot(), { out: 's3://lake/charges/', format: 'parquet' })
 *
 * Emits one plan, or why there is none. Throws an `InvalidOption` at once for an option that cannot work.
 */
export const planSlices = <A>(
  source: SliceSource<A>,
  given: PlanSlicesOptions,
): ObservableEither<ExportError | AnyFailure, SlicePlan> => {
  checkArgument('source', source, is.withMethods('a snapshot of a client', 'split', 'within'))
  const options = checkOptions(given, table)
  if (options.slices !== undefined && options.rows !== undefined) {
    throw new InvalidOption('rows', 'left out beside slices')
  }
  const { out, timer = asyncScheduler } = options
  const acquire = async (): Promise<PlanLease> => {
    const waits = waitsOf(source.describe(), out, timer)
    const opened = await openNames(namesOf(out), { ...options, waits })
    await opened.texts.prepare()
    return takePlan(opened, { ...options, waits })
  }
  return bracket(acquire, ({ lease }: PlanLease) => lease.release())((owned) =>
    planned(source, options, owned),
  ).pipe(catchError(expectedAsLeft(out)))
}

const planned = <A>(
  source: SliceSource<A>,
  options: PlanSlicesOptions,
  owned: PlanLease,
): ObservableEither<ExportError | AnyFailure, SlicePlan> => {
  const { slices, rows, restart = false } = options
  const list = source.describe()
  const { extension, specFor } = writing(list, formatOptions(options), options)
  const spec = specFor(list)('.')

  const make = (spans: ReadonlyArray<CountedSpan>, run: number): SlicePlan => {
    const parts = {
      spec,
      query: JSON.parse(JSON.stringify(list.query)),
      format: formatOptions(options),
      atLeast: leastRows(list, spans),
    }
    const fileOf = partName({ prefix: prefixOf(run), extension })
    return planOf(
      parts,
      spans.map(({ from, to, rows }, i) => ({
        ...{ number: i + 1, of: spans.length, from, to, rows },
        file: fileOf({ slice: i + 1, number: 1 }),
        query: specFor(source.within({ from, to }).describe())('.').query,
      })),
    )
  }

  return defer(async (): Promise<SlicePlan | number> => {
    const { state } = owned.lease
    if (state !== undefined && !restart) return planBefore(owned.stateText.path, state, spec)
    return clear(owned, { spec, restart })
  }).pipe(
    concatMap((before): ObservableEither<ExportError | AnyFailure, SlicePlan> => {
      if (typeof before !== 'number') return of(E.right(before))
      const count = rows === undefined ? { slices: slices ?? SLICES } : { rows }
      return source.split(count).pipe(
        map(E.map((spans) => make(spans, before))),
        concatMap((plan) =>
          E.isLeft(plan) ? of(plan) : from(owned.lease.commit(plan.right).then(() => plan)),
        ),
      )
    }),
  )
}

/** Returns how many rows the slices must have together: all that were counted, unless rows leave the list in time. */
const leastRows = (
  { query }: Pick<ListDescription<unknown>, 'query'>,
  spans: ReadonlyArray<CountedSpan>,
): number =>
  'status' in query || spans.some(({ estimated }) => estimated)
    ? 0
    : spans.reduce((sum, { rows }) => sum + rows, 0)

/** Returns the name that files end with, and what makes the spec of a list that is written so. */
export const writing = <A>(
  list: ListDescription<A>,
  format: Omit<ExportOptions<A>, 'out'>,
  { out, account }: Pick<ExportOptions<A>, 'account'> & { readonly out: string },
) => {
  const written = withoutPrototype({ ...format, ...withoutUndefined({ account }) })
  const made = formatFor<A>(shapeOf(list.codec), { ...written, out }, list, 'folder')
  return { extension: made.extension, specFor: specOfExport(made, written) }
}

/** Returns the options that say how rows are written. */
const formatOptions = (options: PlanSlicesOptions) => {
  const { format, compress, columns, numbers, amounts, formulas, rowGroup } = options
  return {
    ...withoutUndefined({ format, compress, columns, numbers, amounts, formulas, rowGroup }),
  }
}

/** Returns the plan that the folder has; throws `SpecMismatch` if that is of another list. */
const planBefore = (path: string, state: unknown, spec: ExportSpec): SlicePlan => {
  const plan = planIn(path, state)
  checkSameSpec(path, spec)(plan.spec)
  return plan
}

/**
 * Rejects with `OutputExists` where there are rows; or removes them, to `restart`. Resolves with the number of the run:
 * names that were removed are not given again.
 */
const clear = async (
  owned: PlanLease,
  { spec, restart }: { readonly spec: ExportSpec; readonly restart: boolean },
): Promise<number> => {
  const { files, names, lease } = owned
  await beginExport(
    {
      ...{ opened: owned, spec, adds: false, begin: restart ? 'restart' : 'new' },
      loadManifest: () => manifestOfKind('export', files, names.manifest),
      isPosition: () => true,
      maxRejects: Number.POSITIVE_INFINITY,
    },
    lease.state,
  )
  if (!restart) return 1
  const runOf = (name: string): number | undefined => runOfName(name)?.run ?? runBeside(name)
  const found = (await files.list((name) => runOf(name) !== undefined)).map(({ name }) => name)
  await lease.commit(undefined)
  for (const name of found) await files.remove(name)
  await replaceManifest(owned.store, 'export', [], () => lease.renew())
  return 1 + Math.max(0, ...found.map((name) => runOf(name) ?? 0))
}

/** The run of a file whose texts lie in `_incoming/`, by the name of one of them. */
const runBeside = (name: string): number | undefined => {
  const [, file = ''] =
    /^_incoming\/(.*?)\.(?:manifest\.json|checkpoint\.json|rejects\.ndjson|[0-9a-f]{12}\.part)$/.exec(
      name,
    ) ?? []
  const found = runOfName(file)
  return found?.isRows === true ? found.run : undefined
}
