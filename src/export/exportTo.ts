/** A list into files, a stream, or a function: everything that the command `export` does. */
import {
  asyncScheduler,
  catchError,
  concatMap,
  defer,
  merge,
  NEVER,
  type Observable,
  of,
  tap,
  throwError,
} from 'rxjs'
import { fromDate } from '../codec/Instant.js'
import { bare, defined, E } from '../fp.js'
import type { ListDescription } from '../http/list/List.js'
import { checkArgument, checkOptions } from '../options/index.js'
import { disk, isSystemError } from '../store/FileSystem.js'
import { isS3, s3Path, withUrls } from '../store/S3Location.js'
import { later } from '../stream/later.js'
import { truncated } from './column/json.js'
import { shapeOf } from './column/Shape.js'
import { noFindings, type TextFindings } from './column/text.js'
import { type ExportError, exportError, isExportError } from './ExportError.js'
import {
  type ExportEvent,
  type ExportOptions,
  type ExportProgress,
  exportRules,
  exportTable,
  sourceRule,
} from './ExportOptions.js'
import { type ExportSource, sourceOf } from './ExportSource.js'
import type { Pace } from './exportList.js'
import type { Format } from './format/Format.js'
import { openFiles } from './openFiles.js'
import { destinationOf, formatFor, type OutputKind } from './outputPlan.js'
import { checkPaths } from './run/checkPaths.js'
import { type ExportSpec, specOf } from './run/ExportSpec.js'
import { type Paths, pathsOf } from './run/paths.js'
import type { Begin } from './run/ResumeState.js'
import { type RunEvent, type RunOptions, runExport } from './run/runExport.js'
import { findSince } from './run/sinceLast.js'
import { targetOf } from './run/Target.js'
import { stripped } from './secretField.js'
import { toSink, toStream } from './toStream.js'

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

/** As `exportTo`; `begin`: the action for what is there, in place of `resume` and `restart`. */
export const startExport = <A, B = A>(
  source: ExportSource<A>,
  given: ExportOptions<A, B>,
  begin?: Begin,
): Observable<ExportEvent> => {
  checkArgument('source', source, sourceRule)
  const options = checkOptions(given, exportRules)
  const list = source.describe()
  const to = destinationOf(options, source)
  const format = formatFor<B>(shapeOf(options.codec ?? list.codec), options, list, to.kind)
  const findings = noFindings()
  const deadline = deadlineOf(options)
  const encoder: Format<B>['encoder'] = (bytes, kept) => format.encoder(bytes, kept, findings)
  const stopping = bare({ ...options, stop: merge(options.stop ?? NEVER, deadline.passes) })
  const planned = bare({ source, options: stopping, list, begin, format: { ...format, encoder } })
  return eventsOf(planned, to).pipe(
    tap(({ begun }) => {
      if (begun !== undefined) Object.assign(findings, noFindings()) // another subscription
    }),
    concatMap((event) => [
      ...eithersOf(event, findings, to.name),
      ...(event.cut === 'stopped' ? deadline.error() : []),
    ]),
    catchError(expectedAsLeft(to.name)),
  )
}

/** Makes a `Left` of what the system refused; other errors are bugs, or of the caller's own functions. */
export const expectedAsLeft =
  (name: string) =>
  (error: unknown): Observable<E.Either<ExportError, never>> => {
    const expected = expectedError(error, name)
    return expected === undefined ? throwError(() => error) : of(E.left(expected))
  }

/** Emits when the deadline of an export has passed; then there is an error for its end. */
const deadlineOf = ({
  deadline = Number.POSITIVE_INFINITY,
  timer = asyncScheduler,
}: Pick<ExportOptions<never>, 'deadline' | 'timer'>) => {
  let hasPassed = false
  const passes = defer(() => {
    hasPassed = false // another subscription
    return deadline === Number.POSITIVE_INFINITY ? NEVER : later(deadline, timer)
  }).pipe(
    tap(() => {
      hasPassed = true
    }),
  )
  const why = `the deadline of ${deadline} ms has passed before the end`
  const error = (): ReadonlyArray<ExportEvent> =>
    hasPassed ? [E.left(exportError('DeadlinePassed', why, { deadline }))] : []
  return { passes, error }
}

/** An export whose options are checked. */
interface Planned<A, B> {
  readonly source: ExportSource<A>
  readonly options: ExportOptions<A, B>
  readonly list: ListDescription<A>
  readonly format: Format<B>
  readonly begin: Begin | undefined
}

