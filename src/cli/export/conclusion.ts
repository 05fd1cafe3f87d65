/** How an export ended: its exit status, and its last line. */
import {
  type ExportError,
  type ExportEvent,
  type ExportProgress,
  isExportError,
  isRetryable,
  type ManifestRun,
} from '../../export/index.js'
import { E } from '../../fp.js'
import { codes, isInProgressBy } from '../../http/answer/errors.js'
import type { AnyFailure, ListGuard } from '../../http/Failure.js'
import { number, plural } from '../../report/text.js'
import {
  EXIT_BY_SIGNAL,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_LOCKED,
  EXIT_USAGE,
} from '../output.js'
import type { DestinationState } from '../progress/ExportCounters.js'
import type { Ending } from '../runCommand.js'
import type { Signal } from '../Terminal.js'

// model

export interface Conclusion {
  readonly status: number
  /** Why it is not complete; absent when it is, and when the reader of stdout went away. */
  readonly reason?: string
}

/** The destination of an export, by the names that messages use. */
export interface DestinationNames {
  readonly name: string
  readonly rejectsName: string
  /** True if it can be resumed. */
  readonly canResume: boolean
  /** True if a folder of it can be added to. */
  readonly canAdd: boolean
  /** True if it continues from an earlier manifest. */
  readonly sinceLast: boolean
}

/** The end of an export. */
export interface ExportEnd {
  /** The last event; absent if it was stopped before it began. */
  readonly event: ExportEvent | undefined
  /** The last progress; absent if it never began. */
  readonly progress: ExportProgress | undefined
  /** The signal that stopped it. */
  readonly stopped: Signal | undefined
}

const RESUME = 'the same command with --resume continues'
const AGAIN = '; the same command with --resume reads them again'
const MORE_REJECTS = '--resume with a greater --max-rejects continues'

// constructors

/** Returns the exit status, and why. */
export const conclusion = (
  { event, progress, stopped }: ExportEnd,
  destination: DestinationNames,
): Conclusion => {
  if (event !== undefined && E.isLeft(event)) {
    return isExportError(event.left)
      ? fileConclusion(event.left, progress, destination)
      : serviceConclusion(event.left, progress)
  }
  const { ended = false, rejects = 0, run } = progress ?? {}
  if (stopped !== undefined && !ended) {
    const goOn = run === undefined ? '' : `; ${RESUME}`
    return { status: EXIT_BY_SIGNAL[stopped], reason: `stopped by ${stopped}${goOn}` }
  }
  return rejects > 0
    ? {
        status: EXIT_INCOMPLETE,
        reason: `rows could not be written${whyRejected(run)}: see ${destination.rejectsName}${destination.canResume ? AGAIN : ''}`,
      }
    : { status: EXIT_COMPLETE }
}

/** Reasons that are printed; the others are in the report. */
const MOST_REASONS = 3

/** Returns the most frequent reasons for which rows were rejected, in brackets. */
const whyRejected = ({ reasons = [] }: Pick<ManifestRun, 'reasons'> = {}): string => {
  const all = reasons.toSorted((a, b) => b.rows - a.rows)
  const shown = all.slice(0, MOST_REASONS).map(({ reason, rows }) => `${number(rows)}: ${reason}`)
  const more = all.length > MOST_REASONS ? ['...'] : []
  return all.length === 0 ? '' : ` (${[...shown, ...more].join('; ')})`
}

/** Returns the state of the destination after an export. */
export const destinationState = (
  { event, progress, stopped }: ExportEnd,
  { canResume }: DestinationNames,
): DestinationState => {
  if (!canResume) return 'written'
  if (progress === undefined) return 'untouched'
  const { pages, run, ended } = progress
  const isLeft = event !== undefined && E.isLeft(event)
  if (isLeft && isExportError(event.left) && event.left._tag !== 'TooManyRejects') {
    return pages === 0 ? 'unkept' : 'written'
  }
  const isOver = isLeft || stopped !== undefined
  return isOver && !ended && pages === 0 && run === undefined ? 'untouched' : 'written'
}

// failures of the service

const serviceConclusion = (
  failure: AnyFailure,
  progress: ExportProgress | undefined,
): Conclusion => {
  if (repeatsItself(failure)) {
    return {
      status: EXIT_INCOMPLETE,
      reason: `${failure.message}: --resume comes to the same, unless the list has changed`,
    }
  }
  const { pages = 0, run } = progress ?? {}
  const isUntouched = pages === 0 && run === undefined
  const status = isUntouched && isFinal(failure) ? EXIT_USAGE : EXIT_INCOMPLETE
  return { status, reason: `${withAdvice(failure)}${run === undefined ? '' : `; ${RESUME}`}` }
}

/** Returns the message of a failure; of refused keys, with what to check. */
export const withAdvice = (failure: AnyFailure): string =>
  failure._tag === 'Unauthorized'
    ? `${failure.message} (check the client id and the API key; "payments-rx doctor" says more)`
    : failure.message

export const NEXT = 'the same command continues'

/** Ends a command that a signal has stopped, and that continues when it is run again. */
export const stoppedBy = (signal: Signal): Required<Conclusion> => ({
  status: EXIT_BY_SIGNAL[signal],
  reason: `stopped by ${signal}; ${NEXT}`,
})

