import type { Position } from '../api/Paging.js'
import type { Cause } from '../decode/index.js'
import type { Millis, SnapshotPosition } from '../stream/index.js'

// model

/** Fields of every failure. */
interface FailureFields {
  /** The route, as the reference prints it: `GET /api/v1/charges/{id}`. */
  readonly endpoint: string
  /** Number of requests sent for this call, logins aside. */
  readonly attempts: number
  /** Identifies the request at the service, for its support: its `trace_id`, or a header such as `x-request-id`. */
  readonly traceId?: string
  /** HTTP status of the response that was judged, if there was one. */
  readonly status?: number
  /**
   * Headers of that response that help to find out where it came from and why, such as `retry-after`, `server`, `via`;
   * by names in lower case, without secrets.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** One line, fit for a log, without secrets. */
  readonly message: string
}

/** Nothing was sent: a parameter breaks a rule of the interface. */
export interface InvalidRequest extends FailureFields {
  readonly _tag: 'InvalidRequest'
  /** Path of the first invalid parameter. */
  readonly field: string
  /** The accepted values, in words. */
  readonly expected: string
  /** The value given, in words: a wrong value of an enumeration or a wrong date is shown, any other text is described. */
  readonly actual: string
  /** All invalid parameters, including the first. */
  readonly causes: ReadonlyArray<Cause>
}

/** 401, after one new login; or a login that was refused. */
export interface Unauthorized extends FailureFields {
  readonly _tag: 'Unauthorized'
  /** Error code of the service, such as `credentials_expired`. */
  readonly code: string
}

/** Another 4xx: the request was understood, and rejected. To a write, only with an error code of the service. */
export interface Refused<Code extends string = string> extends FailureFields {
  readonly _tag: 'Refused'
  /** HTTP status: 4xx. */
  readonly status: number
  /** One of the row's error codes, or any other the service sent. */
  readonly code: Code | (string & {})
  /** The field that the service blames. */
  readonly source?: string
  /** Details as the service sent them; their shape is not specified. */
  readonly details?: unknown
}

/** 429, at each attempt. */
export interface Throttled extends FailureFields {
  readonly _tag: 'Throttled'
  /** Error code of the service: `too_many_requests`. A gateway has another, or none: `http_429`. */
  readonly code: string
}

/**
 * 5xx, or what means the same: a 400 with such a code; the answer of a gateway, which is a 3xx (never followed), 408,
 * 425 or 499, or to a write any 4xx without an error code.
 */
export interface ServerFault extends FailureFields {
  readonly _tag: 'ServerFault'
  /** HTTP status. */
  readonly status: number
  /** Error code of the service. */
  readonly code: string
}

/** No response: the connection failed. */
export interface Unreachable extends FailureFields {
  readonly _tag: 'Unreachable'
  /** Error code of the system: `ECONNREFUSED`, `ECONNRESET` ... */
  readonly code: string
  /** True if the request may have reached the service nevertheless. */
  readonly mayHaveArrived: boolean
}

/** No response in time. */
export interface TimedOut extends FailureFields {
  readonly _tag: 'TimedOut'
  /**
   * The phase that took too long: `connect`; `headers` of the response; `body`, between two parts of it; `whole`, to
   * its end; the call as a whole, to its `deadline`; or, of `untilState`, the wait for a `state`.
   */
  readonly phase: 'connect' | 'headers' | 'body' | 'whole' | 'deadline' | 'state'
  /** The exceeded limit, in ms. */
  readonly limit: Millis
}

/** A response, or one row of it, that does not fit its codec. */
export interface Undecodable extends FailureFields {
  readonly _tag: 'Undecodable'
  /** Path in the response, such as `items[17].amount`; empty for all of it. */
  readonly path: string
  /** The expected value, in words. */
  readonly expected: string
  /** The received value, described, never repeated. */
  readonly actual: string
  /** All decode errors, including the first. */
  readonly causes: ReadonlyArray<Cause>
}

/** A list that could not be read to its end. The pages before `position` were delivered. */
export interface Truncated<At = Position> extends FailureFields {
  readonly _tag: 'Truncated'
  /** Position of the first missing page; for a snapshot, of all that is missing. */
  readonly position: At
  /** Number of pages delivered. */
  readonly pages: number
  /** The failure that stopped it; absent when a guard did. */
  readonly cause?: AnyFailure
  /** The guard that stopped it. */
  readonly guard?: ListGuard
}

/**
 * Reasons to give up a list that does not end. After `OnlyEmpty`, `TooLong` and `Moved`, more may follow from
 * `position` on; after the others, the same pages come again.
 *
 * - `Repeated`, `SameRows`: a page was read before, by its position or by its rows.
 * - `OnlyEmpty`, `TooLong`: more empty pages in a row, or pages, than a list may have.
 * - `Moved`, `OutsideFilter`, `RowsMissing`, `Unordered`, `OrderChanged`: of a snapshot; a second of it kept changing,
 *   rows were outside the time asked for, rows did not come though asked for by their time, pages had no order, or they
 *   contradicted the order of earlier ones.
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

/** A field of what was found that differs from what was sent. Text that may be secret is described, not repeated. */
export interface FieldDifference {
  /** Path of the field, such as `amount`, `funding.deposit_type` or `items[3].transfer_amount`. */
  readonly path: string
  /** The value that was sent, in words. */
  readonly sent: string
  /** The value that was found, in words. */
  readonly found: string
}

/** A write that may have been done, or whose `request_id` belongs to something else: see `differences`. */
export interface Ambiguous extends FailureFields {
  readonly _tag: 'Ambiguous'
  /** Steps taken to find out. */
  readonly tried: ReadonlyArray<string>
  /** The request_id to find it by, if it was done. */
  readonly requestId?: string
  /** Present if something was found under the `request_id`, and is not what was asked for: it differs in these fields. */
  readonly differences?: ReadonlyArray<FieldDifference>
  /** The last failure. */
  readonly cause: Failure
}

/**
 * A failed call: a plain value, exhaustive under `switch (failure._tag)`. Free of secrets; `message` is one line,
 * fit for a log.
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
  override readonly name = 'PaymentsError'
  readonly _tag = 'PaymentsError'
  /** The failure that this is the error of. */
  readonly failure: AnyFailure

  constructor(failure: AnyFailure) {
    super(failure.message)
    this.failure = failure
  }
}
