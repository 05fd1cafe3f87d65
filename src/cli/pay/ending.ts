/** The end of a payment run, with its exit status and its last lines. */
import { login } from '../../api/authentication.js'
import { heldText, submittedOf } from '../../client/pay/heldBatches.js'
import type { PayFailure } from '../../client/pay/PayFailure.js'
import type { PayEvent, PayReport, RunBatches } from '../../client/pay/PayOptions.js'
import { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import { number, plural } from '../../report/text.js'
import { type Exceptions, failureEnding, NEXT, stoppedBy } from '../endings.js'
import { EXIT_COMPLETE, EXIT_INCOMPLETE, EXIT_LOOK, EXIT_USAGE } from '../output.js'
import type { Ending } from '../runCommand.js'
import type { Signal } from '../Terminal.js'

/** A file that cannot be read, or has changed since it was read. */
export interface FileProblem {
  readonly _tag: 'FileProblem'
  readonly message: string
}

export type PayStep = E.Either<PayFailure | FileProblem, PayEvent>

export interface Published {
  /** Lines with the files' paths. */
  readonly lines: ReadonlyArray<string>
  /** The reason why some files could not be written. */
  readonly problem?: string
  /** Outcomes that could not be written. */
  readonly unwritten: string
}

export interface PayEnd {
  readonly run: string
  /** The last step; absent if the run was stopped before it. */
  readonly last: PayStep | undefined
  /** The reason why the quote is not paid in spite of `--yes`. */
  readonly refusal: Ending | undefined
  readonly stopped: Signal | undefined
  /** True if a request was sent. Before that, this process cannot have submitted anything. */
  readonly isSent: boolean
  /** True if a request that submits payments was sent. */
  readonly maySubmit: boolean
  /** The batches as read after a failure; absent if they were not read. */
  readonly held: RunBatches | undefined
  readonly published: Published
}

export const conclude = (end: PayEnd): Ending => {
  const ending = concludeRun(end)
  const { problem, unwritten } = end.published
  if (problem === undefined) return ending
  const where = unwritten === '' ? '' : '; the outcomes are printed on stderr instead'
  const again = ending.status === EXIT_COMPLETE ? '; rerun the same command to write them' : ''
  return {
    ...ending,
    status: ending.status === EXIT_COMPLETE ? EXIT_INCOMPLETE : ending.status,
    reason: [
      ...(ending.reason === undefined ? [] : [ending.reason]),
      `${problem}${where}${again}`,
    ].join('; '),
  }
}

const concludeRun = (end: PayEnd): Ending => {
  const { last, refusal, stopped } = end
  if (last !== undefined && E.isLeft(last)) return concludeFailure(end, last.left)
  const report = reportOf(last)
  if (report === undefined) {
    return stopped === undefined ? { status: EXIT_INCOMPLETE, reason: NEXT } : stoppedBy(stopped)
  }
  if (report.isDeclined) {
    if (refusal?.status !== EXIT_USAGE) return refusal ?? { status: EXIT_COMPLETE }
    const isSubmitted = submittedOf({ batches: report.batches, isWhole: true }).length > 0
    return { ...refusal, status: isSubmitted ? EXIT_LOOK : EXIT_USAGE }
  }
  if (report.unknown > 0) {
    const some = `the outcome of ${plural(report.unknown, 'payment')} is not available yet`
    return {
      status: EXIT_LOOK,
      reason: `${some}; rerun the same command later to check again`,
    }
  }
  return { status: report.isPaid || report.items === 0 ? EXIT_COMPLETE : EXIT_LOOK }
}

const concludeFailure = (
  { run, isSent, maySubmit, held: read }: PayEnd,
  failure: PayFailure | FileProblem,
): Ending => {
  const held = read ?? { batches: [], isWhole: false }
  if (failure._tag === 'FileProblem' || 'run' in failure) {
    const isSafe = failure._tag === 'NothingToPay' || !isSent
    const state = failure._tag === 'FileProblem' && isSent ? `; ${heldText(run, held)}` : ''
    return { status: isSafe ? EXIT_USAGE : statusOf(held), reason: `${failure.message}${state}` }
  }
  const ending = failureEnding(failure, UNSEEN)
  const status = statusOf(held)
  if (failure._tag === 'Ambiguous' && read !== undefined) return { status, reason: failure.message }
  if (ending.status === EXIT_INCOMPLETE) return ending
  const next = status === EXIT_USAGE ? '' : `; once the cause is fixed, ${NEXT}`
  const isUnseen = !held.isWhole && submittedOf(held).length === 0
  if (isDenied(failure) && isUnseen && !maySubmit) {
    const what = failure.endpoint === login.route ? 'the login' : 'access'
    const before = `an earlier run of ${run} may have submitted payments`
    const reason = `${what} was refused, so this run submitted nothing (${ending.reason}); ${before}${next}`
    return { status, reason }
  }
  return { status, reason: `${ending.reason}; ${heldText(run, held)}${next}` }
}

const isDenied = ({ status }: AnyFailure): boolean => status === 401 || status === 403

/** For a run whose batches were not read: repeating it pays nothing twice, and the batches may contain submitted payments. */
export const UNSEEN: Exceptions = { statuses: { look: EXIT_INCOMPLETE, act: EXIT_LOOK } }

/** Returns the exit status, which depends on the platform's state and not on what this process remembers. */
const statusOf = (held: RunBatches): number =>
  held.isWhole && submittedOf(held).length === 0 ? EXIT_USAGE : EXIT_LOOK

export const reportOf = (last: PayStep | undefined): PayReport | undefined =>
  last !== undefined && E.isRight(last) && last.right._tag === 'Reported'
    ? last.right.report
    : undefined

export const verdict = (report: PayReport | undefined): string => {
  if (report === undefined) return 'incomplete'
  const { run, isPaid, isDeclined, items, booked, failed, leftOut, unknown } = report
  if (items === 0) return `nothing to pay for ${run}`
  if (isDeclined) return `quoted: ${plural(items, 'payment')} in ${run}, ${number(booked)} booked`
  const others = [
    [failed, 'failed'],
    [leftOut, 'left out'],
    [unknown, 'unknown'],
  ] as const
  const rest = others.filter(([n]) => n > 0).map(([n, what]) => `${number(n)} ${what}`)
  const outcome = isPaid ? 'complete' : unknown > 0 ? 'incomplete' : 'finished'
  return `${outcome}: ${[`${number(booked)} of ${plural(items, 'payment')} in ${run} booked`, ...rest].join(', ')}`
}
