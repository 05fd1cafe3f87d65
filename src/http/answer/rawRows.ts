/** Finds the JSON text of each row in the bytes of a response. */
import { isAscii, isUtf8 } from 'node:buffer'
import { isOverflow } from '../../decode/decodeSafely.js'
import { parseExact } from '../../decode/index.js'
import { isRecord, parsed } from '../../decode/unknown.js'
import { memoized } from '../../fp.js'
import { type RowText, rowText, withRowText } from '../../stream/rawRows.js'
import type { HttpResponse } from '../transport/Transport.js'

/** Attaches the JSON text to the rows of a response. The text is located when it is first used. */
export const rawRows = (
  response: Pick<HttpResponse, 'body' | 'parts'>,
  rows: ReadonlyArray<unknown>,
): ReadonlyArray<unknown> =>
  withRowText(
    rows,
    memoized(() => findRowText(response, rows)),
  )

/** Returns a function that reads a row with the digits of its numbers if its text is known and not nested too deeply. */
export const exactRows = (raw: ReadonlyArray<unknown>): ((index: number) => unknown) => {
  const text = memoized(() => rowText(raw))
  return (index) => {
    const all = text()
    if (all === undefined) return raw[index]
    try {
      return parseExact(new TextDecoder().decode(all.join([index], { between: '' })))
    } catch (thrown) {
      if (!isOverflow(thrown)) throw thrown
      return raw[index]
    }
  }
}

/**
 * Finds the JSON of each row in the bytes of a response. The JSON has the original digits, field order and escapes, but no
 * white space between tokens. `undefined` if the body is not UTF-8, or if its rows are not those in `raw`.
 */
