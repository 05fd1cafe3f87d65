import { millisOf } from '../../codec/Instant.js'
import { isRecord } from '../../decode/unknown.js'

/**
 * Whether what was asked for, as it was written, is another thing than what was found. Null is none; what is
 * left out, on either side, tells nothing. Amounts are sent as text and come as numbers: then they are compared
 * as such; and times as moments, since they are written in several ways.
 */
export const contradicts = (asked: unknown, found: unknown): boolean => {
  if (asked === undefined || asked === null || found === undefined) return false
  if (Array.isArray(asked) && Array.isArray(found)) {
    return asked.length !== found.length || asked.some((one, i) => contradicts(one, found[i]))
  }
  if (isRecord(asked) && isRecord(found)) {
    return Object.keys(asked).some((name) => contradicts(asked[name], found[name]))
  }
  return !isScalar(asked) || !isScalar(found) || isOther(asked, found)
}

type Scalar = string | number | boolean

const isScalar = (u: unknown): u is Scalar =>
  typeof u === 'string' || typeof u === 'number' || typeof u === 'boolean'

const isOther = (asked: Scalar, found: Scalar): boolean => {
  if (String(asked) === String(found)) return false
  return typeof asked === 'string' && typeof found === 'string'
    ? millisOf(asked) !== millisOf(found)
    : Number(asked) !== Number(found)
}
