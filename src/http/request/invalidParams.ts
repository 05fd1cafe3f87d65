import type { Causes } from '../../decode/causes.js'
import { redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'
import { is } from '../../options/index.js'
import type { InvalidRequest } from '../Failure.js'
import { oneLine } from '../oneLine.js'
import { inheritedField, unknownFields } from './paramNames.js'

/**
 * Returns why a caller's parameters cannot be sent. Even unchecked they must be an object without fields that are
 * inherited or not enumerable, which the check would read and the request would leave out. With `check`, names are
 * checked, too: a misspelt `request_id` would pay twice, a misspelt filter return everything.
 */
export const invalidParams = (
  codec: unknown,
  params: unknown,
  check: boolean,
): Causes | undefined => {
  if (params === undefined) return undefined
  if (!is.isObject(params)) {
    const actual = isRecord(params) ? 'an object of another kind' : redact(params)
    return [{ path: '', expected: 'an object with a field for each', actual }]
  }
  const path = inheritedField(codec, params)
  if (path !== undefined) {
    return [{ path, expected: 'a field of the object itself', actual: 'of its class, or hidden' }]
  }
  const [first, ...more] = check ? unknownFields(codec, params) : []
  return first && [first, ...more]
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
