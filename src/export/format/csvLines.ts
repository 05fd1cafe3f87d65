/**
 * Lines of cells. Code that is made for the columns reads `row.id` where a loop has to look up whatever
 * is named: a third less time a row. Where no code may be made of text, it is the loop.
 */
import { made, mayGenerate } from '../../decode/generate/made.js'
import { sourceOf } from '../column/source.js'
import type { Cells } from './Cells.js'

// model

/** How a cell of a column is written. */
export interface Cell {
  readonly path: ReadonlyArray<string>
  readonly write: (row: unknown) => string
  /** Texts and numbers are written as they are, but for the mask of texts. */
  readonly isPlain: boolean
}

/** Puts a line for each row. */
export type Lines = (rows: ReadonlyArray<unknown>, cells: Cells) => void

/** What is done with texts. */
export interface Masking {
  /** Of a text, what stands in the file. */
  readonly mask: (text: string) => string
  /** A text that begins like that is masked, whatever else is in it. */
  readonly begins?: RegExp
}

// constructors

/** The fastest that can be had. */
export const lineWriter = (columns: ReadonlyArray<Cell>, masking: Masking): Lines =>
  columns.length > 1 && mayGenerate() ? generated(columns, masking) : looped(columns)

/** What is a line in quotes only: an empty one would be no row, and `\.` ends what PostgreSQL reads. */
const NO_LINES = ['', '\\.']

/** A loop over the columns. */
export const looped =
  (columns: ReadonlyArray<Cell>): Lines =>
  (rows, cells) => {
    for (const row of rows) {
      const line = columns.map(({ write }) => write(row)).join(',')
      cells.plain(NO_LINES.includes(line) ? `"${line}"` : line)
      cells.endLine()
    }
  }

type Put = (cells: Cells, text: string) => void

/** What the code is of: it is given what it cannot name. */
type Maker = (write: ReadonlyArray<Cell['write']>, put: Put) => Lines

const generated = (columns: ReadonlyArray<Cell>, { mask, begins }: Masking): Lines => {
  const maker = made<Maker>(
    ['write', 'put'],
    `const [${columns.map((_, i) => `w${i}`).join(', ')}] = write;
    return function lines(rows, cells) {
      let v;
      for (const row of rows) {
        ${columns.map(source).join('\ncells.comma();\n')}
        cells.endLine();
      }
    }`,
  )
  return maker(
    columns.map(({ write }) => write),
    (cells, text) => {
      if (text === '') cells.plain('""')
      else if (begins?.test(text)) cells.plain(mask(text))
      else cells.text(text, mask)
    },
  )
}

/** The statements that put one cell. */
const source = ({ path, isPlain }: Cell, i: number): string => {
  if (!isPlain) return `cells.plain(w${i}(row));`
  return `v = ${sourceOf(path)};
    if (v !== undefined && v !== null) {
      if (typeof v === 'string') put(cells, v);
      else if (typeof v === 'number') cells.number(v);
      else cells.plain(w${i}(row));
    }`
}
