import { isAscii, isUtf8 } from 'node:buffer'
import { isRecord, parsed } from '../../decode/unknown.js'
import type { RowTexts } from '../../stream/index.js'
import type { HttpResponse } from '../transport/Transport.js'
import { scanRows } from './scanned.js'

/** Up to the first row, in the shapes that the envelope comes in when no key before `items` has a list. */
const HEAD = /^\{(?:"has_more":(?:true|false),)?"items":\[(?=\{)/

/** After the last row: what else the envelope says, in plain values. */
const TAIL = /^\](?:,"\w+":(?:true|false|null|-?\d+|"[^"\\]*"))*\}$/

/** What an object ends and the next one begins with, if there is space in between: not as `},{`. */
const SPACED = [' {', '\t{', ' ,{', '\t,{', '\n', '\r']

/**
 * The JSON of the rows of a page as they came: digits, order and escapes are as the service wrote them; space
 * between tokens is left out where there is some. Nothing where the answer has other rows, or is no UTF-8.
 */
export const rowTexts = (
  { body, parts = [encode(body)] }: Pick<HttpResponse, 'body' | 'parts'>,
  raw: ReadonlyArray<unknown>,
): RowTexts | undefined => {
  const rows = raw.length
  const text = inBytes(body, parts)
  if (text === '' || rows === 0) return undefined
  const starts = raw.every(isRecord) ? plainStarts(text, rows) : undefined
  if (starts !== undefined) return textsOf(parts, starts)
  const slow = scanRows(Buffer.concat(parts))
  return slow.starts.length === rows + 1 ? textsOf([slow.bytes], slow.starts) : undefined
}

/**
 * Where rows begin, and where one more would, of an answer that is laid out as most are; nothing where that is not
 * certain.
 *
 * Rows are told apart by `},{` and the key that follows; where a text has that, its end follows, and no key.
 * All rows are objects and nothing is laid out with space, so there is one of these between any two rows: if
 * there are no more, none is within a row. Where another list comes before or after, the first or the last
 * piece does not parse.
 */
const plainStarts = (text: string, rows: number): ReadonlyArray<number> | undefined => {
  const head = HEAD.exec(text)?.[0].length
  const last = text.lastIndexOf('}]')
  if (head === undefined) return undefined
  if (SPACED.some((space) => text.includes(space))) return undefined
  if (!TAIL.test(text.slice(last + 1))) return undefined

  const begins = /\{(?:"(?:[^"\\]|\\.)*":|\})/y
  const starts = [head]
  for (let at = text.indexOf(BETWEEN, head); at !== -1; at = text.indexOf(BETWEEN, at + 2)) {
    begins.lastIndex = at + 2
    if (!begins.test(text) || starts.push(at + 2) > rows) return undefined
  }
  if (starts.length < rows) return undefined
  starts.push(last + 2) // as if there were one more
  const parses = (row: number): boolean =>
    parsed(text.slice(starts[row], (starts[row + 1] ?? 0) - 1)) !== undefined
  return parses(0) && parses(rows - 1) ? starts : undefined
}

/** Between two rows is one letter. */
const textsOf = (parts: ReadonlyArray<Uint8Array>, starts: ReadonlyArray<number>): RowTexts => ({
  length: starts.length - 1,
  join: joined(parts, starts),
})

/** What stands between two rows. */
const BETWEEN = '},{'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The body with a letter for each byte; nothing where it is no UTF-8. All that is looked for is ASCII. */
const inBytes = (body: string, parts: ReadonlyArray<Uint8Array>): string => {
  if (parts.every(isAscii)) return body
  const bytes = Buffer.concat(parts)
  return isUtf8(bytes) ? bytes.toString('latin1') : ''
}

/** Places that follow one another, as the first and the last of them. */
const runs = (places: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> => {
  const all: Array<[number, number]> = []
  for (const place of places) {
    const run = all.at(-1)
    if (run !== undefined && run[1] === place - 1) run[1] = place
    else all.push([place, place])
  }
  return all
}

/** Rows that follow one another have one letter in between, so what is as long takes its place. */
const joined =
  (parts: ReadonlyArray<Uint8Array>, starts: ReadonlyArray<number>): RowTexts['join'] =>
  (places, { before = '', between, after = '' }, allocate = (length) => new Uint8Array(length)) => {
    const [first, separator, last] = [encode(before), encode(between), encode(after)]
    const inPlace = separator.length === 1 ? separator[0] : undefined
    const stretches = inPlace === undefined ? runs(places).flatMap(singly) : runs(places)

    const startOf = (row: number): number => starts[row] ?? 0
    const endOf = (row: number): number => startOf(row + 1) - 1

    let length = first.length + last.length + separator.length * Math.max(0, stretches.length - 1)
    for (const [from, to] of stretches) length += endOf(to) - startOf(from)

    const out = allocate(length)
    let at = 0
    const put = (part: Uint8Array): void => {
      out.set(part, at)
      at += part.length
    }
    put(first)
    for (const [i, [from, to]] of stretches.entries()) {
      if (i > 0) put(separator)
      const shift = at - startOf(from)
      for (const part of stretch(parts, startOf(from), endOf(to))) put(part)
      if (inPlace === undefined) continue
      for (let row = from; row < to; row++) out[endOf(row) + shift] = inPlace
    }
    put(last)
    return out
  }

/** The bytes from one place up to another. */
const stretch = (
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

const singly = ([from, to]: readonly [number, number]): ReadonlyArray<readonly [number, number]> =>
  Array.from({ length: to - from + 1 }, (_, i) => [from + i, from + i])
