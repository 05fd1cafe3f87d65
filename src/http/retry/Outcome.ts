import { type AnyEndpoint, method } from '../../api/Endpoint.js'
import { fieldsOf } from '../../decode/unknown.js'
import { type IO, withoutUndefined } from '../../fp.js'
import type { ObservableEither } from '../../stream/either/ObservableEither.js'
import type { Millis } from '../../stream/index.js'
import { type Codes, carriesRequestId, hasCode, isInProgressBy } from '../answer/errors.js'
import type { Ambiguous, Failure, FieldDifference } from '../Failure.js'

export interface OutcomeOptions {
  readonly row: AnyEndpoint
  readonly codes: Pick<Codes, 'duplicate' | 'inProgress'>
  /** The parameters that were sent, as JSON. */
  readonly sentParams: IO<Readonly<Record<string, unknown>>>
  /**
   * True if a duplicate at the first attempt is this write, because its `request_id` was generated for it, or because an
   * earlier run of the same job may have sent it.
   */
  readonly isRepeat: boolean
}

/** The last of several look-ups with the same result. */
export interface LookedUp {
  /** Description of the resource that was found. */
  readonly reason: string
  readonly times: number
  readonly differences?: ReadonlyArray<FieldDifference> | undefined
}

/** A write that may have succeeded. */
export interface Unresolved {
  readonly call: number
  readonly outcome: Outcome
  /** The failure of its last attempt. */
  readonly failure: Failure
  /** The parameters that were sent, as JSON. */
  readonly sentParams: IO<Readonly<Record<string, unknown>>>
  /** Deadline for look-ups, within the patience of the call. */
  readonly sendBy: Millis
}

/** Emits the result of a write, marked as recovered, or its failure. */
export type LookUp<A> = (write: Unresolved) => ObservableEither<Failure, A>

/**
 * The known state of a write: nothing was sent < it may have arrived < it was found. The state only grows: later attempts and
 * look-ups never revoke what an earlier one has shown. A failure is therefore definite only if no attempt may have arrived, and
 * no duplicate proves that something exists under its `request_id`. Otherwise it is `Ambiguous`.
 *
 *     attempt ended in           it may have arrived
 *     no connection              no
 *     429, 401 of the service    no, but a later duplicate is this write
 *     429, 401 of a gateway      yes
 *     another refusal            no
 *     409 in progress            yes
 *     duplicate                  yes, except of a caller's own request_id at the first attempt
 *     5xx, gateway, no response  yes
 *     2xx that cannot be read    yes
 */
export class Outcome {
  readonly #options: OutcomeOptions
  #mayHaveArrived = false
  /** True if a duplicate would be this write itself. */
  #isRepeat: boolean
  #lookedUp: LookedUp | undefined

  constructor(options: OutcomeOptions) {
    this.#options = options
    // the API description says that repeated items are ignored
    this.#isRepeat = options.isRepeat || isOfItems(options.row)
  }

  /** True if the write may have succeeded. */
  get mayHaveArrived(): boolean {
    return this.#mayHaveArrived
  }

  /** The `request_id` by which the write can be found. */
  get requestId(): string | undefined {
    const { row, sentParams } = this.#options
    return row.repeatable === 'by request_id' ? requestIdOf(sentParams()) : undefined
  }

  /** True if the write can safely be repeated. */
  get isRepeatable(): boolean {
    const { row, sentParams } = this.#options
    return !isWrite(row) || (row.repeatable !== undefined && hasRequestIds(row, sentParams()))
  }

  /** True if the call reads a resource by its id. */
  get isReadById(): boolean {
    return /^GET .*\}$/.test(this.#options.row.route)
  }

  /** Records that a request is in flight whose response will not be read. */
  leave(): void {
    this.#mayHaveArrived ||= isWrite(this.#options.row)
  }

