import { plural } from './plural.js'
import { isDate } from './unknown.js'

/**
 * Describes a value without its content. Texts may hold secrets or card numbers, so only their length is shown,
 * and so it is with numbers of twelve digits and more before the decimals. Other numbers, booleans, null and
 * undefined are shown.
 */
export const redact = (u: unknown): string => {
  switch (typeof u) {
    case 'string':
      return `text of ${plural(u.length, 'character')}`
    case 'number': {
      const integer = Math.trunc(Math.abs(u))
      return Number.isFinite(u) && integer >= 1e11
        ? `number of ${String(BigInt(integer)).length} digits`
        : `number ${Object.is(u, -0) ? '-0' : u}`
    }
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

const dated = (date: Date): string =>
  Number.isNaN(date.getTime())
    ? 'Date that is no time'
    : `Date of the year ${date.getUTCFullYear()}`

// lines
/** Line breaks, control and invisible characters, with the spaces around them; not joiners, which are part of words. */
const UNPRINTABLE =
  /(?<! ) *(?:[^\S ]|\p{Cc}|(?!\p{Join_Control})\p{Cf})(?:[\s\p{Cc}]|(?!\p{Join_Control})\p{Cf})*/gu

/** Makes text from outside fit for one line of a log or a terminal. Keeps repeated spaces: names may have them. */
export const oneLine = (text: string): string => text.replace(UNPRINTABLE, ' ').trim()
