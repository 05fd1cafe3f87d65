/** Statements that work in both SQLite and Postgres. */

import { stringifyExact } from '../../decode/index.js'
import { remedyOf } from '../../store/remedies.js'
import { truncated } from '../column/json.js'
import type { ColumnType } from '../column/Shape.js'
import { type ExportError, exportError } from '../ExportError.js'
import { GONE } from '../transfer/Destination.js'
import type { TableColumn, TableShape } from './TableColumn.js'

export interface TableOptions {
  readonly table: string
  readonly shape: TableShape
  /** True if the rows of a run replace all existing rows; otherwise rows are merged by id. */
  readonly replaces: boolean
  /** True for rows of many parents: see `ChildRows`. */
  readonly ofParents?: boolean
}

export interface ColumnDefinition {
  readonly name: string
  /** Its type, as the database names it. */
  readonly type: string
}

/** The table for the small texts of a destination: its state, which includes the lease. */
export const STATE = 'payments_rx_state'

/** Returns the table that stores the texts of a table, in the same schema. */
export const stateOf = (table: string): string =>
  [...table.split('.').slice(0, -1), STATE].join('.')

/** Returns the table of the rows that cannot be written. It is created with the first of these rows. */
export const rejectsTable = (table: string): string => `${table}_rejects`

/** Returns a rejected row as stored: JSON with the original digits. */
export const rejectText = (row: unknown): string => stringifyExact(truncated(row))

export interface FoundColumn extends ColumnDefinition {
  /** True if the database fills the column, and accepts no value for it. */
  readonly isGenerated: boolean
  /** True if the column must not be null and has no default. */
  readonly isNeeded: boolean
}

export interface FoundTable {
  readonly columns: ReadonlyArray<FoundColumn>
  /** The columns of its primary key. */
  readonly key: ReadonlyArray<string>
}

/** Creates the error for a table that no sync has written. */
export const noSuchTable = (name: string, table: string) =>
  exportError(
    'UnusableDestination',
    `${name} has no table ${table} written by a sync: check --table`,
    { destination: name },
  )

/** Quotes a name, and the schema before it if there is one. */
export const quoted = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')

/** An error with which a database refused an operation. */
interface Refusal {
  /** Name of the database in messages. */
  readonly name: string
  readonly doing: 'write' | 'read'
  readonly code: string
  readonly why: string
}

/** Creates the error for a refusal: a `WriteFailed` if running the command again helps, otherwise an `UnusableDestination`. */
export const refusal = ({ name, doing, code, why }: Refusal, cause: unknown): ExportError => {
  const message = `cannot ${doing} ${name}: ${why}`
  return remedyOf(code).class === 'act'
    ? exportError('UnusableDestination', message, { destination: name, code }, cause)
    : exportError('WriteFailed', message, { path: name, code }, cause)
}

/** Returns the columns of a table: those of its rows and, unless all rows are replaced, a mark for rows that are gone. */
export const wantedColumns = (
  { columns }: Pick<TableShape, 'columns'>,
  types: Readonly<Record<ColumnType, string>>,
  replaces: boolean,
): ReadonlyArray<ColumnDefinition> => [
  ...columns.map(({ name, type }) => ({ name, type: types[type] })),
  ...(replaces ? [] : [{ name: GONE, type: types.time }]),
]

const definitionsOf = (columns: ReadonlyArray<ColumnDefinition>): string =>
  columns
    .map(
      ({ name, type }) => `${quoted(name)} ${type}${name === 'id' ? ' PRIMARY KEY NOT NULL' : ''}`,
    )
    .join(', ')

export const createTable = (table: string, columns: ReadonlyArray<ColumnDefinition>): string =>
  `CREATE TABLE IF NOT EXISTS ${quoted(table)} (${definitionsOf(columns)})`

/** Creates an index on a column. `into`: the table as SQL. */
export const createIndex = (table: string, column: string, into = quoted(table)): string =>
  `CREATE INDEX IF NOT EXISTS ${quoted(`${table.split('.').at(-1) ?? table}_${column}`)} ON ${into} (${quoted(column)})`

/**
 * Returns the columns to add to a table. Throws an `UnusableDestination` if the table cannot store the rows: if a column has
 * another type or is filled by the database, if an extra column requires a value, or if the primary key is not `id`. Changes
 * nothing.
 */
export const missingColumns = (
  name: string,
  wanted: ReadonlyArray<ColumnDefinition>,
  { columns, key }: FoundTable,
): ReadonlyArray<ColumnDefinition> => {
  const wrong = (why: string) =>
    exportError('UnusableDestination', `${name}: ${why}, or use another table`, {
      destination: name,
    })
  const found = new Map(columns.map((column) => [column.name, column]))
  for (const { name: column, type } of wanted) {
    const one = found.get(column)
    if (one === undefined) continue
    const [is, should] = [one.type.toLowerCase(), type.toLowerCase()]
    if (is !== should)
      throw wrong(`its column ${column} is ${is}, but should be ${should}: change it`)
    if (one.isGenerated)
      throw wrong(
        `the database generates the values of its column ${column}: make it a normal column`,
      )
  }
  const needed = columns.find(
    ({ name, isNeeded }) => isNeeded && !wanted.some((one) => one.name === name),
  )
  if (needed !== undefined) {
    throw wrong(`its column ${needed.name} needs a value, but has no default: add one`)
  }
  if (key.length !== 1 || key[0] !== 'id') throw wrong('its primary key should be id: change it')
  return wanted.filter((column) => !found.has(column.name))
}

export interface Upsert {
  /** The table, as SQL. */
  readonly into: string
  readonly columns: ReadonlyArray<TableColumn>
  /** The rows, as SQL. */
  readonly rows: string
  /** True if rows can be marked as gone. Merging a row then removes its mark. */
  readonly isMarked: boolean
}

/** Inserts rows, or replaces rows that differ. Unchanged rows are not rewritten, because triggers and replicas would notice. */
export const upsert = ({ into, columns, rows, isMarked }: Upsert): string => {
  const names = columns.map(({ name }) => quoted(name))
  const others = names.filter((name) => name !== '"id"')
  const changes = others
    .map((name) => `${name} = excluded.${name}`)
    .concat(isMarked ? [`${GONE} = NULL`] : [])
  const differs = others
    .map((name) => `current.${name} IS DISTINCT FROM excluded.${name}`)
    .concat(isMarked ? [`current.${GONE} IS NOT NULL`] : [])
  const change =
    changes.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${changes.join(', ')} WHERE ${differs.join(' OR ')}`
  return `INSERT INTO ${into} AS current (${names.join(', ')}) ${rows} ON CONFLICT (id) DO ${change}`
}

/** Creates the error for rows that were written but are missing. */
export const rowsLost = (name: string, table: string, lost: number, of: number): ExportError =>
  exportError(
    'UnusableDestination',
    `${name}: table ${table} lacks ${lost} of the ${of} rows that were written to it, because a trigger, a rule or a policy drops them or changes their id: remove it, or use another table`,
    { destination: name },
  )
