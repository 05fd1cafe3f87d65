/** Regular expressions for the ways in which a URL, a web page or JSON may encode a secret. */

/** Characters that no encoding changes. */
const PLAIN = /^[\w-]+$/

/** Entities of HTML: `&amp;`. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
}

/** Separators between the digits of a number, encoded or not. */
export const DIGIT_SEPARATOR = String.raw`(?:[\s.+_/\u2010-\u2015-]|%20|%2[bBdD]|%[cC]2%[aA]0|&nbsp;|&#0*(?:32|45|160);|&#[xX]0*(?:20|2[dD]|[aA]0);){0,2}`

/** Matches a text with any of its characters as `%2F`, `&#47;`, `&#x2f;`, `\/` or `\u002f`. */
export const secretEncodings = (text: string): string | RegExp =>
  PLAIN.test(text) ? text : new RegExp(characterEncodings(text).join(''), 'g')

/** One pattern for each character; a run of white space counts as one. */
export const characterEncodings = (text: string): ReadonlyArray<string> =>
  (text.match(/\s+|\S/g) ?? []).map((piece) => {
    if (PLAIN.test(piece)) return piece
    const entity = ENTITIES[piece]
    return /\s/.test(piece)
      ? String.raw`(?:\s|\+|&nbsp;|\\t|${[...new Set(piece)].flatMap(encoded).join('|')})+`
      : `(?:${[
          ...encoded(piece), // before the character itself, which some of them begin with
          ...(entity === undefined ? [] : [`&${entity};`]),
          String.raw`\\?${escaped(piece)}`,
        ].join('|')})`
  })

const encoded = (character: string): ReadonlyArray<string> => {
  const code = character.charCodeAt(0)
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => `%${hex(byte, 2)}`)
  return [
    String.raw`\\u${hex(code, 4)}`,
    bytes.join(''),
    ...(bytes.length > 1 ? [`%${hex(code, 2)}`] : []), // Latin-1
    `&#0*${code};`,
    `&#[xX]0*${hex(code, 1)};`,
  ]
}

const escaped = (character: string): string =>
  String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Hexadecimal digits, in either letter case. */
const hex = (code: number, digits: number): string =>
  code
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)

// beginnings of a secret

/** Longest encoding of a character, such as `&#x002f;`. */
const MAX_ENCODED_LENGTH = 8

/** Remains of a character that was cut itself: of an escape, of a separator of digits, of several bytes. */
const PARTIAL =
  /^(?:\\(?:u[\da-f]{0,3})?|(?:%[\da-f]{0,2})+|&[#\w]{0,9}|[\s.+_/\u2010-\u2015-]{1,2}|\ufffd)?$/i

/**
 * Returns the index at which a text ends with the beginning of a secret, because it was cut there; the length of
 * the text if it does not. `characters` are the patterns of the secret; fewer than `least` of them match by chance.
 */
export const cutIndex = (
  characters: ReadonlyArray<string>,
  least: number,
): ((text: string) => number) => {
  const beginning = new RegExp(`(?=${characters.slice(0, least).join('')})`, 'g')
  const each = characters.map((character) => new RegExp(character, 'y'))
  return (text) => {
    beginning.lastIndex = Math.max(0, text.length - characters.length * MAX_ENCODED_LENGTH)
    for (const { index } of text.matchAll(beginning)) {
      if (isCut(each, text, index, least)) return index
    }
    return text.length
  }
}

const isCut = (
  characters: ReadonlyArray<RegExp>,
  text: string,
  start: number,
  least: number,
): boolean => {
  let at = start
  for (const [i, character] of characters.entries()) {
    const rest = text.length - at
    if (i >= least && rest <= MAX_ENCODED_LENGTH && PARTIAL.test(text.slice(at))) return true
    character.lastIndex = at
    if (!character.test(text)) return false
    at = character.lastIndex
  }
  return at === text.length
}
