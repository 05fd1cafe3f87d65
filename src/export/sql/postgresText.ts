/** Rows as lines of Postgres's COPY (https://www.postgresql.org/docs/current/sql-copy.html), without U+0000. */
import { isoMicros } from '../column/time.js'
import { type RowCheck, unrepresentable } from '../column/UnrepresentableRow.js'
import type { TableColumn } from './TableColumn.js'

/** Number of rows encoded at a time. */
const BATCH = 1_000

/** Returns rows as bytes for COPY, in chunks. */
export const linesOf = (
  columns: ReadonlyArray<TableColumn>,
  rows: ReadonlyArray<unknown>,
): ReadonlyArray<Buffer> => {
  const batches: Array<Buffer> = []
  for (let at = 0; at < rows.length; at += BATCH) {
    const lines = rows.slice(at, at + BATCH).map((row) => lineOf(columns, row))
    batches.push(Buffer.from(lines.join('')))
  }
  return batches
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

// U+0000

/** Finds texts with U+0000, which Postgres cannot store. */
export const withoutZeros =
  (columns: ReadonlyArray<TableColumn>): RowCheck =>
  (row) => {
    for (const { name, type, of } of columns) {
      const value = type === 'text' || type === 'json' ? of(row) : undefined
      const hasZero =
        typeof value === 'string' && (type === 'json' ? ZERO.test(value) : value.includes('\0'))
      if (hasZero)
        return unrepresentable([name], 'a string without U+0000, which Postgres cannot store')
    }
    return undefined
  }

/** Replaces U+0000 with U+FFFD, except in an id, which identifies the row. */
export const withoutNul = (column: TableColumn): TableColumn => {
  const { name, type, of } = column
  if (name === 'id' || (type !== 'text' && type !== 'json')) return column
  return {
    ...column,
    of: (row) => {
      const value = of(row)
      if (typeof value !== 'string') return value
      return type === 'text'
        ? value.replaceAll('\0', '\ufffd')
        : value.replaceAll(ZEROS, (escapes) => escapes.replace(/\\u0000$/, '\ufffd'))
    },
  }
}

/** U+0000 as a JSON escape after an even number of backslashes. */
const ZERO = /(?<!\\)(?:\\\\)*\\u0000/
const ZEROS = new RegExp(ZERO, 'g')
