/** Comma-separated values (RFC 4180): a header, a line for each row, CRLF at the end of each. */
import type { Column } from '../column/Column.js'
import type { Numbers } from '../column/decimal.js'
import { jsonOf } from '../column/json.js'
import { digitsReader, reader } from '../column/readField.js'
import { isFormula, type TextFindings, wellFormed, wellFormedJson } from '../column/text.js'
import { dateAsText } from '../column/time.js'
import { joined, type TextFormat } from './textEncoder.js'

// model

/** How cells are written. */
export interface CsvOptions {
  readonly numbers: Numbers
  /** `mask` puts `'` before texts that a spreadsheet would run as a formula; numbers are left alone. */
  readonly formulas: 'mask' | 'keep'
}

type Cell = (row: unknown, findings: TextFindings) => string

// constructors

export const csvText = (
  columns: ReadonlyArray<Column>,
  options: CsvOptions,
): TextFormat<unknown> => {
  const cells = columns.map((column) => cellOf(column, options))
  return {
    start: `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`,
    rows: (rows, _, findings) => joined(rows, (row) => line(cells, row, findings), END_OF_LINES),
    end: () => '',
  }
}

const END_OF_LINES = { between: '\r\n', after: '\r\n' }

/** Lines that are written in quotes: many readers take an empty one for no row, and `\.` ends the input of PostgreSQL. */
const QUOTED_LINES = ['', '\\.']

const line = (cells: ReadonlyArray<Cell>, row: unknown, findings: TextFindings): string => {
  let text = ''
  let comma = ''
  for (const cell of cells) {
    text += comma + cell(row, findings)
    comma = ','
  }
  return QUOTED_LINES.includes(text) ? `"${text}"` : text
}

/** Returns nothing for null and missing fields, `""` for an empty text. */
const cellOf = ({ path, type }: Column, { numbers, formulas }: CsvOptions): Cell => {
  const read = reader(path)
  const json = jsonOf(numbers)
  const digits = digitsReader(path, numbers)

  const text = (value: string, findings: TextFindings): string => {
    if (!UNUSUAL.test(value)) return value
    if (value === '') return '""'
    const isMasked = isFormula(value) && formulas === 'mask'
    if (isFormula(value)) findings.formulas++
    return quoted(wellFormed(isMasked ? `'${value}` : value, findings))
  }
  return (row, findings) => {
    const value = read(row)
    if (value === undefined || value === null) return ''
    if (type === 'json') return quoted(digits(row, value) ?? wellFormedJson(json(value), findings)) // never a formula
    if (typeof value === 'string') return text(value, findings)
    if (typeof value === 'number') return digits(row, value) ?? numberText(value)
    const date = dateAsText(value)
    return typeof date === 'string'
      ? text(date, findings)
      : quoted(wellFormedJson(json(value), findings))
  }
}

/** Returns the same as `String`, which takes five times as long for a number with a fraction. */
const numberText = (n: number): string => {
  const hundredths = Math.round(n * 100)
  if (hundredths / 100 !== n || hundredths <= 0 || hundredths >= 2 ** 31) return String(n)
  const whole = Math.trunc(n)
  const rest = hundredths % 100
  if (rest === 0) return `${whole}`
  return rest % 10 === 0 ? `${whole}.${rest / 10}` : `${whole}.${rest < 10 ? '0' : ''}${rest}`
}

/** Matches texts that may not be written as they are. */
const UNUSUAL = /^$|^[=+\-@]|[",]|[^ -~]/

const SPECIAL = /[",\r\n]/

const quoted = (text: string): string =>
  SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text
