import type { Causes } from '../../decode/causes.js'
import { inheritedField } from '../../decode/inheritedField.js'
import { redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'
import { is } from '../../options/index.js'
import type { InvalidRequest } from '../Failure.js'
import { oneLine } from '../oneLine.js'

/**
 * Returns why parameters cannot be sent even unchecked: they are no object, or have a field that is inherited or not
 * enumerable, which the check would read and the request would leave out.
 */
export const invalidParams = (codec: unknown, params: unknown): Causes | undefined => {
  if (params === undefined) return undefined
  if (!is.isObject(params)) {
    const actual = isRecord(params) ? 'an object of another kind' : redact(params)
    return [{ path: '', expected: 'an object with a field for each', actual }]
  }
  const path = inheritedField(codec, params)
  return path === undefined
    ? undefined
    : [{ path, expected: 'a field of the object itself', actual: 'of its class, or hidden' }]
}

/** Makes the failure of a call that is not sent. */
export const invalidRequest = (endpoint: string, causes: Causes): InvalidRequest => {
  const [{ path: field, expected, actual }] = causes
  return {
    field,
    expected,
    actual,
    causes,
    _tag: 'InvalidRequest',
    endpoint,
    attempts: 0,
    // the name of a field may come from the caller's data
    message: `${endpoint}: ${oneLine(field) || 'the parameters'} should be ${expected}, and is ${actual}; nothing was sent`,
  }
}

/** Makes the failure of a call with one invalid field. */
export const invalidField = (
  endpoint: string,
  { field: path, expected, actual }: Pick<InvalidRequest, 'field' | 'expected' | 'actual'>,
): InvalidRequest => invalidRequest(endpoint, [{ path, expected, actual }])
