import { plural } from './plural.js'
import { isDate } from './unknown.js'

/**
 * Describes a value without its content. Strings may hold secrets or card numbers, so only their length is shown. Numbers with
 * twelve or more digits before the decimals are treated the same way. Other numbers, booleans, null and undefined are shown.
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
  Number.isNaN(date.getTime()) ? 'invalid Date' : `Date of the year ${date.getUTCFullYear()}`

// lines

/** Letters and pictographs that combine with a joiner or variant selector after them; none in Latin, Greek and Cyrillic. */
const JOINABLE = String.raw`(?![\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{VS}])[\p{L}\p{M}\p{Extended_Pictographic}\p{EMod}]`

/** Control, bidirectional, invisible and zero-width characters, unless they are part of a word. */
const INVISIBLE = String.raw`[\p{Cc}\p{Cf}\p{DI}](?<!${JOINABLE}\p{VS}?[\p{Join_C}\p{VS}])`

/** Line breaks and invisible characters, with the spaces around them. */
const UNPRINTABLE = new RegExp(
  String.raw`(?<! ) *(?:[^\S ]|${INVISIBLE})(?:\s|${INVISIBLE})*`,
  'gu',
)

/**
 * Makes text from outside fit on one line of a log or terminal. Keeps repeated spaces, because names may contain them. Removes
 * user and password from URLs.
 */
export const oneLine = (text: string): string =>
  withoutCredentials(text.replace(UNPRINTABLE, ' ').trim())

/**
 * Removes user, password and signature from URLs. A password may contain slashes, so user and password end at the last `@` of a
 * word. Digits between a colon and a slash, however, are a port.
 */
export const withoutCredentials = (text: string): string =>
  text
    .replace(/:\/\/[^\s"']+/g, (found) => {
      const before = found.slice(3, found.lastIndexOf('@'))
      const hasUser = /^[^/:[]*(@|$|:(?!\d{1,5}\/))/.test(before)
      return found.includes('@') && hasUser ? `://***${found.slice(found.lastIndexOf('@'))}` : found
    })
    .replace(SIGNED, '$1***')

/** The query parameters of a signed URL that are secret or name the signer. */
const SIGNED =
  /([?&](?:X-Amz-(?:Signature|Credential|Security-Token)|Signature|AWSAccessKeyId)=)[^\s&"']+/gi

const ESCAPED = new RegExp(String.raw`(?:${INVISIBLE}|[\u2028\u2029])(?<!\n)`, 'gu')

/** Writes control and invisible characters as `\u009b`, except line breaks. JSON keeps its value, and terminals stay safe. */
export const escapeInvisible = (text: string): string =>
  text.replace(ESCAPED, (found) =>
    found
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
