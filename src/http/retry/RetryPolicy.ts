import { type AnyEndpoint, method } from '../../api/Endpoint.js'
import { plural } from '../../decode/plural.js'
import { fieldsOf } from '../../decode/unknown.js'
import { defined, type E, O, pipe } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import { carriesRequestId, isInProgressBy } from '../answer/errors.js'
import { isGarbledBody, type RequestContext } from '../answer/failureOf.js'
import { redactFailure, type TransientFailure } from '../ClientEvent.js'
import type { ClientRuntime, RetrySettings } from '../ClientRuntime.js'
import type { Failure } from '../Failure.js'
import type { PreparedRequest } from '../request/prepareRequest.js'
import type { HttpResponse, TransportError } from '../transport/Transport.js'
import { BLOCKED_PORT } from '../transport/transportError.js'
import { requestIdOf } from './recover.js'

/** The result of one request. */
export interface AttemptResult {
  readonly context: RequestContext
  /** Generation of the token that the request was sent with. */
  readonly generation: number
  readonly response: E.Either<TransportError, HttpResponse>
}

/** The requests sent for one call so far. */
export interface Attempts {
  /** Number of the call, for its events. */
  readonly call: number
  count: number
  /** When the next one joined the queue of the scheduler, or will. */
  queuedAt: Millis
  /** Latest time at which another may be sent. */
  sendBy: Millis
  /** `Retry-After` of the last response, in ms; 0 without one. */
  retryAfter: Millis
  /** The last result, until the call ends: an old object that kept it would have each body live for longer. */
  last?: AttemptResult | undefined
}

type PolicyRuntime = Pick<
  ClientRuntime,
  'backoff' | 'retryBudget' | 'codes' | 'emit' | 'scheduler' | 'timer'
>

/**
 * Decides by row and failure whether one call is retried after a fault, and whether its outcome is known.
 *
 * A call is retried where that can help and is harmless: a GET, a row that says how it is `repeatable`, or any
 * request that cannot have arrived. After an attempt that may have arrived, the failure of a write is `Ambiguous`.
 */
export class RetryPolicy {
  readonly #runtime: PolicyRuntime
  readonly #retries: number
  readonly #row: AnyEndpoint
  readonly #sentParams: PreparedRequest['sentParams']
  readonly #attempts: Attempts
  #mayBeApplied = false
  #isBudgetSpent = false
  /** Attempts made when the last permit of the budget was taken; 0 if none was. */
  #permitTakenAt = 0

  constructor(
    runtime: PolicyRuntime,
    { faults }: Pick<RetrySettings, 'faults'>,
    row: AnyEndpoint,
    sentParams: PreparedRequest['sentParams'],
    attempts: Attempts,
  ) {
    this.#runtime = runtime
    this.#retries = faults
    this.#row = row
    this.#sentParams = sentParams
    this.#attempts = attempts
  }

