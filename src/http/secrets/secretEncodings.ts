/** Letters that all spellings leave as they are. */
const PLAIN = /^[\w-]+$/

/** Letters that a web page has names for: `&amp;`. */
const NAMED: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
}

/** What stands between two digits of a number in groups, also in a URL or a web page. */
export const GROUPED = String.raw`(?:[\s.+_/\u2010-\u2015-]|%20|%2[bBdD]|%[cC]2%[aA]0|&nbsp;|&#0*(?:32|45|160);|&#[xX]0*(?:20|2[dD]|[aA]0);){0,2}`

/**
 * What finds a text in a URL, a web page or JSON as well, where some of its letters stand as `%2F`, `&#47;`,
 * `&#x2f;`, `\/` or `\u002f`.
 */
export const secretEncodings = (text: string): string | RegExp =>
  PLAIN.test(text) ? text : new RegExp(letterEncodings(text).join(''), 'g')

/** The same of each letter; space is one. */
export const letterEncodings = (text: string): ReadonlyArray<string> =>
  (text.match(/\s+|\S/g) ?? []).map(spelled)

const spelled = (piece: string): string => {
  if (PLAIN.test(piece)) return piece
  const named = NAMED[piece]
  return /\s/.test(piece)
    ? String.raw`(?:\s|\+|&nbsp;|\\t|${[...new Set(piece)].flatMap(encoded).join('|')})+`
    : `(?:${[
        ...encoded(piece), // before the letter itself, which some of them begin with
        ...(named === undefined ? [] : [`&${named};`]),
        String.raw`\\?${escaped(piece)}`,
      ].join('|')})`
}

const encoded = (letter: string): ReadonlyArray<string> => {
  const code = letter.charCodeAt(0)
  const bytes = Array.from(new TextEncoder().encode(letter), (byte) => `%${hex(byte, 2)}`)
  return [
    String.raw`\\u${hex(code, 4)}`,
    bytes.join(''),
    ...(bytes.length > 1 ? [`%${hex(code, 2)}`] : []), // Latin-1
    `&#0*${code};`,
    `&#[xX]0*${hex(code, 1)};`,
  ]
}

const escaped = (letter: string): string =>
  String.raw`\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`

/** In small letters or capitals. */
const hex = (code: number, digits: number): string =>
  code
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