/** Cold; also the subscriptions to one of them wait for each other to release its files. */
const eventsOf = <A, B>(planned: Planned<A, B>, to: OutputKind<B>): Observable<RunEvent> => {
  const { source, options, format } = planned
  switch (to.kind) {
    case 'file':
    case 'folder':
      return runExport<A, B>(() => planRun(planned, pathsOf(s3Path(to.out), options.checkpoint)))
    case 'stream':
      return toStream({
        ...paceOf(planned),
        ...defined({ onReject: options.onReject, endStream: options.endStream }),
        source: sourceOf(source, options.untilStable ?? false),
        open: to.open,
        format,
        timer: options.timer ?? asyncScheduler,
      })
    case 'sink':
      return toSink({
        ...paceOf(planned),
        ...defined({ onReject: options.onReject }),
        source: sourceOf(source, options.untilStable ?? false),
        sink: to.sink,
        timer: options.timer ?? asyncScheduler,
      })
  }
}

/** Checks the files, and finds out from when on to read. */
const planRun = async <A, B>(planned: Planned<A, B>, paths: Paths): Promise<RunOptions<A, B>> => {
  const { source, options, list, format } = planned
  const { resume = false, restart = false, sinceLast = false, timer = asyncScheduler } = options
  const out = typeof options.out === 'string' ? options.out : paths.out
  const files = await openFiles(out, { files: options.files, env: options.env, timer })
  if (files === disk) await checkPaths({ out: paths.out, checkpoint: options.checkpoint })
  const specFor = specOfExport(format, options)
  const { lookback = exportTable.lookback.default } = options
  const since =
    sinceLast === false
      ? undefined
      : await findSince({ paths, sinceLast, lookback, resume, files, spec: specFor(list)('') })
  const from = since?.from === undefined ? undefined : fromDate(new Date(since.from))
  const read = from === undefined ? source : (source.since?.(from) ?? source)
  const rotation = defined({ rows: options.rotateRows, bytes: options.rotateBytes })
  return bare({
    ...paceOf(planned),
    ...defined({ lease: options.lease, onReject: options.onReject }),
    source: sourceOf(read, options.untilStable ?? false),
    target: targetOf(paths, format, rotation, files),
    spec: specFor(read.describe()),
    begin: planned.begin ?? (restart ? 'restart' : resume ? 'resume' : 'new'),
    adds: sinceLast !== false,
    client: list,
    since,
    files,
  })
}

/** Returns what makes the spec of a list that is exported with these options. */
export const specOfExport =
  <A, B>(format: Format<B>, options: Omit<ExportOptions<A, B>, 'out'>) =>
  (list: ListDescription<unknown>) =>
  (output: string): ExportSpec =>
    specOf(list, format, { account: options.account, written: writtenOf(options, list) }, output)

/** How rows are chosen and told apart, and how often they are made durable. */
const paceOf = <A, B>({ options, list, format }: Planned<A, B>): Pace<A, B> => {
  const {
    filter,
    map,
    key,
    stop,
    timer,
    maxRejects = exportTable.maxRejects.default,
    commitEvery,
  } = options
  const isBucket = typeof options.out === 'string' && isS3(options.out)
  const usual =
    format.name === 'parquet' ? ROW_GROUPS_EVERY : isBucket ? UPLOAD_EVERY : COMMIT_EVERY
  const every = commitEvery ?? usual
  return bare({
    ...defined({ filter, map, key, stop, timer }),
    every,
    maxRejects,
    // deeper levels than `stripped` looks at are cut off before anything else
    redact: (raw) => list.scrub(truncated(stripped(raw))),
  })
}

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

/** Tells progress and failure apart. */
const eithersOf = (
  { failure, cut, begun, ...rest }: RunEvent,
  { loneSurrogates, formulas }: TextFindings,
  name: string,
): ReadonlyArray<ExportEvent> => {
  const progress: ExportProgress = {
    ...rest,
    ...(loneSurrogates > 0 ? { loneSurrogates } : {}),
    ...(formulas > 0 ? { formulas } : {}),
    ...(cut === 'stopped' ? { stopped: true } : {}),
    ...(begun && {
      begun: {
        resumed: begun.resumed,
        ...defined({ tookOver: begun.tookOver, since: begun.since }),
      },
    }),
  }
  if (failure !== undefined) return [E.right(progress), E.left(failure)]
  if (cut !== 'rejects') return [E.right(progress)]
  const why = 'more rows than maxRejects cannot be written'
  return [E.right(progress), E.left(exportError('TooManyRejects', why, { path: name }))]
}

/** Returns the error if the system refused to write; others are bugs, or of the caller's own functions. */
const expectedError = (error: unknown, name: string): ExportError | undefined => {
  if (isExportError(error)) return withUrls(error)
  if (!isSystemError(error)) return undefined
  const path = 'path' in error && typeof error.path === 'string' ? error.path : name
  const message = `cannot write ${path}: ${error.message}`
  return exportError('WriteFailed', message, { path, code: error.code }, error)
}
