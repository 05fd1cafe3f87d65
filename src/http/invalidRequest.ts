import type { InvalidRequest } from './Failure.js'
import { oneLine } from './oneLine.js'
import type { Unfit } from './request.js'

/** Parameters that break a rule, as the failure that says so. */
export const invalidRequest = (endpoint: string, unfit: Unfit): InvalidRequest => ({
  ...unfit,
  _tag: 'InvalidRequest',
  endpoint,
  attempts: 0,
  // a field may be the caller's own, under any name
  message: `${endpoint}: ${oneLine(unfit.field) || 'the parameters'} should be ${unfit.expected}, and is ${unfit.actual}; nothing was sent`,
})

/** One field that breaks a rule. */
export const invalidField = (
  endpoint: string,
  { field, expected, actual }: Omit<Unfit, 'causes'>,
): InvalidRequest =>
  invalidRequest(endpoint, {
    field,
    expected,
    actual,
    causes: [{ path: field, expected, actual }],
  })
