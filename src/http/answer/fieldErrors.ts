import { isRecord, wordOf } from '../../decode/unknown.js'
import { defined } from '../../fp.js'
import type { AnyFailure } from '../Failure.js'

// model

/** An error in one field. */
export interface FieldError {
  /** Path of the field, as the platform writes it; absent if it names none. */
  readonly field?: string
  /** Error code of the platform, such as `field_required`. */
  readonly code?: string
  /** Description of the error. */
  readonly message?: string
}

// constructors

/**
 * Returns the invalid fields of a failure as a flat list: the causes of an `InvalidRequest`; the `details` of a
 * `Refused`, in any of the known shapes (defaults, not specified by the interface document), or else its `source`;
 * those of the cause of an `Ambiguous` or a `Truncated`. Empty for a failure that is not about fields.
 */
export const fieldErrors = (failure: AnyFailure): ReadonlyArray<FieldError> => {
  switch (failure._tag) {
    case 'InvalidRequest':
      return failure.causes.map(({ path, expected, actual }) => ({
        field: path,
        message: `should be ${expected}, and is ${actual}`,
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

/** Names under which errors are grouped, which are no fields. */
const HOLDERS: ReadonlySet<string> = new Set(['errors', 'details', 'params'])

/** Accepts text, one error, a list of errors, or an object with errors by field; `at` is the field so far. */
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
  return defined({ field, code: wordOf(u.code), message: wordOf(u.message) })
}
