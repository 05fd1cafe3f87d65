/** How an export ended: its exit status, and its last line. */

import { isSystemError } from '../../export/file/systemError.js'
import { Unreadable } from '../../export/file/Unreadable.js'
import {
  CannotRun,
  Disturbed,
  NotTheSame,
  type Obstacle,
  type RunProgress,
} from '../../export/index.js'
import { codes, isInProgressBy } from '../../http/answer/errorCodes.js'
import type { AnyFailure, ListGuard } from '../../http/Failure.js'
import { InvalidOption } from '../../options/index.js'
import {
  EXIT_BY_SIGNAL,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_USAGE,
  UsageError,
} from '../output.js'
import type { Signal } from '../Terminal.js'

// model

export interface Conclusion {
  readonly status: number
  /** Why it is not complete; nothing when it is, or when nobody listens any more. */
  readonly reason?: string
}

/** What an export writes to, as it is called. */
export interface Output {
  readonly name: string
  readonly rejectsName: string
  /** Whether a folder of it can be added to. */
  readonly canAdd: boolean
}

/** What is said where it can be gone on with. */
const RESUME = 'the same command with --resume goes on'

/** The same, where too many rows were rejected. */
const GREATER = '--resume with a greater --max-rejects goes on'

// constructors

/** The list was read until it ended, failed, or somebody stopped it. */
export const conclusion = (
  { ended, failure, cut, rejects, pages, entry }: RunProgress,
  stopped: Signal | undefined,
  { rejectsName }: Output,
): Conclusion => {
  const goOn = entry === undefined ? '' : `; ${RESUME}`
  if (failure !== undefined) {
    if (comesAgain(failure)) {
      return {
        status: EXIT_INCOMPLETE,
        reason: `${failure.message}: --resume comes to the same, unless the list has changed`,
      }
    }
    const untouched = pages === 0 && entry === undefined
    const status = untouched && isFinal(failure) ? EXIT_USAGE : EXIT_INCOMPLETE
    return { status, reason: `${failure.message}${goOn}` }
  }
  if (cut === 'rejects') {
    const why = `more rows than --max-rejects could not be written: see ${rejectsName}`
    return { status: EXIT_INCOMPLETE, reason: entry === undefined ? why : `${why}; ${GREATER}` }
  }
  if (stopped !== undefined && !ended) {
    return { status: EXIT_BY_SIGNAL[stopped], reason: `stopped by ${stopped}${goOn}` }
  }
  return rejects > 0
    ? { status: EXIT_INCOMPLETE, reason: `rows could not be written: see ${rejectsName}` }
    : { status: EXIT_COMPLETE }
}

/** Whether the service answers alike however long one waits: the keys, the query or an id are wrong. */
const isFinal = (failure: AnyFailure): boolean => {
  switch (failure._tag) {
    case 'InvalidRequest':
    case 'Unauthorized':
      return true
    case 'Refused':
      return !isInProgressBy(codes)(failure) && !PASSING.includes(failure.status)
    case 'Truncated':
      return failure.cause !== undefined && isFinal(failure.cause)
    default:
      return false
  }
}

/** Refusals that say "later", beside a 409: Request Timeout, Locked, Too Early. */
const PASSING: ReadonlyArray<number> = [408, 423, 425]

/** A list that goes round does so again, and so does one within a snapshot. */
const comesAgain = (failure: AnyFailure): boolean => {
  if (failure._tag !== 'Truncated') return false
  const { guard, cause } = failure
  return guard === undefined ? cause !== undefined && comesAgain(cause) : ENDLESS.includes(guard)
}

const ENDLESS: ReadonlyArray<ListGuard> = ['Repeated', 'SameRows', 'Astray', 'Shapeless']

/** What to do about an obstacle, as the end of its sentence. */
const ADVICE: Readonly<Record<Exclude<Obstacle, 'kept'>, string>> = {
  begun: ': --resume goes on with it, --restart starts over',
  foreign: ': use the options that it was begun with, or --restart to start over',
  damaged: ': --restart starts over',
  later: '',
  locked: '',
  rejects: `: ${GREATER}, --restart starts over`,
  missing: '',
  nowhere: '',
}

const adviceFor = (obstacle: Obstacle, { canAdd }: Output): string =>
  obstacle === 'kept'
    ? `: ${canAdd ? '--since-last adds to it, ' : ''}--restart replaces it`
    : ADVICE[obstacle]

/** How far an export was when it failed. */
export interface Stand {
  /** Whether it has begun: until then nothing is changed. */
  readonly isBegun: boolean
  /** Whether some of it was committed. */
  readonly canResume: boolean
}

/** Refusals to read that no waiting mends. */
const BARRED: ReadonlyArray<string> = ['EACCES', 'EPERM', 'EISDIR', 'ELOOP']

/**
 * What was in the way, or what came of writing. Throws what is neither wrong use nor the system's word for
 * it, since that is a bug.
 */
export const writeFailure = (
  error: unknown,
  output: Output,
  { isBegun, canResume }: Stand,
): Conclusion => {
  if (error instanceof UsageError || error instanceof InvalidOption) throw error
  if (error instanceof CannotRun) {
    return { status: EXIT_USAGE, reason: `${error.message}${adviceFor(error.obstacle, output)}` }
  }
  if (error instanceof NotTheSame) {
    return { status: EXIT_USAGE, reason: `${error.message}: --restart starts over` }
  }
  if (error instanceof Disturbed) {
    const moved = error.isGone
      ? ', or, where it was moved with its checkpoint, --resume goes on there'
      : ''
    return { status: EXIT_INCOMPLETE, reason: `${error.message}: --restart starts over${moved}` }
  }
  if (!isSystemError(error)) throw error
  if (error.code === 'EPIPE') return { status: EXIT_BY_SIGNAL.SIGPIPE } // who read has read enough
  const isRead = error instanceof Unreadable
  const status = isRead && !isBegun && BARRED.includes(error.code) ? EXIT_USAGE : EXIT_INCOMPLETE
  const path = 'path' in error && typeof error.path === 'string' ? error.path : output.name
  const goOn = canResume ? `; ${RESUME}` : ''
  const what = isRead ? 'read' : 'write'
  return { status, reason: `cannot ${what} ${path}: ${error.message}${goOn}` }
}
