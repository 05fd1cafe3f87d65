/** API versions: by the header `x-api-version`, a default that the interface document does not specify. */
import { PlainDate } from '../codec/times.js'
import { E } from '../fp.js'
import { type ApiError, apiError } from './ApiError.js'
import type { Settings } from './settings.js'

const incorrect = apiError(
  400,
  'incorrect_version',
  'x-api-version must be a date as YYYY-MM-DD.',
  'x-api-version',
)

/** The version of a call; that of the account when the call names none. */
export const versionOf = (
  headers: Headers,
  { apiVersion }: Settings,
): E.Either<ApiError, string> => {
  const named = headers.get('x-api-version')
  if (named === null) return E.right(apiVersion)
  return PlainDate.is(named) ? E.right(named) : E.left(incorrect)
}

/** From this version on (interface, Versioning). */
export const FAILURE_DETAILS = '2026-06-30'

/** From this version on (interface, Events). */
export const DORMANT_AND_CLOSED = '2026-08-21'
