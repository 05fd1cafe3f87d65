/** Why a call is refused, in the codes of the interface. */
import { defined } from '../fp.js'

// model

export interface ApiError {
  readonly _tag: 'ApiError'
  /** As HTTP has it. */
  readonly status: number
  readonly code: string
  readonly message: string
  /** The parameter that is to blame. */
  readonly source?: string
}

// constructors

export const apiError = (
  status: number,
  code: string,
  message: string,
  source?: string,
): ApiError => ({
  _tag: 'ApiError',
  status,
  code,
  message,
  ...defined({ source }),
})

export const invalid = (message: string, source?: string): ApiError =>
  apiError(400, 'invalid_argument', message, source)

export const required = (source: string): ApiError =>
  apiError(400, 'field_required', `${source} is required.`, source)

export const notEnabled = (type: string, source: string): ApiError =>
  invalid(`${type} is not enabled for this account.`, source)

export const notFound = apiError(404, 'not_found', 'There is no such resource.')
