/** A list into files that survive a crash. */
import {
  asyncScheduler,
  catchError,
  concat,
  concatMap,
  defer,
  from,
  type Observable,
  of,
  takeUntil,
  throwError,
} from 'rxjs'
import { bare, defined } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { ListDescription } from '../../http/list/List.js'
import { disk, type FileSystem } from '../../store/FileSystem.js'
import type { LeaseWait } from '../../store/lease.js'
import type { Millis } from '../../stream/index.js'
import { isExportError } from '../ExportError.js'
import type { Source } from '../ExportSource.js'
import {
  exportList,
  isLast,
  NO_PROGRESS,
  type Pace,
  type Progress,
  type Sink,
} from '../exportList.js'
import { estimateAt, type ProgressEstimate } from '../ProgressEstimate.js'
import type { AnyPosition } from '../SourcePage.js'
import type { Reject } from '../sortPage.js'
import { bracket } from './bracket.js'
import type { Checkpoint } from './Checkpoint.js'
import { ensureOutputDir } from './checkPaths.js'
import type { ExportSpec } from './ExportSpec.js'
import type { ManifestRun } from './Manifest.js'
import { seenFrom } from './paths.js'
import { type Begin, findResumeState } from './ResumeState.js'
import { countRequests, type Run, type RunProgress, runOf } from './Run.js'
import { takeRecords } from './records.js'
import type { Since } from './sinceLast.js'
import type { Target } from './Target.js'

// model

/** The list to export, where to, and how. */
export interface RunOptions<A, B> extends Pace<A, B> {
  readonly source: Source<A>
  readonly target: Target<B>
  /** Describes the export, given its output as seen from the folder of the checkpoint. */
  readonly spec: (output: string) => ExportSpec
  /** The action for a checkpoint that is there. */
  readonly begin: Begin
  /** In a folder: whether it adds to the runs that are there. */
  readonly adds: boolean
  /** The client whose requests and drift are counted. */
  readonly client: Pick<ListDescription<unknown>, 'drift' | 'events' | 'perSecond' | 'serviceTime'>
  /** Is told of rejected rows, when they are kept. */
  readonly onReject?: Sink<Reject>
  /** From when on it reads, where it continues from an earlier run. */
  readonly since?: Since | undefined
  /** How long its lease lasts without a renewal, in ms. */
  readonly lease?: Millis | undefined
  /** Default: the disk. */
  readonly files?: FileSystem
}

/** How a run begins. */
export interface Begun {
  /** True if it continues from a checkpoint. */
  readonly resumed: boolean
  /** True if an earlier run did not release its lease: it was killed, or is frozen. */
  readonly tookOver?: true
  readonly since?: Since
}

/** How far a run is. */
export interface RunEvent extends RunProgress {
  /** Another run has the lease; how long this one waits for it to end. Before all else. */
  readonly waiting?: LeaseWait
  /** How it begins; with the first progress only. */
  readonly begun?: Begun
  /** Why a resumed run reads its list from the beginning again; with one progress before the first page. */
  readonly reread?: AnyFailure
}

/** A run that has its lease, until it releases it. */
interface Held<A, B> {
  readonly options: RunOptions<A, B>
  readonly run: Run<A, B>
  readonly checkpoint: Checkpoint | undefined
  /** The run that wrote all of it before. */
  readonly complete: ManifestRun | undefined
  readonly begun: Begun
  /** How much was read before. */
  readonly estimate: ProgressEstimate
  readonly lost: Observable<never>
  /** Rejects with `Fenced` when a later run has taken over. */
  readonly checkOwner: () => Promise<void>
  readonly release: () => Promise<void>
}

// constructors

/**
 * Writes a list into files that survive: at most a second after it was read, all that was read is durable, and a
 * checkpoint says up to where. A run that ended, however it did, is resumed from there. Beside the files a manifest
 * says in the end what is in them, and what is missing.
 *
 * Cold: each subscription is a run, of what `plan` resolves with then. An `ExportError` is the error of the stream when
 * something is in the way, before anything is asked for or changed; what the system refuses comes after the progress
 * that was committed last. Unsubscribing leaves files and checkpoint as they were last committed, and releases the lease
 * when the write in progress is done; the next subscription waits for that. `stop` commits first. A run that was frozen,
 * and finds its lease taken over, ends with `Fenced`, and changes nothing more.
 */
export const runExport = <A, B = A>(plan: () => Promise<RunOptions<A, B>>): Observable<RunEvent> =>
  bracket(
    async (tell: (event: RunEvent) => void) =>
      acquire(await plan(), (waiting) => tell({ ...NO_PROGRESS, waiting })),
    ({ release }: Held<A, B>) => release(),
  )((held) => {
    const { run, begun, estimate, lost } = held
    const pages = readAll(held).pipe(
      takeUntil(lost),
      catchError((error: unknown) =>
        from(causeOf(held, error)).pipe(
          concatMap((cause) =>
            concat(
              from(run.fail(cause)),
              throwError(() => cause),
            ),
          ),
        ),
      ),
    )
    const first = { ...NO_PROGRESS, ...defined({ share: estimate.share }) }
    return concat(of({ ...run.total(first), begun }), pages)
  })

