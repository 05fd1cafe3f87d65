/** Comma-separated values (RFC 4180): a header, a line for each row, CRLF at the end of each. */
import type { Column } from '../column/Column.js'
import { jsonOf, wellFormed } from '../column/jsonOf.js'
import { asText } from '../column/moment.js'
import type { Numbers } from '../column/Numbers.js'
import { digitsReader, reader } from '../column/read.js'
import { hasSource } from '../column/source.js'
import { Cells } from './Cells.js'
import { type Cell, type Lines, lineWriter, type Masking } from './csvLines.js'
import type { TextFormat } from './text.js'

// model

/** How cells are written. */
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

/** A header, then a line for each row. `writer` makes the lines. */
export const csvText = (
  columns: ReadonlyArray<Column>,
  { numbers, formulas }: CsvOptions,
  writer: (columns: ReadonlyArray<Cell>, masking: Masking) => Lines = lineWriter,
): TextFormat<unknown> => {
  const mask: Mask = formulas === 'escape' ? (text) => quoted(unarmed(text)) : quoted
  const lines = writer(
    columns.map((column) => cellOf(column, mask, numbers)),
    formulas === 'escape' ? { mask, begins: formula } : { mask },
  )
  return {
    start: `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`,
    rows: (rows) => (allocate) => {
      const cells = new Cells(allocate)
      lines(rows, cells)
      return cells.bytes()
    },
    end: () => '',
  }
}

/** Nothing for null and what is missing, `""` for an empty text. */
const cellOf = ({ path, type }: Column, mask: Mask, numbers: Numbers): Cell => {
  const read = reader(path)
  const json = jsonOf(numbers)
  const digits = digitsReader(path, numbers)
  const write = (row: unknown): string => {
    const came = read(row)
    const value = type === 'json' ? came : asText(came)
    if (value === undefined || value === null) return ''
    if (type === 'json') return quoted(digits(row) ?? wellFormed(json(value))) // no JSON text is a formula
    switch (typeof value) {
      case 'string':
        return value === '' ? '""' : mask(value)
      case 'number':
        return digits(row) ?? String(value)
      default:
        return mask(wellFormed(json(value)))
    }
  }
  return { path, write, isPlain: type !== 'json' && numbers === 'fast' && hasSource(path) }
}

const special = /[",\r\n]/

/** In quotes, if there is something in it that needs them. */
const quoted: Mask = (text) => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Also the wide forms, which some programs take for the same. */
const formula = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

/** Made harmless, if a spreadsheet would run it. */
const unarmed: Mask = (text) => (formula.test(text) ? `'${text}` : text)
