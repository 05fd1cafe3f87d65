/** Comma-separated values (RFC 4180): a header, then one line per row. Each line ends with CRLF. */

import { stringifyExact } from '../../decode/index.js'
import type { Allocate } from '../../stream/bytes.js'
import type { Column } from '../column/Column.js'
import { digitsReader, type Read, reader } from '../column/readField.js'
import { isFormula, type TextFindings, wellFormed, wellFormedJson } from '../column/text.js'
import { dateAsText } from '../column/time.js'
import type { TextFormat } from './textEncoder.js'

export interface CsvOptions {
  /** `mask` adds the prefix `'` to texts that a spreadsheet would run as formulas; numbers are unchanged. */
  readonly formulas: 'mask' | 'keep'
}

/** A column, and the text of a cell for a value that is present. */
interface Cell {
  readonly read: Read
  /** True if plain text (see `Utf8Buffer`) is written unchanged. */
  readonly isText: boolean
  readonly textOf: (value: unknown, row: unknown, findings: TextFindings) => string
}

export const csvText = (
  columns: ReadonlyArray<Column>,
  options: CsvOptions,
): TextFormat<unknown> => {
  const cells = columns.map((column) => cellOf(column, options))
  return {
    start: `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`,
    rows: (rows, _, findings) => (allocate) => {
      const out = new Utf8Buffer(allocate)
      for (const row of rows) writeLine(cells, row, out, findings)
      return out.bytes()
    },
    end: () => '',
  }
}

const COMMA = 44
const CR = 13
const LF = 10

/** Writes nothing for null and missing fields, and `""` for an empty text. */
const writeLine = (
  cells: ReadonlyArray<Cell>,
  row: unknown,
  out: Utf8Buffer,
  findings: TextFindings,
): void => {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i]
    if (cell === undefined) continue
    if (i > 0) out.appendByte(COMMA)
    const value = cell.read(row)
    if (value === undefined || value === null) {
      if (cells.length === 1) out.append('""') // many readers skip empty lines
      continue
    }
    if (cell.isText && typeof value === 'string' && isUsual(value) && out.appendPlain(value))
      continue
    const text = cell.textOf(value, row, findings)
    if (text.startsWith('"') || !out.appendPlain(text)) out.append(text)
  }
  out.appendByte(CR)
  out.appendByte(LF)
}

/** Ends the input of PostgreSQL's COPY if it stands alone on a line. */
const END_OF_INPUT = '\\.'

/** Returns false for texts that are quoted or masked whatever their other characters are. */
const isUsual = (text: string): boolean => {
  const first = text.charCodeAt(0) // = + - @
  if (first === 61 || first === 43 || first === 45 || first === 64) return false
  return text !== '' && text !== END_OF_INPUT
}

const cellOf = ({ path, type }: Column, { formulas }: CsvOptions): Cell => {
  const digits = digitsReader(path)

  const jsonText = (value: unknown, findings: TextFindings): string =>
    quoted(wellFormedJson(stringifyExact(value), findings)) // never a formula
  const text = (value: string, findings: TextFindings): string => {
    const isMasked = isFormula(value) && formulas === 'mask'
    if (isFormula(value)) findings.formulas++
    return quoted(wellFormed(isMasked ? `'${value}` : value, findings))
  }
  return {
    read: reader(path),
    isText: type !== 'json',
    textOf: (value, row, findings) => {
      if (typeof value === 'number') return digits(row, value) ?? numberText(value)
      const date = type === 'json' ? value : dateAsText(value)
      return typeof date === 'string' && type !== 'json'
        ? text(date, findings)
        : jsonText(value, findings)
    },
  }
}

/** Converts a number as `String` does, which takes five times as long for a number with a fraction. */
const numberText = (n: number): string => {
  const hundredths = Math.round(n * 100)
  if (hundredths / 100 !== n || hundredths <= 0 || hundredths >= 2 ** 31) return String(n)
  const whole = Math.trunc(n)
  const rest = hundredths % 100
  if (rest === 0) return `${whole}`
  return rest % 10 === 0 ? `${whole}.${rest / 10}` : `${whole}.${rest < 10 ? '0' : ''}${rest}`
}

const QUOTED = /^$|^\\\.$|[",\r\n]/

const quoted = (text: string): string =>
  QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text

// bytes

const START_BYTES = 1 << 16

/** Collects text as UTF-8. Strings of lines would take twice as long, and be half of an export's allocations. */
class Utf8Buffer {
  #size = 0
  #bytes: Uint8Array
  readonly #allocate: Allocate
  readonly #encoder = new TextEncoder()

  constructor(allocate: Allocate) {
    this.#allocate = allocate
    this.#bytes = allocate(START_BYTES)
  }

  append(text: string): void {
    const room = this.#room(3 * text.length).subarray(this.#size)
    this.#size += this.#encoder.encodeInto(text, room).written
  }

  appendByte(byte: number): void {
    this.#room(1)[this.#size++] = byte
  }

  /** Appends printable ASCII without commas and quotes. For any other text, appends nothing and returns false. */
  appendPlain(text: string): boolean {
    const bytes = this.#room(text.length)
    const start = this.#size
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code < 32 || code > 126 || code === 34 || code === 44) return false
      bytes[start + i] = code
    }
    this.#size = start + text.length
    return true
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  #room(length: number): Uint8Array {
    const needed = this.#size + length
    if (needed > this.#bytes.length) this.#bytes = this.#allocate(2 * needed, this.#size)
    return this.#bytes
  }
}
