/** Comma-separated values (RFC 4180): a header, a line for each row, CRLF at the end of each. */
import type { Column } from '../column/Column.js'
import type { Numbers } from '../column/money.js'
import { digitsReader, reader } from '../column/read.js'
import { type Cell, type Lines, lineWriter } from './csvLines.js'
import { jsonOf } from './jsonValue.js'
import type { TextFormat } from './text.js'

// model

export interface CsvOptions {
  readonly numbers: Numbers
  /**
   * `escape` puts `'` before texts that a spreadsheet would run as a formula (OWASP, CSV injection);
   * numbers are left alone.
   */
  readonly formulas: 'escape' | 'keep'
}

/** Of a text, what stands in the file. */
type Mask = (text: string) => string

// constructors

export const csvText = (
  columns: ReadonlyArray<Column>,
  { numbers, formulas }: CsvOptions,
  writer: (columns: ReadonlyArray<Cell>, mask: Mask) => Lines = lineWriter,
): TextFormat<unknown> => {
  const mask: Mask = formulas === 'escape' ? (text) => quoted(unarmed(text)) : quoted
  return {
    start: `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`,
    rows: inParts(
      writer(
        columns.map((column) => cellOf(column, mask, numbers)),
        mask,
      ),
    ),
    end: () => '',
  }
}

/** So many rows are put in their place at a time: the text of a page would live for too long. */
const PART = 250

const inParts = (lines: Lines) =>
  function* parts(rows: ReadonlyArray<unknown>): Iterable<string> {
    for (let at = 0; at < rows.length; at += PART) yield lines(rows.slice(at, at + PART))
  }

/** Nothing for null and what is missing, `""` for an empty text. */
const cellOf = ({ path, type }: Column, mask: Mask, numbers: Numbers): Cell => {
  const read = reader(path)
  const json = jsonOf(numbers)
  const digits = numbers === 'exact' ? digitsReader(path) : () => undefined
  const write = (row: unknown): string => {
    const value = read(row)
    if (value === undefined || value === null) return ''
    if (type === 'json') return mask(json(value))
    switch (typeof value) {
      case 'string':
        return value === '' ? '""' : mask(value)
      case 'number':
        return digits(row) ?? String(value)
      default:
        return mask(json(value))
    }
  }
  return { path, write, isPlain: type !== 'json' && numbers === 'fast' }
}

const special = /[",\r\n]/

const quoted: Mask = (text) => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Also the wide forms, which some programs take for the same. */
const formula = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

const unarmed: Mask = (text) => (formula.test(text) ? `'${text}` : text)
