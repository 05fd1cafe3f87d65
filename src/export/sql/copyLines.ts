/** Rows as lines of COPY: https://www.postgresql.org/docs/current/sql-copy.html */
import { isoMicros } from '../column/time.js'
import type { TableColumn } from './TableColumn.js'

/** Rows of a chunk. */
const BATCH = 1_000

/** Returns rows as bytes of COPY, in chunks. */
export const linesOf = (
  columns: ReadonlyArray<TableColumn>,
  rows: ReadonlyArray<unknown>,
): ReadonlyArray<Buffer> => {
  const chunks: Array<Buffer> = []
  for (let at = 0; at < rows.length; at += BATCH) {
    const lines = rows.slice(at, at + BATCH).map((row) => lineOf(columns, row))
    chunks.push(Buffer.from(lines.join('')))
  }
  return chunks
}

const lineOf = (columns: ReadonlyArray<TableColumn>, row: unknown): string =>
  `${columns.map((column) => cellOf(column, row)).join('\t')}\n`

const cellOf = ({ type, of }: TableColumn, row: unknown): string => {
  const value = of(row)
  if (value === null) return '\\N'
  if (typeof value === 'bigint') return type === 'time' ? isoMicros(value) : String(value)
  return typeof value === 'boolean' ? String(value) : escaped(value)
}

const escaped = (text: string): string =>
  /[\\\t\n\r]/.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (c) => ESCAPES[c] ?? c) : text

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}