const findRowText = (
  { body, parts = [encode(body)] }: Pick<HttpResponse, 'body' | 'parts'>,
  raw: ReadonlyArray<unknown>,
): RowText | undefined => {
  const rows = raw.length
  const text = toBytewise(body, parts)
  if (text === '' || rows === 0) return undefined
  const starts = raw.every(isRecord) ? splitCompact(text, rows) : undefined
  if (starts !== undefined) return textFrom(parts, starts)
  const scan = scanRows(Buffer.concat(parts))
  return scan.starts.length === rows + 1 ? textFrom([scan.bytes], scan.starts) : undefined
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns the body with one character per byte, or nothing if it is not UTF-8. This works because all delimiters are ASCII. */
const toBytewise = (body: string, parts: ReadonlyArray<Uint8Array>): string => {
  if (parts.every(isAscii)) return body
  const bytes = Buffer.concat(parts)
  return isUtf8(bytes) ? bytes.toString('latin1') : ''
}

// fast path: compact JSON, as most services write it

/** Matches the start of an envelope that has no list before `items`. */
const HEAD = /^\{(?:"has_more":(?:true|false),)?"items":\[(?=\{)/

/** Matches the end of an envelope whose other values are scalars. */
const TAIL = /^\](?:,"\w+":(?:true|false|null|-?\d+|"[^"\\]*"))*\}$/

const BETWEEN_ROWS = '},{'

/** White space that may separate rows, so that the separator is not `},{`. */
const SPACED = [' {', '\t{', ' ,{', '\t,{', '\n', '\r']

/**
 * Returns the offsets at which rows start, plus the offset for one more; `undefined` if uncertain.
 *
 * Rows are separated by `},{` and a key. Within a string, `},{` is followed by the end of the string and not by a key. All rows
 * are objects, in JSON without white space, so there is at least one such separator between two rows. If the number of
 * separators is right, none of them is within a row. A list before or after `items` makes the first or last piece fail to
 * parse.
 */
const splitCompact = (text: string, rows: number): ReadonlyArray<number> | undefined => {
  const head = HEAD.exec(text)?.[0].length
  const last = text.lastIndexOf('}]')
  if (head === undefined) return undefined
  if (SPACED.some((space) => text.includes(space))) return undefined
  if (!TAIL.test(text.slice(last + 1))) return undefined

  const startOfRow = /\{(?:"(?:[^"\\]|\\.)*":|\})/y
  const starts = [head]
  let at = text.indexOf(BETWEEN_ROWS, head)
  for (; at !== -1; at = text.indexOf(BETWEEN_ROWS, at + 2)) {
    startOfRow.lastIndex = at + 2
    if (!startOfRow.test(text) || starts.push(at + 2) > rows) return undefined
  }
  if (starts.length < rows) return undefined
  starts.push(last + 2)
  const parses = (row: number): boolean =>
    parsed(text.slice(starts[row], (starts[row + 1] ?? 0) - 1)) !== undefined
  return parses(0) && parses(rows - 1) ? starts : undefined
}

// slow path: any JSON

/** JSON without white space between tokens. */
interface ScannedRows {
  readonly bytes: Uint8Array
  /** Offsets at which rows start, plus the offset for one more. */
  readonly starts: ReadonlyArray<number>
}

/** Splits valid UTF-8 JSON at its brackets. If `items` occurs twice, the last one counts, as in `JSON.parse`. */
const scanRows = (json: Uint8Array): ScannedRows => {
  const out = new Uint8Array(json.length)
  let length = 0
  let depth = 0
  let [from, to] = [0, 0] // offsets of the last string
  let isInItems = false
  let starts: Array<number> = []
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    const kind = TOKENS[byte]
    if (kind === SPACE) continue
    if (kind === QUOTE) {
      from = at
      to = endOfString(json, at)
      for (; at < to; at++) out[length++] = json[at] ?? 0
      at--
      continue
    }
    out[length++] = byte
    if (kind === OPENING) {
      depth++
      if (depth !== ITEMS_DEPTH || byte !== LIST || !isItems(json.subarray(from, to))) continue
      isInItems = true
      starts = [length]
    } else if (kind === COMMA) {
      if (isInItems && depth === ITEMS_DEPTH) starts.push(length)
    } else if (kind === CLOSING) {
      if (isInItems && depth === ITEMS_DEPTH) {
        isInItems = false
        starts.push(length)
      }
      depth--
    }
  }
  return { bytes: out.subarray(0, length), starts }
}

const ITEMS_DEPTH = 2

const LIST = '['.charCodeAt(0)
const QUOTE_MARK = '"'.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)

const [SPACE, QUOTE, COMMA, OPENING, CLOSING] = [1, 2, 3, 4, 5]
const tokens = [' \t\n\r', '"', ',', '[{', ']}']
/** Kind of token for each byte; 0 for all others. This is a table because every byte is looked up. */
const TOKENS = Uint8Array.from(
  { length: 256 },
  (_, byte) => 1 + tokens.findIndex((characters) => characters.includes(String.fromCharCode(byte))),
)

/** Returns the offset after the closing quote of the string that starts at `start`. */
const endOfString = (json: Uint8Array, start: number): number => {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE_MARK) at += json[at] === BACKSLASH ? 2 : 1
  return at + 1
}

const isItems = (name: Uint8Array): boolean => parsed(new TextDecoder().decode(name)) === 'items'

// joining

/** Creates the text of rows from their offsets; rows are separated by one byte. */
const textFrom = (parts: ReadonlyArray<Uint8Array>, starts: ReadonlyArray<number>): RowText => ({
  length: starts.length - 1,
  join: joinRows(parts, starts),
})

/** Copies consecutive rows in one step if the new separator is as long as the old one, then overwrites the old separators. */
const joinRows =
  (parts: ReadonlyArray<Uint8Array>, starts: ReadonlyArray<number>): RowText['join'] =>
  (
    indices,
    { before = '', between, after = '' },
    allocate = (length) => new Uint8Array(length),
  ) => {
    const [first, separator, last] = [encode(before), encode(between), encode(after)]
    const overwrite = separator.length === 1 ? separator[0] : undefined
    const ranges = overwrite === undefined ? indices.map(single) : rangesOf(indices)

    const startOf = (row: number): number => starts[row] ?? 0
    const endOf = (row: number): number => startOf(row + 1) - 1

    let length = first.length + last.length + separator.length * Math.max(0, ranges.length - 1)
    for (const [from, to] of ranges) length += endOf(to) - startOf(from)

    const out = allocate(length)
    let at = 0
    const put = (part: Uint8Array): void => {
      out.set(part, at)
      at += part.length
    }
    put(first)
    for (const [i, [from, to]] of ranges.entries()) {
      if (i > 0) put(separator)
      const shift = at - startOf(from)
      for (const part of slices(parts, startOf(from), endOf(to))) put(part)
      if (overwrite === undefined) continue
      for (let row = from; row < to; row++) out[endOf(row) + shift] = overwrite
    }
    put(last)
    return out
  }

/** The first and the last of consecutive indices. */
type IndexRange = readonly [number, number]

const single = (index: number): IndexRange => [index, index]

const rangesOf = (indices: ReadonlyArray<number>): ReadonlyArray<IndexRange> => {
  const all: Array<[number, number]> = []
  for (const index of indices) {
    const range = all.at(-1)
    if (range !== undefined && range[1] === index - 1) range[1] = index
    else all.push([index, index])
  }
  return all
}

/** Returns the bytes from one offset up to another, without copying. */
const slices = (
  parts: ReadonlyArray<Uint8Array>,
  from: number,
  to: number,
): ReadonlyArray<Uint8Array> => {
  const found: Array<Uint8Array> = []
  let start = 0
  for (const part of parts) {
    const end = start + part.length
    if (start < to && end > from) found.push(part.subarray(Math.max(0, from - start), to - start))
    start = end
  }
  return found
}
