/** How an export ended: its exit status, and its last line. */
import { isComplete, type Meter } from './Meter.js'
import type { Target } from './Target.js'
import { COMPLETE, INCOMPLETE, type Signal, STATUS, WRONG_USE } from './Terminal.js'

// model

export interface Conclusion {
  readonly status: number
  /** Why it is not complete; nothing when it is, or when nobody listens any more. */
  readonly reason?: string
}

// constructors

/** The list was read until it ended, failed, or somebody stopped it. */
export const conclusion = (
  { ended, failure, rejects, ...meter }: Meter,
  stopped: Signal | undefined,
  { rejectsName }: Target,
): Conclusion => {
  if (failure !== undefined) {
    const status = failure._tag === 'InvalidRequest' ? WRONG_USE : INCOMPLETE
    return { status, reason: failure.message }
  }
  if (stopped !== undefined) return { status: STATUS[stopped], reason: `stopped by ${stopped}` }
  if (!isComplete({ ended, rejects, ...meter })) {
    return { status: INCOMPLETE, reason: `rows did not decode: see ${rejectsName}` }
  }
  return { status: COMPLETE }
}

/** What came of writing. Throws what is not the system's word for it, since that is a bug. */
export const writeFailure = (error: unknown, { name }: Target): Conclusion => {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error
  return error.code === 'EPIPE'
    ? { status: STATUS.SIGPIPE } // who read has read enough
    : { status: INCOMPLETE, reason: `cannot write ${name}: ${error.message}` }
}
