/** A list into files, a stream, or a function: everything that the command `export` does. */
import { catchError, concatMap, EMPTY, type Observable, tap } from 'rxjs'
import { fromDate } from '../codec/Instant.js'
import { E, withoutPrototype, withoutUndefined } from '../fp.js'
import type { ListDescription } from '../http/list/List.js'
import { checkArgument, checkOptions } from '../options/index.js'
import { isS3 } from '../store/S3Location.js'
import type { Waits } from '../store/Waits.js'
import type { Millis } from '../stream/index.js'
import { type Begin, beginExport, checkResumable, stateToResume } from './beginExport.js'
import { truncated } from './column/json.js'
import { shapeOf } from './column/Shape.js'
import { noFindings, type TextFindings } from './column/text.js'
import { expectedAsLeft, exportError } from './ExportError.js'
import {
  type ExportEvent,
  type ExportOptions,
  type ExportProgress,
  exportRules,
  exportTable,
  sourceRule,
} from './ExportOptions.js'
import { checkPaths } from './file/checkPaths.js'
import { manifestOfKind } from './file/manifestIn.js'
import { fileDestination, type OpenedFiles, openNames } from './file/openFileDestination.js'
import { type ExportNames, namesOf, specName } from './file/paths.js'
import { functionDestination, streamDestination } from './file/streamDestination.js'
import type { Format } from './format/Format.js'
import { destinationOf, formatFor, type GivenDestination } from './givenDestination.js'
import { rejectedAgain } from './rejectedAgain.js'
import { findSince } from './sinceLast.js'
import { type ExportSource, sourceOf } from './source/ExportSource.js'
import { stripped } from './source/secretField.js'
import { CHECKPOINT, type Destination } from './transfer/Destination.js'
import { type ExportSpec, specOf } from './transfer/ExportSpec.js'
import type { ManifestFile, ManifestRun } from './transfer/Manifest.js'
import { transfer } from './transfer/runTransfer.js'
import type { TransferPlan } from './transfer/Transfer.js'
import { leftOf, progressOf, type Reading, type TransferEvent } from './transfer/TransferEvent.js'
import type { TransferState } from './transfer/TransferState.js'

/** How often files are committed, in ms. */
const COMMIT_EVERY = 1_000
/** How often files in buckets are committed, in ms: a commit uploads what came since. */
const UPLOAD_EVERY = 5_000
/** How often Parquet is committed, in ms: a commit ends a row group. */
const ROW_GROUPS_EVERY = 10_000

/**
 * Exports a list or a snapshot of a client.
 *
 *     const exporting = exportTo(payments.charges.snapshot({ status: 'SETTLED' }).parallel(), {
 *       out: 'settled.csv.gz',
 *       resume: true,
 *     })
 *
 * Files survive a crash: a second after rows were read they are durable, a checkpoint says how far the export is, and
 * `resume` continues from there. In the end a manifest lists what was written, for `verify`.
 *
 * Emits its progress after each page. The last progress has the `run` of the manifest: `run.complete` is true if every
 * row was written. An expected failure, of the service or of the files, is a `Left` after that, and ends the stream;
 * files and checkpoint are then as they were last committed. Cold: each subscription is a run. Unsubscribing leaves
 * what was committed; `stop` commits first. Throws an `InvalidOption` at once for an option that cannot work.
 */
export const exportTo = <A, B = A>(
  source: ExportSource<A>,
  given: ExportOptions<A, B>,
): Observable<ExportEvent> => startExport(source, given)

/** As `exportTo`; `begin`: the action for what is there, in place of `resume` and `restart`; `names`: of its files. */
export const startExport = <A, B = A>(
  source: ExportSource<A>,
  given: ExportOptions<A, B>,
  { begin, names }: Partial<Pick<Planned<A, B>, 'begin' | 'names'>> = {},
): Observable<ExportEvent> => {
  checkArgument('source', source, sourceRule)
  const options = checkOptions(given, exportRules)
  const list = source.describe()
  const to = destinationOf(options, source)
  const format = formatFor<B>(shapeOf(options.codec ?? list.codec), options, list, to.kind)
  const findings = noFindings()
  const encoder: Format<B>['encoder'] = (bytes, kept) => format.encoder(bytes, kept, findings)
  const planned = withoutPrototype({
    source,
    options,
    list,
    begin,
    names,
    format: { ...format, encoder },
  })
  return eventsOf(planned, to).pipe(
    tap(({ begun }) => {
      if (begun !== undefined) Object.assign(findings, noFindings()) // another subscription
    }),
    concatMap((event) => [E.right(exportProgress(event, findings)), ...leftOf(event.cut, to.name)]),
    catchError(expectedAsLeft(to.name)),
  )
}

