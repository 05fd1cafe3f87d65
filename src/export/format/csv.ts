/** Comma-separated values (RFC 4180): a header, a line for each row, CRLF at the end of each. */
import type { Column } from '../column/Column.js'
import type { Numbers } from '../column/money.js'
import { digitsReader, reader } from '../column/read.js'
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

type Cell = (row: unknown) => string

/** Of a text, what stands in the file. */
type Mask = (text: string) => string

/** Rows that are looked through at a time. */
const CHUNK = 256

const COMMA = 44
const QUOTE = 34
const LF = 10
const CR = 13

// constructors

export const csvText = (
  columns: ReadonlyArray<Column>,
  { numbers, formulas }: CsvOptions,
): TextFormat<unknown> => {
  const cells = (mask: Mask): ReadonlyArray<Cell> =>
    columns.map((column) => cellOf(column, mask, numbers))
  const careful = lines(cells(formulas === 'escape' ? (text) => quoted(unarmed(text)) : quoted))
  const quick = lines(cells((text) => text))
  return {
    start: `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`,
    rows: (rows) => {
      let text = ''
      let tidy = formulas === 'keep' && columns.length > 1
      for (let at = 0; at < rows.length; at += CHUNK) {
        const chunk = rows.slice(at, at + CHUNK)
        const guess = tidy ? quick(chunk) : ''
        tidy &&= isTidy(guess, chunk.length, columns.length - 1)
        text += tidy ? guess : careful(chunk)
      }
      return text
    },
    end: () => '',
  }
}

const lines =
  (cells: ReadonlyArray<Cell>) =>
  (rows: ReadonlyArray<unknown>): string => {
    let text = ''
    for (const row of rows) {
      let line = ''
      let comma = ''
      for (const cell of cells) {
        line += comma + cell(row)
        comma = ','
      }
      text += `${cells.length === 1 && line === '' ? '""' : line}\r\n` // an empty line is no row
    }
    return text
  }

/** Nothing for null and what is missing, `""` for an empty text. */
const cellOf = ({ path, type }: Column, mask: Mask, numbers: Numbers): Cell => {
  const read = reader(path)
  const json = jsonOf(numbers)
  const digits = numbers === 'exact' ? digitsReader(path) : () => undefined
  return (row) => {
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
}

/**
 * Whether lines that were put together without a look at their texts are right as they are: there are no
 * more commas and ends of lines than were put in, and no quotes but for empty texts. To count them in the
 * text costs half of what a look at each text does.
 */
const isTidy = (text: string, rows: number, commas: number): boolean => {
  let [comma, lf, cr] = [0, 0, 0]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > COMMA) continue
    if (code === COMMA) comma++
    else if (code === LF) lf++
    else if (code === CR) cr++
    else if (code === QUOTE) return false
  }
  return comma === rows * commas && lf === rows && cr === rows
}

const special = /[",\r\n]/

const quoted: Mask = (text) => (special.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Also the wide forms, which some programs take for the same. */
const formula = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/

const unarmed: Mask = (text) => (formula.test(text) ? `'${text}` : text)
