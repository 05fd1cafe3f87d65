import { millisOf } from '../../codec/Instant.js'
import { fieldAt, looksNamed } from '../../decode/errorPath.js'
import { redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'
import type { FieldDifference } from '../Failure.js'

/**
 * Compares the sent value with the value found, field by field, using `isSame` for scalars. Shows amounts, currencies, numbers,
 * booleans, dates, account ids and enumeration values; other strings are described.
 */
export const differencesOf = (
  sent: unknown,
  found: unknown,
  isSame: (sent: unknown, found: unknown, path: string) => boolean = Object.is,
  path = '',
): ReadonlyArray<FieldDifference> => {
  if (isRecord(sent) && isRecord(found)) {
    return [...new Set([...Object.keys(sent), ...Object.keys(found)])].flatMap((name) => {
      const at = fieldAt(path, looksNamed(name) ? name : '*')
      return differencesOf(sent[name], found[name], isSame, at)
    })
  }
  if (Array.isArray(sent) && Array.isArray(found) && sent.length === found.length) {
    return sent.flatMap((one, i) => differencesOf(one, found[i], isSame, `${path}[${i}]`))
  }
  if (isSame(sent, found, path)) return []
  const [a, b] = [show(path, sent), show(path, found)]
  return [{ path, sent: a, found: a === b ? `a different ${b}` : b }]
}

export const explainDifferences = (differences: ReadonlyArray<FieldDifference>): string =>
  differences
    .slice(0, MAX_EXPLAINED)
    .map(({ path, sent, found }) => `${path} is ${found}, but ${sent} was sent`)
    .join('; ') + (differences.length > MAX_EXPLAINED ? '; ...' : '')

/** Maximum number of differences in a message. The failure has all of them. */
const MAX_EXPLAINED = 3

/** Strings that are shown, given by the end of the field's name and by their shape. */
const shown: ReadonlyArray<readonly [field: RegExp, text: RegExp]> = [
  [/amount$/, /^\d{1,11}(\.\d{1,4})?$/],
  [/currency$/, /^[A-Z]{3}$/],
  [/(date|_at)$/, /^\d{4}-\d\d-\d\d(T[\d:.]{5,15}(Z|[+-]\d\d:?\d\d)?)?$/],
  [/(type|method|paid_by|option)$/, /^[A-Z_]{1,30}$/],
  // account ids in the platform's format
  [/(source|source[._]id)$/, /^([a-z]{2,4}_\w{1,24}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/],
]

const show = (path: string, u: unknown): string => {
  if (u === undefined) return 'missing'
  if (typeof u === 'number') return redact(u).replace(/^number (?!of)/, '')
  if (typeof u !== 'string') return redact(u)
  return shown.some(([name, shape]) => name.test(path) && shape.test(u)) ? u : redact(u)
}

/**
 * Returns true if a value found agrees with the value sent. Any value agrees with one that was not sent or is not shown.
 * Amounts are compared as numbers, because they may be sent as strings and returned as numbers. A day agrees with every time on
 * that day, and times may be written in several ways.
 */
export const agrees = (sent: unknown, found: unknown, path: string): boolean => {
  if (sent === undefined || sent === null || found === undefined) return true
  if (!isScalar(sent) || !isScalar(found)) return false
  if (String(sent) === String(found)) return true
  return typeof sent === 'string' && typeof found === 'string' && !/amount$/.test(path)
    ? millisOf(sent) === millisOf(found) || (DAY.test(sent) && found.startsWith(`${sent}T`))
    : Number(sent) === Number(found)
}

const isScalar = (u: unknown): u is string | number | boolean =>
  typeof u === 'string' || typeof u === 'number' || typeof u === 'boolean'

const DAY = /^\d{4}-\d\d-\d\d$/
