/** Takes secrets out of what came from outside, in whatever way they are spelled there. */
import { digitsOf, withDigitsOf } from '../../decode/digits.js'
import { LEFT_OUT, LEVELS } from '../../decode/levels.js'
import { memoized, O } from '../../fp.js'
import { cutIndex } from './cutSecret.js'
import { GROUPED, letterEncodings, secretEncodings } from './secretEncodings.js'

/**
 * Takes secrets out of a text, and the beginning of one at its end: of four letters where it `may be cut` off, and of
 * eight in any other, which its writer may have cut.
 */
export type Scrub = (text: string, cut?: 'may be cut') => string

const LEAST = 8
const LEAST_OF_CUT = 4
/** What is written after a text that was cut, and of the page or JSON that it stands in: looked for in so many letters. */
const AFTER = /(?:[.\u2026\s"'`)\]}]|&hellip;|<[^<>]*>)*$/
const TAIL = 100

/** Digits beyond these are lost where a long number was read as a number. */
const EXACT = 15

/** What a webhook is signed with: known by its name, in what is JSON within a text. */
const BY_NAME = /(\\?"|&quot;|&#34;)secret\1\s*:\s*\1(?:\\.|[^\\]){0,1000}?\1/g

/** A number, such as that of a card, may be shown in groups, or rounded. */
const isLong = (secret: string): boolean => /^\d{12,}$/.test(secret)

const inGroups = (number: string): ReadonlyArray<string> =>
  Array.from(number, (digit, i) => (i === 0 ? digit : `${GROUPED}${digit}`))

const patternOf = (secret: string): string | RegExp =>
  isLong(secret)
    ? new RegExp(`${inGroups(secret.slice(0, EXACT)).join('')}(?:${GROUPED}\\d)*`, 'g')
    : secretEncodings(secret)

const lettersOf = (secret: string): ReadonlyArray<string> =>
  isLong(secret) ? inGroups(secret) : letterEncodings(secret)

/** Where a text ends with the beginning of one of these, the least of which is so long; its length, where it does not. */
const cutter = (secrets: ReadonlyArray<string>, least: number): ((text: string) => number) => {
  const each = secrets.map((secret) => cutIndex(lettersOf(secret), least))
  return (text) => Math.min(...each.map((cut) => cut(text)), text.length)
}

/** Replaces every occurrence of the secrets; those shorter than four characters would hit by chance. */
export const scrubber = (secrets: ReadonlyArray<string>): Scrub => {
  const known = secrets.filter((secret) => secret.length >= 4)
  // most answers need none of these
  const patterns = memoized(() => known.map(patternOf))
  const begun = memoized(() => cutter(known, LEAST))
  const begunOfCut = memoized(() => cutter(known, LEAST_OF_CUT))

  const scrubbed = (text: string): string => {
    const named = text.replaceAll(BY_NAME, (_, quote) =>
      [quote, 'secret', quote, ':', quote, SECRET, quote].join(''),
    )
    return patterns().reduce((rest: string, one) => rest.replaceAll(one, SECRET), named)
  }

  return (text, cut) => {
    if (cut !== undefined) {
      const at = begunOfCut()(text)
      return scrubbed(text.slice(0, at)) + (at < text.length ? SECRET : '')
    }
    const whole = scrubbed(text)
    const last = whole.length - (AFTER.exec(whole.slice(-TAIL))?.[0].length ?? 0)
    const at = begun()(whole.slice(0, last))
    return at < last ? whole.slice(0, at) + SECRET + whole.slice(last) : whole
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
      if (name === 'secret' && typeof value === 'string') return SECRET
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
