/** Removes secrets from text and data that came from outside, however they are encoded there. */
import { digitsOf, withDigitsOf } from '../../decode/digits.js'
import { LEFT_OUT, LEVELS } from '../../decode/levels.js'
import { memoized, O } from '../../fp.js'
import {
  characterEncodings,
  cutIndex,
  DIGIT_SEPARATOR,
  secretEncodings,
} from './secretEncodings.js'

// model

/**
 * Replaces secrets in a text, and the beginning of one at its end: of at least four characters where the text
 * `may be cut`, of eight in any other, which may have been cut before it was sent.
 */
export type Scrub = (text: string, cut?: 'may be cut') => string

/** Number of tokens to remember: one that was replaced may still be valid. */
const MAX_TOKENS = 8

/** The secrets of a client: those of its options, and its last tokens. */
export class KnownSecrets {
  readonly #configured: ReadonlyArray<string>
  #tokens: ReadonlyArray<string> = []

  constructor(configured: ReadonlyArray<string>) {
    this.#configured = configured
  }

  all(): ReadonlyArray<string> {
    return [...this.#configured, ...this.#tokens]
  }

  addToken(token: string): void {
    this.#tokens = [token, ...this.#tokens].slice(0, MAX_TOKENS)
  }
}

const REPLACEMENT = '[secret]'

/** Shorter secrets would match by chance. */
const MIN_LENGTH = 4

const MIN_BEGINNING = 8
const MIN_BEGINNING_OF_CUT = 4

/** Characters that may follow a text that was cut, in a page or JSON; looked for in the last `MAX_AFTER` characters. */
const AFTER = /(?:[.\u2026\s"'`)\]}]|&hellip;|<[^<>]*>)*$/
const MAX_AFTER = 100

/** Digits that a number keeps when it is parsed as a double. */
const DOUBLE_DIGITS = 15

/** The signing secret of a webhook, recognized by its name, in JSON within a text. */
const NAMED_SECRET = /(\\?"|&quot;|&#34;)secret\1\s*:\s*\1(?:\\.|[^\\]){0,1000}?\1/g

// constructors

/** Removes these secrets. */
export const scrubber = (secrets: ReadonlyArray<string>): Scrub => {
  const known = secrets.filter((secret) => secret.length >= MIN_LENGTH)
  // lazy: most responses need none of these
  const patterns = memoized(() => known.map(patternOf))
  const beginning = memoized(() => beginningOf(known, MIN_BEGINNING))
  const beginningOfCut = memoized(() => beginningOf(known, MIN_BEGINNING_OF_CUT))

  const replaced = (text: string): string => {
    const named = text.replaceAll(NAMED_SECRET, (_, quote) =>
      [quote, 'secret', quote, ':', quote, REPLACEMENT, quote].join(''),
    )
    return patterns().reduce((rest: string, one) => rest.replaceAll(one, REPLACEMENT), named)
  }

  return (text, cut) => {
    if (cut !== undefined) {
      const at = beginningOfCut()(text)
      return replaced(text.slice(0, at)) + (at < text.length ? REPLACEMENT : '')
    }
    const all = replaced(text)
    const last = all.length - (AFTER.exec(all.slice(-MAX_AFTER))?.[0].length ?? 0)
    const at = beginning()(all.slice(0, last))
    return at < last ? all.slice(0, at) + REPLACEMENT + all.slice(last) : all
  }
}

/** A long number, such as that of a card, may be shown in groups, or rounded. */
const isLongNumber = (secret: string): boolean => /^\d{12,}$/.test(secret)

const digitsInGroups = (number: string): ReadonlyArray<string> =>
  Array.from(number, (digit, i) => (i === 0 ? digit : `${DIGIT_SEPARATOR}${digit}`))

const patternOf = (secret: string): string | RegExp => {
  if (!isLongNumber(secret)) return secretEncodings(secret)
  const digits = digitsInGroups(secret.slice(0, DOUBLE_DIGITS)).join('')
  return new RegExp(`${digits}(?:${DIGIT_SEPARATOR}\\d)*`, 'g')
}

/** Returns the index at which a text ends with the beginning of a secret, or its length. */
const beginningOf = (secrets: ReadonlyArray<string>, least: number): ((text: string) => number) => {
  const each = secrets.map((secret) =>
    cutIndex(isLongNumber(secret) ? digitsInGroups(secret) : characterEncodings(secret), least),
  )
  return (text) => Math.min(...each.map((cut) => cut(text)), text.length)
}

/** Applies `scrub` to all text of a value: also to names of fields, and to the digits of numbers. */
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
      const scrubbed = digits === undefined ? undefined : scrub(digits)
      if (name === 'secret' && typeof value === 'string') return REPLACEMENT
      return scrubbed === digits ? inner(value) : scrubbed
    }
    return withDigitsOf(u)(
      Array.isArray(u)
        ? u.map((value, i) => field(String(i), value))
        : Object.fromEntries(
            Object.entries(u).map(([name, value]) => [scrub(name), field(name, value)]),
          ),
    )
  }
