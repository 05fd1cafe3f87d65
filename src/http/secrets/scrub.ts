/** Takes secrets out of what came from outside, in whatever way they are spelled there. */
import { digitsOf, withDigitsOf } from '../../decode/digits.js'
import { LEFT_OUT, LEVELS } from '../../decode/levels.js'
import { O } from '../../fp.js'
import { cutSecret } from './cutSecret.js'
import { letterSpellings, spellings } from './spellings.js'

/** Takes secrets out of a text; out of one that `may be cut` off, the beginning of one at its end, too. */
export type Scrub = (text: string, end?: 'may be cut') => string

/** Digits beyond these are lost where a long number was read as a number. */
const EXACT = 15

/** What stands between two digits of a number in groups. */
const GROUPED = '[\\s.-]{0,2}'

/** A number, such as that of a card, may be shown in groups, or rounded. */
const isLong = (secret: string): boolean => /^\d{12,}$/.test(secret)

const inGroups = (number: string): ReadonlyArray<string> =>
  Array.from(number, (digit, i) => (i === 0 ? digit : `${GROUPED}${digit}`))

const patternOf = (secret: string): string | RegExp =>
  isLong(secret)
    ? new RegExp(`${inGroups(secret.slice(0, EXACT)).join('')}(?:${GROUPED}\\d)*`, 'g')
    : spellings(secret)

const lettersOf = (secret: string): ReadonlyArray<string> =>
  isLong(secret) ? inGroups(secret) : letterSpellings(secret)

/** Replaces every occurrence of the secrets; those shorter than four characters would hit by chance. */
export const scrubber = (secrets: ReadonlyArray<string>): Scrub => {
  const known = secrets.filter((secret) => secret.length >= 4)
  let patterns: ReadonlyArray<string | RegExp> | undefined // most answers need none
  const scrubbed = (text: string): string => {
    patterns ??= known.map(patternOf)
    return patterns.reduce((rest: string, one) => rest.replaceAll(one, SECRET), text)
  }
  return (text, end) => {
    if (end === undefined) return scrubbed(text)
    const at = Math.min(...known.map((secret) => cutSecret(lettersOf(secret), text)), text.length)
    return scrubbed(text.slice(0, at)) + (at < text.length ? SECRET : '')
  }
}

const SECRET = '[secret]'

/** A value with `scrub` applied to all that it holds, the names of fields and digits of numbers among them. */
export const scrubAll =
  (scrub: (text: string) => string, depth = LEVELS): ((u: unknown) => unknown) =>
  (u) => {
    if (typeof u === 'string') return scrub(u)
    if (typeof u === 'number') return scrub(String(u)) === String(u) ? u : scrub(String(u))
    if (typeof u !== 'object' || u === null) return u
    if (depth === 0) return LEFT_OUT
    const inner = scrubAll(scrub, depth - 1)
    const field = (name: string, value: unknown): unknown => {
      const digits = O.toUndefined(digitsOf(name)(u))
      const shown = digits === undefined ? undefined : scrub(digits)
      return shown === digits ? inner(value) : shown
    }
    return withDigitsOf(u)(
      Array.isArray(u)
        ? u.map((value, i) => field(String(i), value))
        : Object.fromEntries(
            Object.entries(u).map(([name, value]) => [scrub(name), field(name, value)]),
          ),
    )
  }
