/** The rows of a page, cut by all the brackets of its text: right for whatever JSON, at a cost for each letter. */
import { parsed } from '../../decode/unknown.js'

// model

/** A text without space between its tokens, so that each row is one line. */
export interface ScannedRows {
  readonly bytes: Uint8Array
  /** Where in it the rows begin, and where one more would. */
  readonly starts: ReadonlyArray<number>
}

// constructors

/** Of what is known to be JSON, in UTF-8. Where `items` comes twice, the last counts, as it does where it is read. */
export const scanRows = (json: Uint8Array): ScannedRows => {
  const out = new Uint8Array(json.length)
  let length = 0
  let depth = 0
  let [from, to] = [0, 0] // of the text before
  let isWithin = false
  let starts: Array<number> = []
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    const kind = KINDS[byte]
    if (kind === SPACE) continue
    if (kind === QUOTE) {
      from = at
      to = endOfText(json, at)
      for (; at < to; at++) out[length++] = json[at] ?? 0
      at--
      continue
    }
    out[length++] = byte
    if (kind === OPENING) {
      depth++
      if (depth !== ITEMS || byte !== LIST || !isItems(json.subarray(from, to))) continue
      isWithin = true
      starts = [length]
    } else if (kind === COMMA) {
      if (isWithin && depth === ITEMS) starts.push(length)
    } else if (kind === CLOSING) {
      if (isWithin && depth === ITEMS) {
        isWithin = false
        starts.push(length)
      }
      depth--
    }
  }
  return { bytes: out.subarray(0, length), starts }
}

/** How deep the items of an envelope stand. */
const ITEMS = 2

const LIST = '['.charCodeAt(0)
const QUOTE_ITSELF = '"'.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)

const [SPACE, QUOTE, COMMA, OPENING, CLOSING] = [1, 2, 3, 4, 5]
const kinds = [' \t\n\r', '"', ',', '[{', ']}']
/** By byte; 0 for all others. A table, since every byte is looked up. */
const KINDS = Uint8Array.from(
  { length: 256 },
  (_, byte) => 1 + kinds.findIndex((letters) => letters.includes(String.fromCharCode(byte))),
)

/** After the quote that ends a text which begins at `start`. */
const endOfText = (json: Uint8Array, start: number): number => {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE_ITSELF) at += json[at] === BACKSLASH ? 2 : 1
  return at + 1
}

const isItems = (name: Uint8Array): boolean => parsed(new TextDecoder().decode(name)) === 'items'
