/** Exports a list to files, a stream, or a function, as the command `export` does. */
import { catchError, concatMap, EMPTY, type Observable, tap } from 'rxjs'
import { E, withoutPrototype, withoutUndefined } from '../fp.js'
import type { ListDescription } from '../http/list/List.js'
import { checkArgument, checkOptions } from '../options/index.js'
import type { Waits } from '../store/Waits.js'
import type { Millis } from '../stream/index.js'
import { beginExport, stateToResume } from './beginExport.js'
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
import { fileDestination, type OpenedFiles, openLocation } from './file/openFileDestination.js'
import { specName } from './file/paths.js'
import { streamDestination } from './file/streamDestination.js'
import type { Format } from './format/Format.js'
import {
  destinationOf,
  type FilesGiven,
  formatFor,
  type GivenDestination,
} from './givenDestination.js'
import { type FilesLocation, isInBucket } from './location/Location.js'
import { type ExportSource, type Source, sourceOf } from './source/ExportSource.js'
import { stripped } from './source/secretField.js'
import { CHECKPOINT, type Destination } from './transfer/Destination.js'
import { type ExportSpec, specOf } from './transfer/ExportSpec.js'
import { transfer } from './transfer/runTransfer.js'
import type { TransferPlan } from './transfer/Transfer.js'
import { leftOf, progressOf, type TransferEvent } from './transfer/TransferEvent.js'
import type { TransferState } from './transfer/TransferState.js'

/** Commit interval for files, in ms. */
const COMMIT_EVERY = 1_000
/** Commit interval for files in buckets, in ms. Each commit uploads the new rows. */
const UPLOAD_EVERY = 5_000
/** Commit interval for Parquet, in ms. Each commit ends a row group. */
const ROW_GROUPS_EVERY = 10_000

/**
 * Exports a list or a snapshot.
 *
 *     const exporting = exportTo(payments.charges.snapshot({ status: 'SETTLED' }).parallel(), {
 *       out: 'settled.csv.gz',
 *       resume: true,
 *     })
 *
 * Files survive a crash: rows are on disk a second after they were read, a checkpoint records the position, and `resume`
 * continues from there. At the end a manifest lists the files written, for `verify`.
 *
 * Emits its progress after each page. The last progress has the `run` of the manifest: `run.complete` is true if every row was
 * written. An expected failure of the service or the files is emitted as a `Left` and ends the stream; files and checkpoint
 * keep the state of the last commit. Cold: each subscription is a run. Unsubscribing also keeps the last commit, while `stop`
 * commits first. Throws an `InvalidOption` immediately for an invalid option.
 */
export const exportTo = <A, B = A>(
  source: ExportSource<A>,
  given: ExportOptions<A, B>,
): Observable<ExportEvent> => {
  checkArgument('source', source, sourceRule)
  const options = checkOptions(given, exportRules)
  const list = source.describe()
  const to = destinationOf(options)
  const format = formatFor<B>(shapeOf(options.codec ?? list.codec), options, to.file)
  const findings = noFindings()
  const encoder: Format<B>['encoder'] = (bytes, kept) => format.encoder(bytes, kept, findings)
  const planned = withoutPrototype({
    source,
    options,
    list,
    format: { ...format, encoder },
  })
  return eventsOf(planned, to).pipe(
    tap(({ started }) => {
      if (started !== undefined) Object.assign(findings, noFindings()) // another subscription
    }),
    concatMap((event) => [E.right(exportProgress(event, findings)), ...leftOf(event.cut, to.name)]),
    catchError(expectedAsLeft(to.name, list.scrub)),
  )
}

/** An export with validated options. */
interface Planned<A, B> {
  readonly source: ExportSource<A>
  readonly options: ExportOptions<A, B>
  readonly list: ListDescription<A>
  readonly format: Format<B>
}

/**
 * Returns the events of an export. Cold. A subscription waits until an earlier one to the same export has released the files.
 */
const eventsOf = <A, B>(
  planned: Planned<A, B>,
  to: GivenDestination<B>,
): Observable<TransferEvent> => {
  const { options, format } = planned
  const { stop, deadline, timer } = options
  const how = { stop, deadline, timer, name: to.name, tell: planned.list.tell }
  switch (to.kind) {
    case 'files':
      return transfer<A, B>((waits) => planFiles(planned, to, waits), {
        ...how,
        isOnDisk: !isInBucket(to.at),
      })
    case 'stream': {
      const { name, open } = to
      const { endStream } = options
      const plan = async () =>
        planUnkept(planned, streamDestination({ name, open, format, endStream }))
      return transfer<A, B>(plan, { ...how, grace: STREAM_GRACE })
    }
    case 'destination':
      return transfer<A, B>(async () => planOwn(planned, to.destination), how)
  }
}

/** Time, in ms, for a stream's reader to consume the written bytes after the export was stopped. */
const STREAM_GRACE = 1_000

// plans