  /** Returns the pause before the next attempt, if there is to be one. */
  delayAfter(failure: Failure, attempt: number): O.Option<Millis> {
    const { backoff, codes, emit, scheduler, timer } = this.#runtime
    const endpoint = this.#row.route
    // a failed login was retried by itself, and does not concern the outcome of this call
    if (failure.endpoint !== endpoint) return O.none
    const row = hasRequestIds(this.#row, this.#sentParams())
      ? this.#row
      : { ...this.#row, repeatable: undefined }
    const isInProgress = isInProgressBy(codes, carriesRequestId(row))
    this.#mayBeApplied ||= mayBeApplied(failure, isInProgress)
    if (!isRetryable(row, failure, isInProgress)) return O.none
    const { call, count, retryAfter, sendBy } = this.#attempts
    const pause = pipe(
      attempt > this.#retries ? O.none : backoff(attempt),
      O.map((ms) => Math.max(ms, Math.min(retryAfter, scheduler.core.refusals.maxRetryAfter))),
      O.filter((ms) => timer.now() + ms <= sendBy),
      O.chain((ms) => this.#takePermit(ms)),
    )
    if (O.isSome(pause)) {
      emit({
        _tag: 'Retrying',
        call,
        endpoint,
        attempt: count,
        failure: redactFailure(failure),
        pause: pause.value,
      })
    }
    return pause
  }

  /** Returns the failure of the whole call, from that of its last attempt. */
  conclude(failure: Failure): Failure {
    const last = this.#isBudgetSpent
      ? {
          ...failure,
          message: `${failure.message} (not tried again: too many others are, see retry.budget)`,
        }
      : failure
    return this.#mayBeApplied
      ? ambiguous(this.#row, this.#sentParams(), this.#attempts.count, last)
      : last
  }

  /** Returns the failure of a call that has not ended within `limit`: a request under way may be executed. */
  expire(limit: Millis): Failure {
    const { count, last } = this.#attempts
    const isUnderWay = count > (last?.context.attempts ?? 0)
    this.#mayBeApplied ||= isUnderWay
    const sent = count === 0 ? 'no request was sent' : `after ${plural(count, 'attempt')}`
    const { route: endpoint } = this.#row
    return this.conclude({
      _tag: 'TimedOut',
      endpoint,
      attempts: count,
      phase: 'deadline',
      limit,
      message: `${endpoint}: not done within the deadline of ${limit} ms (${sent})`,
    })
  }

  /** Gives back a permit of the budget that was taken for an attempt that is not made. */
  release(): void {
    if (this.#permitTakenAt > 0 && this.#permitTakenAt === this.#attempts.count) {
      this.#runtime.retryBudget.refund()
    }
  }

  /** Extends a pause until the budget has a permit. */
  #takePermit(pause: Millis): O.Option<Millis> {
    const wait = this.#runtime.retryBudget.take()
    this.#isBudgetSpent = O.isNone(wait)
    if (!this.#isBudgetSpent) this.#permitTakenAt = this.#attempts.count
    return O.map((ms: Millis) => Math.max(pause, ms))(wait)
  }
}

// by failure

type FailureTest = (failure: Failure) => boolean

/** Tests whether the request of a failed attempt may have been executed. */
const mayBeApplied = (failure: Failure, isInProgress: FailureTest): boolean => {
  switch (failure._tag) {
    case 'Unreachable':
      return failure.mayHaveArrived
    case 'TimedOut':
      return failure.phase !== 'connect'
    case 'Undecodable': // it came with a 2xx
    case 'ServerFault':
      return true
    case 'Refused':
      return isInProgress(failure)
    default:
      return false
  }
}

/** Tests whether another attempt can help, and is harmless. */
const isRetryable = (
  row: AnyEndpoint,
  failure: Failure,
  isInProgress: FailureTest,
): failure is TransientFailure => {
  const isHarmless = method(row.route) === 'GET' || row.repeatable !== undefined
  switch (failure._tag) {
    case 'Unreachable':
      return failure.code !== BLOCKED_PORT && (isHarmless || !failure.mayHaveArrived)
    case 'TimedOut':
      return isHarmless || !mayBeApplied(failure, isInProgress)
    case 'ServerFault':
      return isHarmless
    case 'Undecodable':
      return isHarmless && isGarbledBody(failure)
    case 'Refused':
      return isHarmless && isInProgress(failure)
    default:
      return false
  }
}

/** Tests whether the request_ids that make a row repeatable were sent: its codec may have dropped them. */
const hasRequestIds = ({ repeatable }: AnyEndpoint, sentParams: unknown): boolean => {
  const hasOne = (u: unknown): boolean => requestIdOf(u) !== undefined
  if (repeatable === 'by request_id') return hasOne(sentParams)
  if (repeatable !== 'by request_id of items') return true
  const items: unknown = fieldsOf(sentParams).items
  return Array.isArray(items) && items.every(hasOne)
}

/** Makes a write `Ambiguous` of which any attempt may have arrived: a later refusal says nothing about that one. */
const ambiguous = (
  row: AnyEndpoint,
  sentParams: unknown,
  attempts: number,
  failure: Failure,
): Failure => {
  if (method(row.route) === 'GET' || row.repeatable === 'as it is') return failure
  const endpoint = row.route
  const requestId = row.repeatable === 'by request_id' ? requestIdOf(sentParams) : undefined
  const times = attempts === 1 ? 'sent once' : `sent ${attempts} times`
  return {
    _tag: 'Ambiguous',
    endpoint,
    attempts,
    ...defined({ traceId: failure.traceId }),
    tried: [
      attempts === 1 || requestId === undefined ? times : `${times} with the same request_id`,
    ],
    ...defined({ requestId }),
    cause: failure,
    message: `${endpoint}: may or may not have been done: ${failure.message}`,
  }
}
