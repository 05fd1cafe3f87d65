import type { Causes } from '../../decode/causes.js'
import type { InvalidRequest } from '../Failure.js'
import { oneLine } from '../oneLine.js'

/** Parameters that break a rule, as the failure that says so: the first of the causes is its own. */
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
    // a field may be the caller's own, under any name
    message: `${endpoint}: ${oneLine(field) || 'the parameters'} should be ${expected}, and is ${actual}; nothing was sent`,
  }
}

/** One field that breaks a rule. */
export const invalidField = (
  endpoint: string,
  { field: path, expected, actual }: Pick<InvalidRequest, 'field' | 'expected' | 'actual'>,
): InvalidRequest => invalidRequest(endpoint, [{ path, expected, actual }])