/** Takes the lease, and finds out where to continue; or releases all, and rejects. */
const acquire = async <A, B>(
  options: RunOptions<A, B>,
  onWait: (wait: LeaseWait) => void,
): Promise<Held<A, B>> => {
  const { source, target, client, files = disk, timer = asyncScheduler, since } = options
  const { begin, adds, maxRejects = Number.POSITIVE_INFINITY, stop, lease: length } = options
  const { paths } = target
  await ensureOutputDir(files, paths)
  const restart = begin === 'restart'
  const records = await takeRecords({ files, paths, timer, length, onWait, stop, restart })
  const counter = countRequests(client.events)
  let run: Run<A, B> | undefined
  const release = async (): Promise<void> => {
    counter.close()
    try {
      await run?.abandon()
    } finally {
      await records.release()
    }
  }
  try {
    const spec = options.spec(seenFrom(paths.checkpoint, paths.out))
    const { isPosition } = source
    const looking = { files, paths, records, spec, isPosition, begin, adds, maxRejects }
    const found = bare(await findResumeState(looking))
    const { checkpoint, complete } = found
    run = runOf({ source, target, client, files, records, timer, counter, found, spec })
    if (checkpoint !== undefined) await run.resume()
    const { lost, checkOwner } = records
    const tookOver = records.tookOver ? (true as const) : undefined
    const begun = { resumed: checkpoint !== undefined, ...defined({ tookOver, since }) }
    const estimate = estimateOf(checkpoint)
    return { options, run, checkpoint, complete, begun, estimate, lost, checkOwner, release }
  } catch (error) {
    await Promise.allSettled([release()]) // its own error would hide why
    throw error
  }
}

const estimateOf = (checkpoint: Checkpoint | undefined): ProgressEstimate => {
  const { position, share, counts: { rows = 0, rejects = 0 } = {} } = checkpoint ?? {}
  return estimateAt(position, share, rows + rejects)
}

/** Returns why a run failed: a later run that took over has changed its files, too. */
const causeOf = async <A, B>({ checkOwner }: Held<A, B>, error: unknown): Promise<unknown> => {
  const lost = await checkOwner().then(
    () => undefined,
    (why: unknown) => why,
  )
  return isExportError(lost) && lost._tag === 'Fenced' ? lost : error
}

const readAll = <A, B>(held: Held<A, B>): Observable<RunEvent> => {
  const { run, checkpoint, complete } = held
  if (complete !== undefined) {
    const { rows, rejects, ended } = complete
    return of({ ...NO_PROGRESS, rows, rejects, share: 1, ended, run: complete })
  }
  return checkpoint !== undefined && checkpoint.position === undefined
    ? defer(() => run.end({ ...NO_PROGRESS, ended: true })) // only its end was not written
    : read(held, checkpoint?.position)
}

const read = <A, B>(held: Held<A, B>, position: AnyPosition | undefined): Observable<RunEvent> => {
  const { options, run, checkpoint } = held
  const { maxRejects = Number.POSITIVE_INFINITY, source, target } = options
  const left = maxRejects - (checkpoint?.counts.rejects ?? 0)
  const list = source.pages(position)
  const { check } = target.format
  const rejects: Sink<Reject> = async (rows) => {
    await run.rejects(rows)
    await options.onReject?.(rows)
  }
  const { estimate } = held
  const reading = { ...options, ...run, list, check, rejects, maxRejects: left, estimate }
  return exportList<A, B>(reading).pipe(
    concatMap((progress): Observable<RunEvent> => {
      if (!isLast(progress)) return of(run.total(progress))
      const reread = position === undefined ? undefined : lostAt(held, position, progress)
      if (reread === undefined) return defer(() => run.end(progress))
      return concat(of({ ...run.total(NO_PROGRESS), reread }), read(held, undefined))
    }),
  )
}

/** Why the bookmark of the checkpoint is of no use, where all rows that were read are known by their keys. */
const lostAt = <A, B>(
  held: Held<A, B>,
  position: AnyPosition,
  { pages, failure }: Progress,
): AnyFailure | undefined =>
  pages === 0 &&
  failure !== undefined &&
  held.options.source.isLost(position, failure) &&
  knowsAllRows(held)
    ? failure
    : undefined

/** Rows without a key, and rejected ones without an id, would be there twice. */
const knowsAllRows = <A, B>({ options, run, checkpoint }: Held<A, B>): boolean => {
  const { rows = 0, rejects = 0 } = checkpoint?.counts ?? {}
  const rejectedIds = options.key === undefined ? run.rejectedIds?.size : 0
  return run.seen?.size === rows && rejectedIds === rejects
}
