/** Secrets that can be recognized, and a search for them in any output. */
import { inspect } from 'node:util'
import { expect } from 'vitest'

export const secrets = {
  apiKey: 'ak/live+c3VwZXI"s3cr3t\\',
  token: 'eyJhbGciOiJIUzI1NiJ9.dG9rZW4.c2lnbmVk/x+y=',
  ownToken: 'own/oauth+token=6c6f72656d',
  clientSecret: 'cs/p@rtner:n0t=shown+anywhere',
  cardNumber: '4929000000006789',
  webhookSecret: 'whsec_/Zx4+Jq7"L0=',
} as const

const inGroups = (text: string, by: string): string => (text.match(/.{1,4}/g) ?? []).join(by)

const ODD_DIGITS = [0xff10, 0x0660, 0x06f0, 0x1d7ce] // full width, Arabic-Indic, Persian, bold

/** Returns a card number cut into pieces, with other separators, and in other digits. */
const cardSpellings = (number: string): ReadonlyArray<string> => [
  number.slice(0, 12),
  number.slice(-12),
  ...[',', ', ', ' - ', '   ', '|', '\u200b', '\u00a0'].map((by) => inGroups(number, by)),
  ...ODD_DIGITS.map((zero) =>
    number.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))),
  ),
  number.replace(/\d/g, (digit) => `\\u003${digit}`),
]

/**
 * Returns the forms in which a text may be printed: unchanged, in JSON with and without escaped slashes, in groups, in a URL,
 * in Base64.
 */
export const spellings = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    inspect(secret).slice(1, -1),
    ...[',', ' - ', ' '].map((by) => (secret.match(/.{1,3}/g) ?? []).join(by)),
    ...[' ', '+', '%20', '%2D', '&nbsp;', '&#32;', '_', '/'].map((by) => inGroups(secret, by)),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    Buffer.from(`partner:${secret}`).toString('base64'),
    ...(/^\d+$/.test(secret) ? cardSpellings(secret) : []),
  ]
}

export const expectNoSecret = (text: string): void => {
  for (const [name, secret] of Object.entries(secrets)) {
    for (const spelling of spellings(secret)) {
      const at = text.indexOf(spelling)
      expect(
        at === -1 ? '' : `${name} shows in: ${text.slice(Math.max(0, at - 200), at + 40)}`,
      ).toBe('')
    }
  }
}

// where it might

/** Returns the JSON of a value; cyclic values have none. */
const json = (u: unknown): string => {
  try {
    return JSON.stringify(u) ?? ''
  } catch {
    return ''
  }
}

export const everything = (u: unknown): ReadonlyArray<string> => [
  String(u),
  json(u),
  inspect(u),
  inspect(u, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
]
