/**
 * What the codes of refusals say: one condition has several spellings across the platform. All are
 * defaults, not specified by the interface document.
 */
import { rows } from '../api/index.js'
import type { AnyFailure } from './Failure.js'
import { carriesRequestId } from './retry/isRetryable.js'

// model

/** Codes, by what they say. */
export interface Codes {
  /** The request_id was used before. */
  readonly duplicate: ReadonlyArray<string>
  /** There is not enough money. */
  readonly shortOfMoney: ReadonlyArray<string>
  /** An earlier request with this request_id is still being worked on. */
  readonly inProgress: ReadonlyArray<string>
  /** A 400 that says what a 5xx says. */
  readonly fault: ReadonlyArray<string>
}

/** The spellings that were seen; the option `codes` puts others in their place. */
export const codes: Codes = Object.freeze({
  duplicate: Object.freeze([
    'request_id_duplicate',
    'duplicate_request_id',
    'request_id_used',
    'duplicate_request',
    'batch_request_id_duplicate',
    'already_exists',
  ]),
  shortOfMoney: Object.freeze(['insufficient_fund', 'insufficient_funds', 'balance_insufficient']),
  inProgress: Object.freeze(['request_pending']),
  fault: Object.freeze([
    'service_unavailable',
    'internal_error',
    'internal_server_error',
    'provider_unavailable',
  ]),
})

// combinators

/**
 * Whether a failure has one of these codes: `hasCode(...codes.duplicate, 'my_own')`. An `Ambiguous` has
 * none, whatever its cause: it may have been done.
 */
export const hasCode =
  (...some: ReadonlyArray<string>) =>
  (failure: AnyFailure): boolean =>
    'code' in failure && some.includes(failure.code)

/** Whether the platform has seen this request_id before. */
export const isDuplicate: (failure: AnyFailure) => boolean = hasCode(...codes.duplicate)

/** Whether there is not enough money. */
export const isShortOfMoney: (failure: AnyFailure) => boolean = hasCode(...codes.shortOfMoney)

/**
 * Whether an earlier request is still being worked on, by the codes of a client: also any other 409 of a call
 * that is `known`, by its request_id. Elsewhere there is no earlier one, and a 409 refuses like any 4xx.
 */
export const isInProgressBy = (
  { duplicate, inProgress }: Pick<Codes, 'duplicate' | 'inProgress'>,
  known = true,
): ((failure: AnyFailure) => boolean) => {
  const said = hasCode(...inProgress)
  const used = hasCode(...duplicate)
  return (failure) =>
    failure._tag === 'Refused' &&
    (said(failure) || (known && failure.status === 409 && !used(failure)))
}

/**
 * Whether an earlier request is still being worked on: `request_pending`, or any 409 that is no duplicate. Of a
 * call that carries no request_id only the former says so: a 409 of `submit` is about the state of the batch.
 */
export const isInProgress = (failure: AnyFailure): boolean =>
  isInProgressBy(codes, mayCarryId(failure.endpoint))(failure)

/** Calls of the interface say whether they do; one of the caller's own may. */
const mayCarryId = (endpoint: string): boolean => {
  const row = rows.find(({ route }) => route === endpoint)
  return row === undefined || carriesRequestId(row)
}
