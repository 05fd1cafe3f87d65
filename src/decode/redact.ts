import { plural } from './plural.js'

/** Before the decimals. */
const wholePart = (n: number): number => Math.trunc(Math.abs(n))

/** As long as a card number is: shown by its length, as a text would be. */
const isLong = (n: number): boolean => Number.isFinite(n) && wholePart(n) >= 1e11

/** Not what only looks like one, such as a proxy of it: that tells no time. */
const isDate = (u: unknown): u is Date =>
  u instanceof Date && Object.prototype.toString.call(u) === '[object Date]'

/** What may be wrong with one: `new Date('tomorrow')` is a `Date`, too. */
const dated = (date: Date): string =>
  Number.isNaN(date.getTime())
    ? 'Date that is no time'
    : `Date of the year ${date.getUTCFullYear()}`

/**
 * What a value is, without what it says. Texts may hold secrets or card numbers, so only their
 * length is told, and so it is with numbers of twelve digits and more before the decimals. Other numbers,
 * booleans, null and undefined are shown.
 */
export const redact = (u: unknown): string => {
  switch (typeof u) {
    case 'string':
      return `text of ${plural(u.length, 'character')}`
    case 'number':
      if (isLong(u)) return `number of ${String(BigInt(wholePart(u))).length} digits`
      return `number ${Object.is(u, -0) ? '-0' : u}`
    case 'boolean':
    case 'undefined':
      return String(u)
    case 'object':
      if (isDate(u)) return dated(u)
      return u === null ? 'null' : Array.isArray(u) ? `list of ${u.length}` : 'object'
    default:
      return typeof u
  }
}
