/**
 * Meanings of error codes. The platform spells one condition in several ways. All meanings are our assumptions: not in the API
 * description.
 */
import type { AnyEndpoint } from '../../api/Endpoint.js'
import { rows } from '../../api/index.js'
import { isRecord, wordOf } from '../../decode/unknown.js'
import { withoutUndefined } from '../../fp.js'
import type { AnyFailure } from '../Failure.js'

/** Error codes by their meaning. */
export interface Codes {
  /** The request_id was used before. */
  readonly duplicate: ReadonlyArray<string>
  /** The funds are insufficient. */
  readonly insufficientFunds: ReadonlyArray<string>
  /** An earlier request with this request_id is still in progress. */
  readonly inProgress: ReadonlyArray<string>
  /** Codes of a 400 that mean the same as a 5xx. */
  readonly fault: ReadonlyArray<string>
}

/** The known spellings. The option `codes` replaces them. */
export const codes: Codes = Object.freeze({
  duplicate: Object.freeze([
    'request_id_duplicate',
    'duplicate_request_id',
    'request_id_used',
    'duplicate_request',
    'batch_request_id_duplicate',
    'already_exists',
  ]),
  insufficientFunds: Object.freeze([
    'insufficient_fund',
    'insufficient_funds',
    'balance_insufficient',
  ]),
  inProgress: Object.freeze(['request_pending']),
  fault: Object.freeze([
    'service_unavailable',
    'internal_error',
    'internal_server_error',
    'provider_unavailable',
  ]),
})

/**
 * Returns a predicate that tests a failure for error codes: `hasCode(...codes.duplicate, 'my_own')`. An `Ambiguous` has no
 * code, whatever its cause, because the write may have succeeded.
 */
export const hasCode =
  (...some: ReadonlyArray<string>) =>
  (failure: AnyFailure): boolean =>
    'code' in failure && some.includes(failure.code)

/** Returns true if the platform has seen this request_id before. */
export const isDuplicate: (failure: AnyFailure) => boolean = hasCode(...codes.duplicate)

/** Returns true if the funds are insufficient. */
export const isInsufficientFunds: (failure: AnyFailure) => boolean = hasCode(
  ...codes.insufficientFunds,
)

/** Returns true if the service recognizes a repeated call by request_ids. */
export const carriesRequestId = ({ repeatable }: Pick<AnyEndpoint, 'repeatable'>): boolean =>
  repeatable === 'by request_id' || repeatable === 'by request_id of items'

/** Returns the codes that the API description or a client names for an endpoint. */
export const knownCodes = (
  { errors, otherErrors }: Pick<AnyEndpoint, 'errors' | 'otherErrors'>,
  groups: Codes,
): ReadonlySet<string> =>
  new Set([
    ...GENERAL,
    ...Object.values(groups).flat(),
    ...Object.values(errors).flat(),
    ...otherErrors,
  ])

/** Codes of any endpoint. */
const GENERAL = ['credentials_invalid', 'credentials_expired', 'too_many_requests', 'unauthorized']

/**
 * Returns a test, using a client's codes, for an earlier request that is still in progress. For a call with a request_id, any
 * other 409 also means that. Without a request_id, there is no earlier request, and a 409 is a refusal like any other 4xx.
 */
export const isInProgressBy = (
  { duplicate, inProgress }: Pick<Codes, 'duplicate' | 'inProgress'>,
  withRequestId = true,
): ((failure: AnyFailure) => boolean) => {
  const hasProgressCode = hasCode(...inProgress)
  const hasDuplicateCode = hasCode(...duplicate)
  return (failure) =>
    failure._tag === 'Refused' &&
    (hasProgressCode(failure) ||
      (withRequestId && failure.status === 409 && !hasDuplicateCode(failure)))
}

/**
 * Returns true if an earlier request is still in progress: `request_pending`, or any 409 other than a duplicate. For calls
 * without a `request_id` only the former counts, because a 409 of `submit` concerns the state of the batch.
 */
export const isInProgress = (failure: AnyFailure): boolean =>
  isInProgressBy(codes, mayCarryRequestId(failure.endpoint))(failure)

/** Returns true if an endpoint's calls may carry a request_id. This is assumed for custom endpoints. */
const mayCarryRequestId = (endpoint: string): boolean => {
  const row = rows.find(({ route }) => route === endpoint)
  return row === undefined || carriesRequestId(row)
}

// fields

/** An error in one field. */
export interface FieldError {
  /** Path of the field, as the platform writes it; absent if it names none. */
  readonly field?: string
  /** Error code of the platform, such as `field_required`. */
  readonly code?: string
  /** Description of the error. */
  readonly message?: string
}

/**
 * Returns the invalid fields of a failure as a flat list: the causes of an `InvalidRequest`; the `details` of a `Refused` in any
 * known shape (our assumption: not in the API description), or else its `source`; for an `Ambiguous` or a `Truncated`, those of
 * its cause. Empty for a failure that is not about fields.
 */
export const fieldErrors = (failure: AnyFailure): ReadonlyArray<FieldError> => {
  switch (failure._tag) {
    case 'InvalidRequest':
      return failure.causes.map(({ path, expected, actual }) => ({
        field: path,
        message: `should be ${expected}, but is ${actual}`,
      }))
    case 'Refused': {
      const { source: field, code, message } = failure
      const errors = errorsIn(failure.details)
      return errors.length > 0 || field === undefined ? errors : [{ field, code, message }]
    }
    case 'Ambiguous':
      return fieldErrors(failure.cause)
    case 'Truncated':
      return failure.cause === undefined ? [] : fieldErrors(failure.cause)
    default:
      return []
  }
}

/** Names that group errors and are not fields themselves. */
const HOLDERS: ReadonlySet<string> = new Set(['errors', 'details', 'params'])

/** Returns the errors in a string, an error, a list of errors, or an object with errors by field. `at`: the path so far. */
const errorsIn = (u: unknown, at?: string): ReadonlyArray<FieldError> => {
  const field = at === undefined ? {} : { field: at }
  if (Array.isArray(u)) return u.flatMap((one) => errorsIn(one, at))
  if (typeof u === 'string') return u === '' ? [] : [{ ...field, message: u }]
  if (typeof u === 'number') return [{ ...field, message: String(u) }]
  if (!isRecord(u)) return []
  return isError(u)
    ? [{ ...field, ...oneError(u) }]
    : Object.entries(u).flatMap(([key, value]) => errorsIn(value, HOLDERS.has(key) ? at : key))
}

const isError = ({ code, message }: Readonly<Record<string, unknown>>): boolean =>
  wordOf(code) !== undefined || wordOf(message) !== undefined

const oneError = (u: Readonly<Record<string, unknown>>): FieldError => {
  const field = wordOf(u.source) ?? wordOf(u.field)
  return withoutUndefined({ field, code: wordOf(u.code), message: wordOf(u.message) })
}
