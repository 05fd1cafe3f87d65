/** How long the spelling of a letter may be, such as `&#x002f;`: what stands further from the end is not looked at. */
const WIDEST = 8

/** What may be left of a letter that was cut itself: of an escape, of a group of digits, of several bytes. */
const HALF =
  /^(?:\\(?:u[\da-f]{0,3})?|(?:%[\da-f]{0,2})+|&[#\w]{0,9}|[\s.+_/\u2010-\u2015-]{1,2}|\ufffd)?$/i

/**
 * Where a text ends with the beginning of a secret, since it was cut off there; its length, where it does not.
 * `letters` are those of the secret, each as an expression for all its spellings; fewer than `least` of them would
 * hit by chance.
 */
export const cutIndex = (
  letters: ReadonlyArray<string>,
  least: number,
): ((text: string) => number) => {
  const begun = new RegExp(`(?=${letters.slice(0, least).join('')})`, 'g')
  const each = letters.map((letter) => new RegExp(letter, 'y'))
  return (text) => {
    begun.lastIndex = Math.max(0, text.length - letters.length * WIDEST)
    for (const { index } of text.matchAll(begun)) {
      if (isCut(each, text, index, least)) return index
    }
    return text.length
  }
}

const isCut = (
  letters: ReadonlyArray<RegExp>,
  text: string,
  start: number,
  least: number,
): boolean => {
  let at = start
  for (const [i, letter] of letters.entries()) {
    const rest = text.length - at
    if (i >= least && rest <= WIDEST && HALF.test(text.slice(at))) return true
    letter.lastIndex = at
    if (!letter.test(text)) return false
    at = letter.lastIndex
  }
  return at === text.length
}
