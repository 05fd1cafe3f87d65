import type { Position } from '../api/Paging.js'
import type { Cause } from '../decode/index.js'
import { ofAnyCopy } from '../fp.js'
import type { Millis, SnapshotPosition } from '../stream/index.js'

/** The fields that every failure has. */
interface FailureFields {
  /** The route, such as `GET /api/v1/charges/{id}`. */
  readonly endpoint: string
  /** Number of requests sent for this call, excluding logins. */
  readonly attempts: number
  /** The service's id of the request, for its support team: the `trace_id`, or a header such as `x-request-id`. */
  readonly traceId?: string
  /** HTTP status of the response, if there was one. */
  readonly status?: number
  /**
   * Headers of that response that help with diagnosis, such as `retry-after`, `server`, `via`, with lower-case names and
   * without secrets.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** A one-line description, safe to log, without secrets. */
  readonly message: string
}

/** A parameter breaks a rule of the API, so nothing was sent. */
export interface InvalidRequest extends FailureFields {
  readonly _tag: 'InvalidRequest'
  /** Path of the first invalid parameter. */
  readonly field: string
  /** The accepted values. */
  readonly expected: string
  /** The given value. A mistyped enumeration value or date is shown; any other string is described. */
  readonly actual: string
  /** All invalid parameters, including the first. */
  readonly causes: ReadonlyArray<Cause>
}

/** A 401 that persisted after one new login, or a refused login. */
export interface Unauthorized extends FailureFields {
  readonly _tag: 'Unauthorized'
  /** Error code of the service, such as `credentials_expired`. */
  readonly code: string
}

/**
 * The service understood and rejected the request (any other 4xx). For a write, only if the response has an error code of the
 * service.
 */
export interface Refused<Code extends string = string> extends FailureFields {
  readonly _tag: 'Refused'
  /** HTTP status: 4xx. */
  readonly status: number
  /** One of the endpoint's error codes, or any other code that the service sent. */
  readonly code: Code | (string & {})
  /** The field that the service names as the cause. */
  readonly source?: string
  /** Details as sent by the service. Their shape is not specified. */
  readonly details?: unknown
}

/** Every attempt was refused with a 429. */
export interface Throttled extends FailureFields {
  readonly _tag: 'Throttled'
  /** Error code of the service, `too_many_requests`. A gateway may send another code; `http_429` if it sends none. */
  readonly code: string
}

/**
 * The service failed: a 5xx, or a 400 with a code for server faults. Also the response of a gateway: a 3xx (never followed), 408,
 * 425, 499, or, for a write, any 4xx without an error code.
 */
export interface ServerFault extends FailureFields {
  readonly _tag: 'ServerFault'
  /** HTTP status. */
  readonly status: number
  /** Error code of the service. */
  readonly code: string
}

/** The connection failed, so there is no response. */
export interface Unreachable extends FailureFields {
  readonly _tag: 'Unreachable'
  /** Error code of the system, such as `ECONNREFUSED` or `ECONNRESET`. */
  readonly code: string
  /** True if the request may still have reached the service. */
  readonly mayHaveArrived: boolean
}

/** There was no complete response in time. */
export interface TimedOut extends FailureFields {
  readonly _tag: 'TimedOut'
  /**
   * The phase that took too long. `connect`; `headers`: until the response headers; `body`: between two chunks of the body;
   * `whole`: until the end of the body; `deadline`: the whole call; `state`: the wait in `untilState`.
   */
  readonly phase: 'connect' | 'headers' | 'body' | 'whole' | 'deadline' | 'state'
  /** The exceeded limit, in ms. */
  readonly limit: Millis
}

/** A response, or one row of it, does not match its codec. */
export interface Undecodable extends FailureFields {
  readonly _tag: 'Undecodable'
  /** Path in the response, such as `items[17].amount`. Empty for the whole response. */
  readonly path: string
  /** The expected value. */
  readonly expected: string
  /** A description of the received value, without its content. */
  readonly actual: string
  /** All decode errors, including the first. */
  readonly causes: ReadonlyArray<Cause>
}

/** A list could not be read to its end. The pages before `position` were delivered. */
export interface Truncated<At = Position> extends FailureFields {
  readonly _tag: 'Truncated'
  /** Position of the first missing page; for a snapshot, of everything that is missing. */
  readonly position: At
  /** Number of pages delivered. */
  readonly pages: number
  /** The failure that stopped the list. Absent if a `guard` stopped it. */
  readonly cause?: AnyFailure
  /** The check that stopped the list (see `ListGuard`). Absent if a failure did. */
  readonly guard?: ListGuard
}

/**
 * The reason for giving up on a list that does not end. After `OnlyEmpty`, `TooLong` and `Moved`, there may be more to read
 * from `position`; after the others, the same pages would be read again.
 *
 * - `Repeated`, `SameRows`: a page was read before, with the same position or the same rows.
 * - `OnlyEmpty`, `TooLong`: there were more consecutive empty pages, or more pages, than allowed.
 * - Only in a snapshot: `Moved` (rows of one second kept changing), `OutsideFilter` (rows were outside the requested time),
 *   `RowsMissing` (rows did not appear when requested by their time), `Unordered` (pages had no order), `OrderChanged` (pages
 *   contradicted the order of earlier ones).
 */
export type ListGuard =
  | 'Repeated'
  | 'SameRows'
  | 'OnlyEmpty'
  | 'TooLong'
  | 'Moved'
  | 'OutsideFilter'
  | 'RowsMissing'
  | 'Unordered'
  | 'OrderChanged'

/** A field that differs between the resource found and the one sent. A value that may be secret is described, not repeated. */
export interface FieldDifference {
  /** Path of the field, such as `amount`, `funding.deposit_type` or `items[3].transfer_amount`. */
  readonly path: string
  /** The value that was sent. */
  readonly sent: string
  /** The value that was found. */
  readonly found: string
}

/** A write may have succeeded, or its `request_id` belongs to another resource: see `differences`. */
export interface Ambiguous extends FailureFields {
  readonly _tag: 'Ambiguous'
  /** The steps taken to find out, one line each. */
  readonly tried: ReadonlyArray<string>
  /** The `request_id` by which to find the resource, if it was created. */
  readonly requestId?: string
  /** The fields in which the resource with this `request_id` differs from the request, if it does. */
  readonly differences?: ReadonlyArray<FieldDifference>
  /** The last failure. */
  readonly cause: Failure
}

/**
 * A failed call: a plain value, exhaustive under `switch (failure._tag)`. It contains no secrets; `message` is one line, safe to
 * log.
 */
export type Failure<Code extends string = string, At = Position> =
  | InvalidRequest
  | Unauthorized
  | Refused<Code>
  | Throttled
  | ServerFault
  | Unreachable
  | TimedOut
  | Undecodable
  | Truncated<At>
  | Ambiguous

/** The failure of any call, list or snapshot. */
export type AnyFailure = Failure<string, Position | SnapshotPosition>

/** A failure as an `Error`, for `orThrow` and for code that throws. */
export class PaymentsError extends Error {
  /** Also recognizes errors of another copy of the package. */
  static override readonly [Symbol.hasInstance] = ofAnyCopy('PaymentsError')

  override readonly name = 'PaymentsError'
  readonly _tag = 'PaymentsError'
  /** The failure behind this error. */
  readonly failure: AnyFailure

  constructor(failure: AnyFailure) {
    super(failure.message)
    this.failure = failure
  }
}