  /** Records the failure of an attempt. Must be called once for each attempt. */
  learn(failure: Failure): void {
    if (!isWrite(this.#options.row)) return
    this.#mayHaveArrived ||= this.#isDuplicate(failure) ? this.#isRepeat : this.#mayBeDone(failure)
    this.#isRepeat ||= hasLeft(failure)
  }

  looked(found: LookedUp): void {
    this.#lookedUp = found
  }

  /** Returns true if an earlier request with the same `request_id` is still in progress. */
  isInProgress(failure: Failure): boolean {
    const { row, codes, sentParams } = this.#options
    const withRequestId = carriesRequestId(row) && hasRequestIds(row, sentParams())
    return isInProgressBy(codes, withRequestId)(failure)
  }

  /** Returns the failure of the write, given the last failure. */
  conclude(last: Failure): Failure {
    if (!this.#mayHaveArrived) return last
    const { attempts } = last
    const cause = last._tag === 'Ambiguous' ? last.cause : last
    const { traceId } = cause
    const endpoint = this.#options.row.route
    const { requestId } = this
    const { reason, times, differences } = this.#lookedUp ?? { reason: undefined, times: 0 }
    const found = reason === undefined || times < 2 ? reason : `${reason} (${times} look-ups)`
    const sent = attempts === 1 ? 'sent once' : `sent ${attempts} times`
    const isSame = attempts > 1 && requestId !== undefined
    const message = `${endpoint}: may or may not have succeeded: ${cause.message}`
    const ambiguous: Ambiguous = {
      _tag: 'Ambiguous',
      endpoint,
      attempts,
      ...withoutUndefined({ traceId }),
      tried: [
        isSame ? `${sent} with the same request_id` : sent,
        ...(found === undefined ? [] : [found]),
      ],
      ...withoutUndefined({ requestId, differences }),
      cause,
      message: found === undefined ? message : `${message}; ${found}`,
    }
    return ambiguous
  }

  /** Returns true if the service knows the request_id or, for items, any of their request_ids. */
  #isDuplicate(failure: Failure): boolean {
    const { row, codes, sentParams } = this.#options
    if (isOfItems(row)) return isItemDuplicate(failure)
    return (
      hasCode(...codes.duplicate)(failure) &&
      carriesRequestId(row) &&
      hasRequestIds(row, sentParams())
    )
  }

  /** Returns true if the request of a failed attempt may have been executed. */
  #mayBeDone(failure: Failure): boolean {
    const { row } = this.#options
    switch (failure._tag) {
      case 'Unreachable':
        return failure.mayHaveArrived
      case 'TimedOut':
        return failure.phase !== 'connect'
      case 'Undecodable': // the status was 2xx
      case 'ServerFault':
      case 'Ambiguous':
        return true
      case 'Unauthorized':
        return ![...(row.errors[401] ?? []), ...REFUSED_TOKEN].includes(failure.code)
      case 'Throttled':
        return failure.code !== TOO_MANY
      case 'Refused':
        return this.isInProgress(failure)
      default:
        return false
    }
  }
}

type FailureTest = (failure: Failure) => boolean

/** Codes of a 401 from the service itself. Every endpoint sends it before doing anything else. */
const REFUSED_TOKEN: ReadonlyArray<string> = ['credentials_invalid', 'credentials_expired']

/** The code of a 429 from the service itself. */
const TOO_MANY = 'too_many_requests'

/** Recognizes items refused because the batch has their `request_id` (our assumption: not in the API description). */
export const isItemDuplicate: FailureTest = hasCode('request_id_in_batch_duplicate')

/** Returns true if the outcome matters. It does not for a GET or an idempotent call. */
const isWrite = ({ route, repeatable }: AnyEndpoint): boolean =>
  method(route) === 'POST' && repeatable !== 'as it is'

const isOfItems = ({ repeatable }: AnyEndpoint): boolean => repeatable === 'by request_id of items'

/** Returns true if the request of a failed attempt was sent. A later duplicate may then be its own. */
const hasLeft = (failure: Failure): boolean =>
  failure._tag === 'Unreachable'
    ? failure.mayHaveArrived
    : failure._tag !== 'TimedOut' || failure.phase !== 'connect'

/** Returns true if the request_ids that make an endpoint repeatable were sent. Its codec may have dropped them. */
const hasRequestIds = ({ repeatable }: AnyEndpoint, sentParams: unknown): boolean => {
  const hasOne = (u: unknown): boolean => requestIdOf(u) !== undefined
  if (repeatable === 'by request_id') return hasOne(sentParams)
  if (repeatable !== 'by request_id of items') return true
  const items: unknown = fieldsOf(sentParams).items
  return Array.isArray(items) && items.every(hasOne)
}

/** Returns the request_id of parameters, an item or a row, unless it is empty or not a string. */
export const requestIdOf = (u: unknown): string | undefined => {
  const { request_id } = fieldsOf(u)
  return typeof request_id === 'string' && request_id !== '' ? request_id : undefined
}
