/** Takes secrets out of what came from outside, in whatever way they are spelled there. */
import { digitsOf, withDigitsOf } from '../decode/money/exact.js'
import { O } from '../fp.js'
import { spellings } from './spellings.js'

/** Digits beyond these are lost where a long number was read as a number. */
const EXACT = 15

/** A number, such as that of a card, may be shown in groups, or rounded. */
const patternOf = (secret: string): string | RegExp =>
  /^\d{12,}$/.test(secret)
    ? new RegExp(`${[...secret.slice(0, EXACT)].join(GROUPED)}(?:${GROUPED}\\d)*`, 'g')
    : spellings(secret)

/** What stands between two digits of a number in groups. */
const GROUPED = '[\\s.-]{0,2}'

/** Replaces every occurrence of the secrets; those shorter than four characters would hit by chance. */
export const scrubber = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  let patterns: ReadonlyArray<string | RegExp> | undefined // most answers need none
  return (text) => {
    patterns ??= secrets.filter((secret) => secret.length >= 4).map(patternOf)
    return patterns.reduce((rest: string, one) => rest.replaceAll(one, '[secret]'), text)
  }
}

/** Levels of a value that are shown: what is nested deeper is left out. */
const DEPTH = 50

/** A value with `scrub` applied to all that it holds, the names of fields and digits of numbers among them. */
export const scrubAll =
  (scrub: (text: string) => string, depth = DEPTH): ((u: unknown) => unknown) =>
  (u) => {
    if (typeof u === 'string') return scrub(u)
    if (typeof u === 'number') return scrub(String(u)) === String(u) ? u : scrub(String(u))
    if (typeof u !== 'object' || u === null) return u
    if (depth === 0) return '[...]'
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
