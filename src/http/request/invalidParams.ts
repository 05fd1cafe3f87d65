import type { Causes } from '../../decode/causes.js'
import { inheritedField } from '../../decode/inheritedField.js'
import { redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'
import { is } from '../../options/index.js'

/**
 * Why parameters cannot be sent whatever they say: there are no fields to read, or one that only the check
 * would see, so that something else were sent.
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
