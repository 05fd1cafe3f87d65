/** Finds secrets in external text and data, in any encoding, and removes strings that contain them. */
import { withDigitsOf } from '../decode/digits.js'
import { LEFT_OUT, LEVELS } from '../decode/unknown.js'
import { memoized } from '../fp.js'

/** Returns a string, or `[secret]` if it contains a secret. */
export type Scrub = (text: string) => string

/** Maximum number of tokens to remember. A token may still be valid after it was replaced. */
const MAX_TOKENS = 8

/** A client's secrets: those in its options, and its most recent tokens. */
export class KnownSecrets {
  readonly #configured: ReadonlyArray<string>
  #tokens: ReadonlyArray<string> = []
  #scrub: Scrub

  constructor(configured: ReadonlyArray<string>) {
    this.#configured = configured
    this.#scrub = scrubber(configured)
  }

  addToken(token: string): void {
    this.#tokens = [token, ...this.#tokens].slice(0, MAX_TOKENS)
    this.#scrub = scrubber([...this.#configured, ...this.#tokens])
  }

  /** Replaces a string that contains one of the secrets. */
  scrub(text: string): string {
    return this.#scrub(text)
  }
}

const REPLACEMENT = '[secret]'

/** Minimum length of a secret. Shorter ones would be found by chance. */
const MIN_LENGTH = 4

/** Number of consecutive letters and digits of a secret that cannot be a coincidence, even if the rest is cut off. */
const PIECE_LENGTH = 8

/** The signing secret of a webhook in JSON within a text. It is recognized by its name. */
const NAMED_SECRET = /(?:\\?"|&quot;|&#34;)secret(?:\\?"|&quot;|&#34;)\s*:/

/** Returns a function that removes strings that contain one of these secrets, or a part of one. */
export const scrubber = (secrets: ReadonlyArray<string>): Scrub => {
  const longEnough = secrets.filter((secret) => secret.length >= MIN_LENGTH)
  // encoded text contains the secret's own letters; in other text, `plain` changes a `%41` or ` ` within the secret
  const pieces = memoized(
    () =>
      new Set(
        longEnough.flatMap((secret) => [
          ...piecesOf(lettersOf(secret.normalize('NFKC'))),
          ...piecesOf(plain(secret)),
        ]),
      ),
  )
  const hasPiece = (letters: string): boolean => {
    for (let i = 0; i + PIECE_LENGTH <= letters.length; i++) {
      if (pieces().has(letters.slice(i, i + PIECE_LENGTH))) return true
    }
    return false
  }
  return (text) =>
    longEnough.some((secret) => text.includes(secret)) ||
    (text.length >= PIECE_LENGTH && (NAMED_SECRET.test(text) || hasPiece(plain(text))))
      ? REPLACEMENT
      : text
}

const piecesOf = (text: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, text.length - PIECE_LENGTH + 1) }, (_, i) =>
    text.slice(i, i + PIECE_LENGTH),
  )

/** Characters as they may be written in JSON, a URL or a web page. */
const ENCODED = /\\u([\da-f]{4})|%([\da-f]{2})|&#x([\da-f]+);|&#(\d+);|&\w+;|\\[bfnrt]/gi

/** Returns the letters and digits of a string, which no encoding or grouping changes. */
const plain = (text: string): string =>
  lettersOf(
    text
      .normalize('NFKC')
      .replace(ENCODED, (_, json?: string, url?: string, hexEntity?: string, entity?: string) => {
        const hex = json ?? url ?? hexEntity
        const code = hex === undefined ? Number(entity ?? 0) : Number.parseInt(hex, 16)
        return code < 0x80 ? String.fromCharCode(code) : ''
      }),
  )

const lettersOf = (text: string): string => text.replace(/[^\da-z]/gi, '')

/** Applies `scrub` to all text in a value, including field names, and replaces fields named `secret` with `[secret]`. */
export const scrubAll =
  (scrub: Scrub, depth = LEVELS): ((u: unknown) => unknown) =>
  (u) => {
    if (typeof u === 'string') return scrub(u)
    if (typeof u === 'number') return scrub(String(u)) === REPLACEMENT ? REPLACEMENT : u
    if (typeof u !== 'object' || u === null) return u
    if (depth === 0) return LEFT_OUT
    const inner = scrubAll(scrub, depth - 1)
    const field = ([name, value]: [string, unknown]): [string, unknown] => [
      scrub(name),
      name === 'secret' && typeof value === 'string' ? REPLACEMENT : inner(value),
    ]
    return withDigitsOf(u)(
      Array.isArray(u) ? u.map(inner) : Object.fromEntries(Object.entries(u).map(field)),
    )
  }

/** Returns true if the text has at least as many digits as a card number, in any grouping. */
export const isCardNumber = (text: string): boolean =>
  !/\p{L}/u.test(text) && text.replace(/\D/g, '').length >= 12