/** Options common to all destinations of exports. */
const common = <A, B>({ options, list, format }: Planned<A, B>) => {
  const { resume = false, restart = false, untilStable = false, maxRejects } = options
  const { filter, map, key, stop, timer, lease, deadline, onReject, commitEvery } = options
  const read = (from: ExportSource<A>) => sourceOf(from, untilStable)
  return {
    begins: restart ? 'restart' : resume ? 'resume' : 'new',
    read,
    plan: {
      kind: 'export' as const,
      restart,
      client: list,
      repeats: list.kind === 'list',
      ended: (state: TransferState) => state,
      maxRejects: maxRejects ?? exportTable.maxRejects.default,
      // first cuts off levels that are deeper than `stripped` visits
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

/** Reads the list from its position, or reads nothing if only the end of the file is missing. */
const readOnce =
  <A, B>(source: Source<A>): TransferPlan<A, B>['stages'] =>
  (transfer) => [
    () => {
      const { run } = transfer.session.state
      if (run !== undefined && run.position === undefined) return EMPTY
      return transfer.read({
        source,
        boundsOf: ({ position }) => transfer.recorder.bounds ?? source.boundsOf(position),
        ...withoutUndefined({ position: run?.position, share: run?.share }),
      })
    },
  ]

/** Checks the files before anything is sent. */
const planFiles = async <A, B>(
  planned: Planned<A, B>,
  { at, checkpoint }: FilesGiven,
  waits: Waits,
): Promise<TransferPlan<A, B>> => {
  const { source, list, format } = planned
  const options = withoutPrototype({ ...planned.options, checkpoint, waits })
  const { plan, begins, read, spec } = common(planned)
  if (options.files === undefined) await checkPaths({ out: at, checkpoint })
  const opened = await openLocation(at, options)
  await prepare(opened)
  const reading = read(source)
  const destination = fileDestination<B>({
    ...{ opened, format },
    rotation: withoutUndefined({ rows: options.rotateRows, bytes: options.rotateBytes }),
    commitEvery: commitEvery(format, at),
  })
  const beginning = {
    ...{ opened, begin: begins },
    loadManifest: () => manifestOfKind('export', opened.texts, opened.names.manifest),
    spec: spec(list)(specName(at, checkpoint)),
    isPosition: reading.isPosition,
    maxRejects: plan.maxRejects,
  }
  return withoutPrototype({
    ...plan,
    ...{ destination, stateText: opened.stateText, guard: opened.guard },
    listsUnfinished: at.file === '',
    stages: readOnce(reading),
    begin: (kept: unknown) => beginExport(beginning, kept),
  })
}

/** Creates the folder for several files. Rejects with an `UnusablePath` if a folder has the name of the single file. */
const prepare = async ({ at: { file }, texts }: OpenedFiles): Promise<void> => {
  if (file === '') return texts.prepare()
  if (!(await texts.isFolder(file))) return
  const path = texts.nameOf(file)
  const why = 'is a folder, not a file: to write into it, end its name with a slash'
  throw exportError('UnusablePath', `${path} ${why}`, { path, option: 'out' })
}

/** Plans an export whose rows cannot be withdrawn; no state is stored. */
const planUnkept = <A, B>(
  planned: Planned<A, B>,
  destination: Destination<B>,
): TransferPlan<A, B> => {
  const { plan, read, spec } = common(planned)
  const state = { spec: spec(planned.list)('') }
  return withoutPrototype({
    ...plan,
    ...{ destination, stateText: undefined, listsUnfinished: false },
    stages: readOnce(read(planned.source)),
    begin: async () => ({ state }),
  })
}

/** Plans an export to a custom destination. */
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
    stages: readOnce(source),
    begin: async (kept: unknown) => ({
      state: stateToResume({ ...options, maxRejects: plan.maxRejects }, kept) ?? { spec },
    }),
  })
}

const specOfExport =
  <A, B>(format: Format<B>, options: Omit<ExportOptions<A, B>, 'out'>) =>
  (list: ListDescription<unknown>) =>
  (destination: string): ExportSpec =>
    specOf(
      list,
      format,
      { account: options.account, written: writtenOf(options, list) },
      destination,
    )

const commitEvery = ({ name }: Format<never>, at: FilesLocation): Millis =>
  name === 'parquet' ? ROW_GROUPS_EVERY : isInBucket(at) ? UPLOAD_EVERY : COMMIT_EVERY

/** Returns the options that must be the same when an export is resumed. */
const writtenOf = <A, B>(
  { amounts, filter, formulas, map, revision }: Omit<ExportOptions<A, B>, 'out'>,
  list: ListDescription<unknown>,
): Readonly<Record<string, string | undefined>> => ({
  numbers: list.numbers === 'exact' ? 'exact' : undefined,
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
  const { started, rereads: _, upTo: __, ...progress } = progressOf(event)
  return {
    ...progress,
    ...(loneSurrogates > 0 ? { loneSurrogates } : {}),
    ...(formulas > 0 ? { formulas } : {}),
    ...(started && {
      started: {
        resumed: started.resumed,
        ...withoutUndefined({ tookOver: started.tookOver, removes: started.removes }),
      },
    }),
  }
}