/** An export whose options are checked. */
interface Planned<A, B> {
  readonly source: ExportSource<A>
  readonly options: ExportOptions<A, B>
  readonly list: ListDescription<A>
  readonly format: Format<B>
  readonly begin: Begin | undefined
  /** The names of its files, of one of several in a folder. */
  readonly names: ExportNames | undefined
}

/** Cold; also the subscriptions to one of them wait for each other to release its files. */
const eventsOf = <A, B>(
  planned: Planned<A, B>,
  to: GivenDestination<B>,
): Observable<TransferEvent> => {
  const { options, format } = planned
  const { stop, deadline, timer } = options
  const how = { stop, deadline, timer, name: to.name, tell: planned.list.tell }
  switch (to.kind) {
    case 'file':
    case 'folder': {
      const names = planned.names ?? namesOf(to.out)
      return transfer<A, B>((waits) => planFiles(planned, names, waits), how)
    }
    case 'stream': {
      const { name, open } = to
      const { endStream } = options
      const plan = async () =>
        planUnkept(planned, streamDestination({ name, open, format, endStream }))
      return transfer<A, B>(plan, { ...how, grace: STREAM_GRACE })
    }
    case 'function':
      return transfer<A, B>(async () => planUnkept(planned, functionDestination(to.take)), how)
    case 'destination':
      return transfer<A, B>(async () => planOwn(planned, to.destination), how)
  }
}

/** Time that the reader of a stream has to take what was written, once the export is stopped, in ms. */
const STREAM_GRACE = 1_000

// plans

/** Options common to all destinations of exports. */
const common = <A, B>({ options, list, format, begin }: Planned<A, B>) => {
  const { resume = false, restart = false, untilStable = false, maxRejects } = options
  const { filter, map, key, stop, timer, lease, deadline, onReject, commitEvery } = options
  const read = (from: ExportSource<A>) => sourceOf(from, untilStable)
  return {
    begins: begin ?? (restart ? 'restart' : resume ? 'resume' : 'new'),
    read,
    plan: {
      kind: 'export' as const,
      restart,
      client: list,
      repeats: list.kind === 'list',
      ended: (state: TransferState) => state,
      maxRejects: maxRejects ?? exportTable.maxRejects.default,
      // deeper levels than `stripped` looks at are cut off before anything else
      redact: (raw: unknown) => list.scrub(truncated(stripped(raw))),
      ...withoutUndefined({
        filter,
        map,
        key,
        stop,
        timer,
        lease,
        deadline,
        onReject,
        every: commitEvery,
      }),
    },
    spec: specOfExport(format, options),
  } as const
}

/** Reads the list from where it stood, unless only its end was not written. */
const readOnce =
  <A, B>(readingOf: () => Pick<Reading<A>, 'source' | 'placed'>): TransferPlan<A, B>['stages'] =>
  (transfer) => [
    () => {
      const { run } = transfer.session.state
      if (run !== undefined && run.position === undefined) return EMPTY
      const reading = readingOf()
      return transfer.read({
        ...reading,
        boundsOf: ({ position }) => transfer.recorder.bounds ?? reading.source.boundsOf(position),
        ...withoutUndefined({ position: run?.position, share: run?.share }),
      })
    },
  ]

/** Checks the files, and finds out from when on to read. */
const planFiles = async <A, B>(
  planned: Planned<A, B>,
  names: ExportNames,
  waits: Waits,
): Promise<TransferPlan<A, B>> => {
  const { source, list, format } = planned
  const options = withoutPrototype({ ...planned.options, waits })
  const { resume = false, sinceLast = false, checkpoint } = options
  const { plan, begins, read, spec: specFor } = common(planned)
  const out = `${names.folder}${names.file ?? ''}`
  if (options.files === undefined && !isS3(out)) await checkPaths({ out, checkpoint })
  const opened = await openNames(names, options)
  await prepare(opened)
  const loadManifest = () => manifestOfKind('export', opened.texts, names.manifest)
  if (begins === 'resume') await checkResumable(opened.stateText, opened, loadManifest)
  const { lookback = exportTable.lookback.default } = options
  const since =
    sinceLast === false
      ? undefined
      : await findSince({
          ...{ opened, sinceLast, lookback, resume, options },
          spec: specFor(list)(''),
        })
  const from = since?.from === undefined ? undefined : fromDate(new Date(since.from))
  const listed = from === undefined ? source : (source.since?.(from) ?? source)
  const reading = read(listed)
  let runs: ReadonlyArray<ManifestRun> = []
  let again: ManifestFile | undefined
  const destination = fileDestination<B>({
    ...{ opened, format },
    rotation: withoutUndefined({ rows: options.rotateRows, bytes: options.rotateBytes }),
    commitEvery: commitEvery(format, out),
    before: () => runs,
  })
  return withoutPrototype({
    ...plan,
    ...{ destination, stateText: opened.stateText, guard: opened.guard },
    listsUnfinished: names.file === undefined,
    stages: readOnce(() =>
      again === undefined
        ? { source: reading }
        : rejectedAgain({
            ...{ files: opened.files, name: again.path },
            ...{ list: listed.describe(), whole: reading },
          }),
    ),
    begin: async (kept: unknown) => {
      const beginning = await beginExport(
        {
          ...{ opened, begin: begins, adds: sinceLast !== false },
          loadManifest,
          spec: specFor(listed.describe())(specName(names, checkpoint)),
          isPosition: reading.isPosition,
          maxRejects: plan.maxRejects,
        },
        kept,
      )
      runs = [...beginning.runs, ...(beginning.later ?? [])]
      again = beginning.again
      return { ...(since && { reads: { since } }), ...beginning }
    },
  })
}

