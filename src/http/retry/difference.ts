import { millisOf } from '../../codec/Instant.js'
import { fieldAt, looksNamed } from '../../decode/errorPath.js'
import { redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'
import type { FieldDifference } from '../Failure.js'

/**
 * Compares what was sent with what was found, field by field, and their scalars by `isSame`. Amounts, currencies, numbers,
 * booleans, dates, ids of accounts and words of enumerations are shown; other texts are described.
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
  return [{ path, sent: a, found: a === b ? `another ${b}` : b }]
}

/** Says differences in words. */
export const explainDifferences = (differences: ReadonlyArray<FieldDifference>): string =>
  differences
    .slice(0, MAX_EXPLAINED)
    .map(({ path, sent, found }) => `its ${path}: it is ${found}, and ${sent} was sent`)
    .join('; ') + (differences.length > MAX_EXPLAINED ? '; ...' : '')

/** Differences that a message names. The failure has all of them. */
const MAX_EXPLAINED = 3

/** Texts that are shown: by the end of the name of their field, and by their shape. */
const shown: ReadonlyArray<readonly [field: RegExp, text: RegExp]> = [
  [/amount$/, /^\d{1,11}(\.\d{1,4})?$/],
  [/currency$/, /^[A-Z]{3}$/],
  [/(date|_at)$/, /^\d{4}-\d\d-\d\d(T[\d:.]{5,15}(Z|[+-]\d\d:?\d\d)?)?$/],
  [/(type|method|paid_by|option)$/, /^[A-Z_]{1,30}$/],
  // ids of accounts, as the platform makes them
  [/(source|source[._]id)$/, /^([a-z]{2,4}_\w{1,24}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/],
]

const show = (path: string, u: unknown): string => {
  if (u === undefined) return 'missing'
  if (typeof u === 'number') return redact(u).replace(/^number (?!of)/, '')
  if (typeof u !== 'string') return redact(u)
  return shown.some(([name, shape]) => name.test(path) && shape.test(u)) ? u : redact(u)
}

/**
 * Tests whether a value found agrees with the one sent. A value that was not sent, or that is not shown, agrees with any.
 * Amounts are compared as numbers, since they may be sent as text and come as numbers; a day agrees with each time on it,
 * and times may be written in several ways.
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
