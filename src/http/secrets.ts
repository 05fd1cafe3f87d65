/** What must not show. */

import type { IO } from '../fp.js'
import { spellings } from './spellings.js'

// model

export interface Secrets {
  readonly all: IO<ReadonlyArray<string>>
  readonly add: (token: string) => void
}

/** Tokens that are remembered: one that was replaced may still be good. */
const TOKENS = 8

// constructors

/** Those that are known from the start, and the last few tokens. */
export const secretsWith = (known: ReadonlyArray<string>): Secrets => {
  let tokens: ReadonlyArray<string> = []
  return {
    all: () => [...known, ...tokens],
    add: (token) => {
      tokens = [token, ...tokens].slice(0, TOKENS)
    },
  }
}

/** Digits beyond these are lost where a long number was read as a number. */
const EXACT = 15

/** A number, such as that of a card, may be shown in groups, or rounded. */
const patternOf = (secret: string): string | RegExp =>
  /^\d{12,}$/.test(secret)
    ? new RegExp(`${[...secret.slice(0, EXACT)].join(GROUPED)}(?:${GROUPED}\\d)*`, 'g')
    : spellings(secret)

const GROUPED = '[\\s.-]{0,2}'

/** Replaces every occurrence of the secrets; those shorter than four characters would hit by chance. */
export const scrubber = (secrets: ReadonlyArray<string>): ((text: string) => string) => {
  let patterns: ReadonlyArray<string | RegExp> | undefined // most answers need none
  return (text) => {
    patterns ??= secrets.filter((secret) => secret.length >= 4).map(patternOf)
    return patterns.reduce((rest: string, one) => rest.replaceAll(one, '[secret]'), text)
  }
}

// combinators

/** Nested deeper than this, a value is cut. */
const DEPTH = 50

/** A value with `scrub` applied to all that it holds, the names of fields among them. */
export const scrubAll =
  (scrub: (text: string) => string, depth = DEPTH): ((u: unknown) => unknown) =>
  (u) => {
    if (typeof u === 'string') return scrub(u)
    if (typeof u === 'number') return scrub(String(u)) === String(u) ? u : scrub(String(u))
    if (typeof u !== 'object' || u === null) return u
    if (depth === 0) return '[...]'
    const inner = scrubAll(scrub, depth - 1)
    return Array.isArray(u)
      ? u.map(inner)
      : Object.fromEntries(Object.entries(u).map(([name, value]) => [scrub(name), inner(value)]))
  }

/**
 * Whether a text can stand in a header as it is: `fetch` would refuse another one by repeating it, and cut
 * off space around it, so that what the service repeats would not be known for a secret.
 */
export const fitsHeader = (text: string): boolean =>
  /^[\x21-\x7e\x80-\xff]+([\t\x20]+[\x21-\x7e\x80-\xff]+)*$/.test(text)

/** What `fitsHeader` expects, in words. */
export const HEADER = 'a text that fits a header, without space around it'
