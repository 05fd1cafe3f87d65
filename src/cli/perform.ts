/** Runs an export, a sync or a follow. Shows its progress and its outcome. */
import { lastValueFrom, type Observable, tap } from 'rxjs'
import { type ExportError, isExportError, type SyncProof } from '../export/index.js'
import { E, withoutUndefined } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { plural } from '../report/text.js'
import { type Exceptions, failureEnding, stoppedBy } from './endings.js'
import type { RejectedRows } from './export/rejectedRows.js'
import { EXIT_BY_SIGNAL, EXIT_COMPLETE, EXIT_INCOMPLETE, EXIT_USAGE } from './output.js'
import { countProgress } from './progress/ExportCounters.js'
import type { MonitoredRun } from './progress/ProgressMonitor.js'
import { isProven, isStuck, whyNotProven } from './proofText.js'
import type { CommandRun, Ending, Watch } from './runCommand.js'
import type { Signal } from './Terminal.js'

/** Progress of an export, a sync or a follow. */
interface AnyProgress {
  readonly rows: number
  readonly rejects: number
  readonly pages: number
  readonly ended: boolean
  readonly started?: unknown
  readonly waiting?: unknown
  readonly proof?: SyncProof
  readonly unremoved?: ReadonlyArray<string>
}

type AnyEvent<P> = E.Either<ExportError | AnyFailure, P>

export interface Performed<P> {
  readonly error: ExportError | AnyFailure | undefined
  /** The last progress; absent if the run never started. */
  readonly progress: P | undefined
  /** True if this process has read a page; `progress.pages` also counts those of an earlier start. */
  readonly hasRead: boolean
  readonly stopped: Signal | undefined
}

/** Messages of a command about its run. */
export interface Words<P> {
  /** Name of the destination. */
  readonly name: string
  readonly first?: ReadonlyArray<string>
  /** Rejected rows, if the destination has no place for them. */
  readonly rejected?: RejectedRows | undefined
  /** Returns permanent lines for a progress, or for a failure after which the run continues. */
  readonly told: (event: AnyEvent<P>) => ReadonlyArray<string>
  /** Returns the lines at the end. */
  readonly notes?: (progress: P | undefined) => ReadonlyArray<string>
  readonly summary?: (end: Performed<P>, watch: Watch) => string
  /** Returns the reason why rows are missing, and how to fix it. */
  readonly rejects: (progress: P) => string
  readonly exceptions: (end: Performed<P>) => Exceptions
  /** True if rows are written to a local disk. */
  readonly isOnDisk?: boolean
  /** True if it runs until it is stopped. */
  readonly isEndless?: boolean
  /** True if the run ends with the status of SIGPIPE, and not as a failure, when the reader closes the pipe. */
  readonly isStream?: boolean
}

/** Performs a run. If it rejects, that is a bug, and everything is unsubscribed. */
export const perform = async <P extends AnyProgress>(
  run: CommandRun,
  client: MonitoredRun['client'],
  events: Observable<AnyEvent<P>>,
  words: Words<P>,
): Promise<Ending> => {
  const { first = [], rejected, notes = () => [], summary } = words
  const watch = run.watch(client, withoutUndefined({ isOnDisk: words.isOnDisk }))
  for (const line of first) run.say(line)
  const noting = rejected?.notes.subscribe(run.say)
  let progress: P | undefined
  let pagesBefore = 0
  const note = (event: AnyEvent<P>): void => {
    if (E.isRight(event)) {
      progress = event.right
      if (progress.waiting !== undefined) return
      watch.count(countProgress(progress))
    }
    for (const line of words.told(event)) run.say(line)
    if (E.isRight(event) && event.right.started !== undefined) {
      pagesBefore = event.right.pages
      watch.begin()
    }
  }
  const last = await lastValueFrom(events.pipe(tap(note)), { defaultValue: undefined }).finally(
    () => noting?.unsubscribe(),
  )
  await rejected?.close()
  for (const line of [...notes(progress), ...unremovedNotes(progress)]) run.say(line)
  const error = last !== undefined && E.isLeft(last) ? last.left : undefined
  const hasRead = (progress?.pages ?? 0) > pagesBefore
  const end = { error, progress, hasRead, stopped: run.stopped() }
  const ending = conclusion(end, words)
  if (summary === undefined || ending.status === EXIT_BY_SIGNAL.SIGPIPE) return ending
  return { ...ending, summary: `${summary(end, watch)}${unremovedEnd(progress)}` }
}

/** Returns the exit status, and the reason for it. */
export const conclusion = <P extends AnyProgress>(
  end: Performed<P>,
  words: Pick<Words<P>, 'name' | 'rejects' | 'exceptions' | 'isEndless' | 'isStream'>,
): Pick<Ending, 'status' | 'reason'> => {
  const { error, progress, stopped } = end
  const exceptions = words.exceptions(end)
  const isOwn = error !== undefined && isExportError(error) && error._tag !== 'Locked'
  if (stopped !== undefined && !isOwn && (words.isEndless || progress?.ended !== true)) {
    return stoppedBy(stopped, exceptions.next)
  }
  if (error !== undefined) {
    if (words.isStream && 'code' in error && error.code === 'EPIPE') {
      return { status: EXIT_BY_SIGNAL.SIGPIPE } // the reader has read enough
    }
    const { status, reason } = failureEnding(error, exceptions)
    const named = reason.replace('the stream', words.name).replace('maxRejects', '--max-rejects')
    return { status, reason: named }
  }
  if (progress === undefined) return { status: EXIT_COMPLETE }
  const { proof, rejects } = progress
  const reasons = [
    ...(rejects === 0 ? [] : [words.rejects(progress)]),
    ...(proof === undefined || isProven(proof) ? [] : [unproven(proof)]),
  ]
  if (reasons.length === 0) return { status: EXIT_COMPLETE }
  const status = proof !== undefined && isStuck(proof) ? EXIT_USAGE : EXIT_INCOMPLETE
  return { status, reason: reasons.join('; ') }
}

export const unproven = (proof: SyncProof): string => `may be incomplete: ${whyNotProven(proof)}`

/** Lists objects that a run could not remove for lack of permission. */
const unremovedNotes = ({ unremoved = [] }: Partial<AnyProgress> = {}): ReadonlyArray<string> => {
  const [first] = unremoved
  if (first === undefined) return []
  const many = plural(unremoved.length, 'object')
  const advice = 'grant s3:DeleteObject, or read only the files listed in the manifest'
  return [
    `${many} not removed, because permission is missing: ${first}${unremoved.length > 1 ? ' and others' : ''}; ${advice}`,
  ]
}

/** Returns the end of the last line: `, 3 objects not removed`; empty if everything was removed. */
const unremovedEnd = ({ unremoved = [] }: Partial<AnyProgress> = {}): string =>
  unremoved.length === 0 ? '' : `, ${plural(unremoved.length, 'object')} not removed`
