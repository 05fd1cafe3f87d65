import { isRecord, wordOf } from '../../decode/unknown.js'
import { defined } from '../../fp.js'
import type { AnyFailure } from '../Failure.js'

// model

/** What is wrong with one field. */
export interface FieldError {
  /** The path of the field, as the platform names it; left out where it names none. */
  readonly field?: string
  /** The platform's word for it, such as `field_required`. */
  readonly code?: string
  /** What is wrong, in words. */
  readonly message?: string
}

// constructors

/**
 * The fields that a failure blames, as a flat list: of an `InvalidRequest` its causes; of a `Refused` what
 * its `details` say, in any of the shapes that were seen (defaults, not specified by the interface document),
 * or its own `source`; of an `Ambiguous` or a `Truncated` those of its cause. Empty where no field is blamed.
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
      const told = errorsIn(failure.details)
      return told.length > 0 || field === undefined ? told : [{ field, code, message }]
    }
    case 'Ambiguous':
      return fieldErrors(failure.cause)
    case 'Truncated':
      return failure.cause === undefined ? [] : fieldErrors(failure.cause)
    default:
      return []
  }
}

/** Keys that hold errors, and are no fields. */
const HOLDERS: ReadonlySet<string> = new Set(['errors', 'details', 'params'])

/** A text, a list of errors, one error, or an object with errors under the names of fields; `at` is the field. */
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
