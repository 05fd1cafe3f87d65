/** The rows of a page, cut by all the brackets of its text: right for whatever JSON, at a cost for each letter. */
import { parsed } from '../decode/unknown.js'

// model

/** A text without space between its tokens, so that each row is one line. */
export interface Scanned {
  readonly bytes: Uint8Array
  /** Where in it the rows begin, and where one more would. */
  readonly starts: ReadonlyArray<number>
}

// constructors

/** Of what is known to be JSON, in UTF-8. Where `items` comes twice, the last counts, as it does where it is read. */
export const scanned = (json: Uint8Array): Scanned => {
  const out = new Uint8Array(json.length)
  let length = 0
  let depth = 0
  let name: Uint8Array = out.subarray(0, 0) // the text before
  let isWithin = false
  let starts: Array<number> = []
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (SPACES.has(byte)) continue
    if (byte === QUOTE) {
      const text = json.subarray(at, endOfText(json, at))
      out.set(text, length)
      length += text.length
      at += text.length - 1
      name = text
      continue
    }
    out[length++] = byte
    if (OPENING.has(byte)) {
      depth++
      if (depth !== ITEMS || byte !== LIST || !isItems(name)) continue
      isWithin = true
      starts = [length]
    } else if (byte === COMMA) {
      if (isWithin && depth === ITEMS) starts.push(length)
    } else if (CLOSING.has(byte)) {
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

const code = (letter: string): number => letter.charCodeAt(0)

const [QUOTE, BACKSLASH, COMMA, LIST] = [code('"'), code('\\'), code(','), code('[')]
const SPACES: ReadonlySet<number> = new Set([...' \t\n\r'].map(code))
const OPENING: ReadonlySet<number> = new Set([...'[{'].map(code))
const CLOSING: ReadonlySet<number> = new Set([...']}'].map(code))

/** After the quote that ends a text which begins at `start`. */
const endOfText = (json: Uint8Array, start: number): number => {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at + 1
}

const isItems = (name: Uint8Array): boolean => parsed(new TextDecoder().decode(name)) === 'items'
