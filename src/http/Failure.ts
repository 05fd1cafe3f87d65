/**
 * ```ts
 * type Failure<Code, At> = InvalidRequest | Unauthorized | Refused<Code> | Throttled | ServerFault
 *   | Unreachable | TimedOut | Undecodable | Truncated<At> | Ambiguous
 * ```
 *
 * What can go wrong with a call.
 */
import type { Position } from '../api/Paging.js'
import type { Cause } from '../decode/index.js'
import type { Millis, SnapshotPosition } from '../stream/index.js'

// model

/** What every failure says. */
interface Common {
  /** The route, as the reference prints it: `GET /api/v1/charges/{id}`. */
  readonly endpoint: string
  /** Requests that were sent for this call, logins aside. */
  readonly attempts: number
  /** The service's own name for the request, for talking to support. */
  readonly traceId?: string
  /** One line, fit for a log: it holds no secret. */
  readonly message: string
}

/** Not sent: a parameter breaks a rule of the interface. */
export interface InvalidRequest extends Common {
  readonly _tag: 'InvalidRequest'
  /** The first parameter that is to blame. */
  readonly field: string
  /** What it should have been. */
  readonly expected: string
  /** What came instead; texts are described, never repeated. */
  readonly actual: string
  /** All that is to blame, the first one among them. */
  readonly causes: ReadonlyArray<Cause>
}

/** 401, after one new login; or a login that was refused. */
export interface Unauthorized extends Common {
  readonly _tag: 'Unauthorized'
  /** The service's word for it, such as `credentials_expired`. */
  readonly code: string
}

/** Another 4xx (or a redirect, which is not followed): the request was understood, and not done. */
export interface Refused<Code extends string = string> extends Common {
  readonly _tag: 'Refused'
  /** The HTTP status of the answer: 4xx, or 3xx. */
  readonly status: number
  /** One of the row's codes, or whatever else the service said. */
  readonly code: Code | (string & {})
  /** The field that the service blames. */
  readonly source?: string
  /** More about it, as the service sent it; its shape is not specified. */
  readonly details?: unknown
  /** The body broke before it was read, also when the call was repeated: the code may be another one. */
  readonly brokenOff?: true
}

/** 429, until the attempts were used up. */
export interface Throttled extends Common {
  readonly _tag: 'Throttled'
}

/** 5xx, or a 400 that says the same. */
export interface ServerFault extends Common {
  readonly _tag: 'ServerFault'
  /** The HTTP status of the answer: 5xx, or 400. */
  readonly status: number
  /** The service's word for it. */
  readonly code: string
}

/** No answer: the connection failed. */
export interface Unreachable extends Common {
  readonly _tag: 'Unreachable'
  /** The system's word for it: `ECONNREFUSED`, `ECONNRESET` ... */
  readonly code: string
  /** Whether the request may have reached the service all the same. */
  readonly mayHaveArrived: boolean
}

/** No answer in time. */
export interface TimedOut extends Common {
  readonly _tag: 'TimedOut'
  /**
   * What took too long: to connect, to the headers of the answer, between two parts of its body, to its end; or
   * to reach a state that was waited for.
   */
  readonly phase: 'connect' | 'headers' | 'body' | 'whole' | 'state'
  /** The limit that was passed, in ms. */
  readonly limit: Millis
}

/** An answer, or one row of it, that is not what the interface says. */
export interface Undecodable extends Common {
  readonly _tag: 'Undecodable'
  /** Where, from the top of the answer: `items[17].amount`; empty for the whole. */
  readonly path: string
  /** What the interface says. */
  readonly expected: string
  /** Described, never repeated. */
  readonly actual: string
  /** All that does not fit, the first one among them. */
  readonly causes: ReadonlyArray<Cause>
}

/** A list that could not be read to its end; the pages before `position` were delivered. */
export interface Truncated<At = Position> extends Common {
  readonly _tag: 'Truncated'
  /** Where the first missing page stands; of a snapshot, all that is missing. */
  readonly position: At
  /** Pages that were delivered. */
  readonly pages: number
  /** What stopped it; left out when a guard did (see `message`). */
  readonly cause?: AnyFailure
  /** Which guard stopped it. */
  readonly guard?: ListGuard
}

/**
 * Why a list was given up that went on. After `OnlyEmpty`, `TooLong` and `Moved` more may come from `position`
 * on; after the others the same comes again.
 *
 * - `Repeated`, `SameRows`: a page was read before, by its position or by its rows.
 * - `OnlyEmpty`, `TooLong`: more empty pages in a row, or pages, than a list may have.
 * - `Moved`, `Astray`, `Shapeless`: of a snapshot; a second of it never rested (or its pages could not tell), rows
 *   came from outside the time asked for, or answers had no order.
 */
export type ListGuard =
  | 'Repeated'
  | 'SameRows'
  | 'OnlyEmpty'
  | 'TooLong'
  | 'Moved'
  | 'Astray'
  | 'Shapeless'

/** A write whose outcome is unknown: it may have been done. */
export interface Ambiguous extends Common {
  readonly _tag: 'Ambiguous'
  /** What was done to find out. */
  readonly tried: ReadonlyArray<string>
  /** What it can be found by, if it was done. */
  readonly requestId?: string
  /** Why nobody knows. */
  readonly cause: Failure
}

/**
 * What can go wrong with a call. Plain values, exhaustive under `switch (failure._tag)`. None holds a
 * secret, and each `message` is one line, fit for a log.
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