/** Makes the folder of several files. Rejects with an `UnusablePath` where a folder has the name of the one file. */
const prepare = async ({ names: { file }, texts }: OpenedFiles): Promise<void> => {
  if (file === undefined) return texts.prepare()
  if (!(await texts.isFolder(file))) return
  const path = texts.nameOf(file)
  const why = 'is a folder, and no file: to write into it, end its name with a slash'
  throw exportError('UnusablePath', `${path} ${why}`, { path, option: 'out' })
}

/** Rows that cannot be taken back: there is no state. */
const planUnkept = <A, B>(
  planned: Planned<A, B>,
  destination: Destination<B>,
): TransferPlan<A, B> => {
  const { plan, read, spec } = common(planned)
  const state = { spec: spec(planned.list)('') }
  return withoutPrototype({
    ...plan,
    ...{ destination, stateText: undefined, listsUnfinished: false },
    stages: readOnce(() => ({ source: read(planned.source) })),
    begin: async () => ({ state, runs: [] }),
  })
}

/** A destination of the caller's own. */
const planOwn = <A, B>(planned: Planned<A, B>, destination: Destination<B>): TransferPlan<A, B> => {
  const { store, name } = destination
  if (store === undefined) return planUnkept(planned, destination)
  const { plan, read, begins, spec: specFor } = common(planned)
  const source = read(planned.source)
  const spec = specFor(planned.list)('.')
  const options = { path: name, spec, begin: begins, isPosition: source.isPosition }
  return withoutPrototype({
    ...plan,
    ...{ destination, stateText: { store, name: CHECKPOINT, path: name }, listsUnfinished: false },
    stages: readOnce(() => ({ source })),
    begin: async (kept: unknown) => ({
      state: stateToResume({ ...options, maxRejects: plan.maxRejects }, kept) ?? { spec },
      runs: [],
    }),
  })
}

/** Returns what makes the spec of a list that is exported with these options. */
export const specOfExport =
  <A, B>(format: Format<B>, options: Omit<ExportOptions<A, B>, 'out'>) =>
  (list: ListDescription<unknown>) =>
  (destination: string): ExportSpec =>
    specOf(
      list,
      format,
      { account: options.account, written: writtenOf(options, list) },
      destination,
    )

/** How often rows are made durable, in ms. */
const commitEvery = ({ name }: Format<never>, out: string): Millis =>
  name === 'parquet' ? ROW_GROUPS_EVERY : isS3(out) ? UPLOAD_EVERY : COMMIT_EVERY

/** Returns the options that a resumed export must have in common with its first run. */
const writtenOf = <A, B>(
  { amounts, filter, formulas, map, numbers, revision }: Omit<ExportOptions<A, B>, 'out'>,
  list: ListDescription<unknown>,
): Readonly<Record<string, string | undefined>> => ({
  numbers: (numbers ?? list.numbers) === 'exact' ? 'exact' : undefined,
  formulas: formulas === 'mask' ? formulas : undefined,
  amounts,
  revision,
  filtered: filter === undefined ? undefined : 'yes',
  mapped: map === undefined ? undefined : 'yes',
})

const exportProgress = (
  event: TransferEvent,
  { loneSurrogates, formulas }: TextFindings,
): ExportProgress => {
  const { begun, rereads: _, upTo: __, ...progress } = progressOf(event)
  return {
    ...progress,
    ...(loneSurrogates > 0 ? { loneSurrogates } : {}),
    ...(formulas > 0 ? { formulas } : {}),
    ...(begun && {
      begun: {
        resumed: begun.resumed,
        ...withoutUndefined({
          tookOver: begun.tookOver,
          since: begun.since,
          rejected: begun.rejected,
        }),
      },
    }),
  }
}