/** Ends a command that read from the service, and wrote nothing. */
export const failureEnding = (failure: AnyFailure): Ending => ({
  status: isFinal(failure) ? EXIT_USAGE : EXIT_INCOMPLETE,
  reason: withAdvice(failure),
})

/** True if waiting does not help: the keys, the query or an id are wrong. */
export const isFinal = (failure: AnyFailure): boolean => {
  switch (failure._tag) {
    case 'InvalidRequest':
    case 'Unauthorized':
      return true
    case 'Refused':
      return !isInProgressBy(codes)(failure) && !TEMPORARY.includes(failure.status)
    case 'Truncated':
      return failure.cause !== undefined && isFinal(failure.cause)
    default:
      return false
  }
}

/** Refusals that say "later", beside a 409: Request Timeout, Locked, Too Early. */
const TEMPORARY: ReadonlyArray<number> = [408, 423, 425]

/** True if a list repeats its pages, or one within a snapshot does. */
const repeatsItself = (failure: AnyFailure): boolean => {
  if (failure._tag !== 'Truncated') return false
  const { guard, cause } = failure
  return guard === undefined ? cause !== undefined && repeatsItself(cause) : ENDLESS.includes(guard)
}

const ENDLESS: ReadonlyArray<ListGuard> = [
  'Repeated',
  'SameRows',
  'OutsideFilter',
  'RowsMissing',
  'Unordered',
  'OrderChanged',
]

// errors of files

/** True if the error is about the manifest of an earlier run. */
const isAboutManifest = (error: ExportError): boolean =>
  'path' in error && error.path.endsWith('manifest.json')

const fileConclusion = (
  error: ExportError,
  progress: ExportProgress | undefined,
  { name, rejectsName, canResume, canAdd, sinceLast }: DestinationNames,
): Conclusion => {
  const usage = (advice: string): Conclusion => ({
    status: EXIT_USAGE,
    reason: `${error.message}${advice}`,
  })
  const incomplete = (reason: string): Conclusion => ({ status: EXIT_INCOMPLETE, reason })
  const { pages = 0, run } = progress ?? {}
  if (sinceLast && error._tag !== 'OutputExists' && isAboutManifest(error)) {
    const restart = error._tag === 'Damaged' ? ': --restart without --since-last starts over' : ''
    return { status: EXIT_USAGE, reason: `--since-last: ${error.message}${restart}` }
  }
  switch (error._tag) {
    case 'CheckpointExists':
      return usage(': --resume continues it, --restart starts over')
    case 'Locked':
    case 'Fenced':
      return { status: EXIT_LOCKED, reason: error.message }
    case 'OutputExists':
      if (!isAboutManifest(error)) return usage(': --restart replaces it')
      return usage(`: ${canAdd ? '--since-last adds to it, ' : ''}--restart replaces it`)
    case 'NothingToResume':
      return usage(': without --resume, an export begins')
    case 'SpecMismatch':
      return usage(': use the options that it was begun with, or --restart to start over')
    case 'Damaged':
    case 'ChecksumMismatch':
      return usage(': --restart starts over')
    case 'NotAssembled':
      return incomplete(`${error.message}: the same command tries these again`)
    case 'TooManyRejects': {
      if (progress === undefined) return usage(`: ${MORE_REJECTS}, --restart starts over`)
      const message = `more rows than --max-rejects could not be written${whyRejected(run)}: see ${rejectsName}`
      const reason = run === undefined ? message : `${message}; ${MORE_REJECTS}`
      return { status: EXIT_USAGE, reason }
    }
    case 'FileConflict': {
      const moved = ', or, where it was moved with its checkpoint, --resume continues there'
      return usage(`: --restart starts over${error.isGone ? moved : ''}`)
    }
    case 'DeadlinePassed':
      return incomplete(`${error.message}${run === undefined ? '' : `; ${RESUME}`}`)
    case 'ReadFailed':
      return isRetryable(error)
        ? incomplete(`${error.message}; ${canResume && pages > 0 ? RESUME : NEXT}`)
        : usage('')
    case 'WriteFailed': {
      if (error.code === 'EPIPE') return { status: EXIT_BY_SIGNAL.SIGPIPE } // the reader has read enough
      const message = error.message.replace('the stream', name)
      const goesOn = canResume && pages > 0
      return isRetryable(error)
        ? incomplete(`${message}${goesOn ? `; ${RESUME}` : canResume ? `; ${NEXT}` : ''}`)
        : { status: EXIT_USAGE, reason: `${message}${goesOn ? `; then ${RESUME}` : ''}` }
    }
    default:
      return usage('')
  }
}

/** Names objects that a run could not remove for lack of permission. */
export const unremovedNotes = ({
  unremoved = [],
}: {
  readonly unremoved?: ReadonlyArray<string>
} = {}): ReadonlyArray<string> => {
  const [first] = unremoved
  if (first === undefined) return []
  const many = plural(unremoved.length, 'object')
  const advice = 'grant s3:DeleteObject, or read only the files in the manifest'
  return [
    `${many} not removed, since the credentials may not: ${first}${unremoved.length > 1 ? ' and others' : ''}; ${advice}`,
  ]
}

/** The end of a last line: `, 3 objects not removed`; empty where nothing is left. */
export const unremovedEnd = (progress: Parameters<typeof unremovedNotes>[0]): string => {
  const { length } = progress?.unremoved ?? []
  return length === 0 ? '' : `, ${plural(length, 'object')} not removed`
}
