import { fieldAt, looksNamed } from '../../decode/errorPath.js'
import { redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'

/** The first field in which two values differ, with both of its values in words. */
export interface Difference {
  /** A path such as `beneficiary.bank_details.account_name`; a star stands for a name that may be content. */
  readonly path: string
  readonly a: string
  readonly b: string
}

/**
 * Compares two values field by field, and their scalars by `isSame`. Amounts, currencies, numbers and booleans are shown;
 * other texts are described.
 */
export const firstDifference = (
  a: unknown,
  b: unknown,
  isSame: (a: unknown, b: unknown) => boolean = Object.is,
  path = '',
): Difference | undefined => {
  if (isRecord(a) && isRecord(b)) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const at = fieldAt(path, looksNamed(name) ? name : '*')
      const found = firstDifference(a[name], b[name], isSame, at)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    for (const [i, one] of a.entries()) {
      const found = firstDifference(one, b[i], isSame, `${path}[${i}]`)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (isSame(a, b)) return undefined
  const [shownA, shownB] = [show(path, a), show(path, b)]
  return { path, a: shownA, b: shownA === shownB ? `another ${shownB}` : shownB }
}

const show = (path: string, u: unknown): string => {
  if (u === undefined) return 'missing'
  if (typeof u === 'number') return redact(u).replace(/^number (?!of)/, '')
  const isShown =
    (/amount$/.test(path) && /^\d{1,11}(\.\d{1,4})?$/.test(String(u))) ||
    (/currency$/.test(path) && /^[A-Z]{3}$/.test(String(u)))
  return typeof u === 'string' && isShown ? u : redact(u)
}
