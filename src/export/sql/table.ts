/** Statements that SQLite and Postgres take alike. */

import { remedyOf } from '../../store/remedies.js'
import type { Millis } from '../../stream/index.js'
import { jsonOf, truncated } from '../column/json.js'
import type { ColumnType } from '../column/Shape.js'
import { type ExportError, exportError } from '../ExportError.js'
import { GONE } from '../transfer/Destination.js'
import type { TableColumn, TableShape } from './TableColumn.js'

// model

/** Which table, and how it is written. */
export interface TableOptions {
  readonly table: string
  readonly shape: TableShape
  /** True if all of a run takes the place of all that was there; else rows are merged by id. */
  readonly replaces: boolean
  /** True for rows of many parents: see `ChildRows`. */
  readonly ofParents?: boolean
  /** An `updated_at` after it is of a wrong clock, in ms since 1970. */
  readonly doubtful: Millis
}

/** A column as the database knows it. */
export interface ColumnDefinition {
  readonly name: string
  /** Its type, in words of the database. */
  readonly type: string
}

/** The table of the small texts that a destination keeps: its state, which has the lease. */
export const STATE = 'payments_rx_state'

/** The table of the texts beside a table: in its schema. */
export const stateOf = (table: string): string =>
  [...table.split('.').slice(0, -1), STATE].join('.')

/** The table of the rows that cannot be written, made with the first of them. */
export const rejectsTable = (table: string): string => `${table}_rejects`

const json = jsonOf('exact')

/** A rejected row as it is kept: JSON with the digits that came. */
export const rejectText = (row: unknown): string => json(truncated(row))

/** A column that is there. */
export interface FoundColumn extends ColumnDefinition {
  /** True if the database fills it, and takes no value. */
  readonly isGenerated: boolean
  /** True if it may not be null, and has no default. */
  readonly isNeeded: boolean
}

/** A table that is there. */
export interface FoundTable {
  readonly columns: ReadonlyArray<FoundColumn>
  /** The columns of its primary key. */
  readonly key: ReadonlyArray<string>
}

// functions

/** Makes the error for a table that no sync has written. */
export const noSuchTable = (name: string, table: string) =>
  exportError(
    'UnusableDestination',
    `${name} has no table ${table} that a sync has written: check --table`,
    { destination: name },
  )

/** Quotes a name, and a schema before it. */
export const quoted = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')

/** A refusal of a database. */
interface Refusal {
  /** Names the database. */
  readonly name: string
  readonly doing: 'write' | 'read'
  readonly code: string
  readonly why: string
}

/** Makes the error for a refusal: a `WriteFailed` where the same command again helps, else an `UnusableDestination`. */
export const refusal = ({ name, doing, code, why }: Refusal, cause: unknown): ExportError => {
  const message = `cannot ${doing} ${name}: ${why}`
  return remedyOf(code).class === 'act'
    ? exportError('UnusableDestination', message, { destination: name, code }, cause)
    : exportError('WriteFailed', message, { path: name, code }, cause)
}

/** Returns the columns that a table should have: its own, and a mark for rows that are gone, unless all are replaced. */
export const wantedColumns = (
  { columns }: Pick<TableShape, 'columns'>,
  types: Readonly<Record<ColumnType, string>>,
  replaces: boolean,
): ReadonlyArray<ColumnDefinition> => [
  ...columns.map(({ name, type }) => ({ name, type: types[type] })),
  ...(replaces ? [] : [{ name: GONE, type: types.time }]),
]

/** Columns of a table that is made, as SQL. */
const definitionsOf = (columns: ReadonlyArray<ColumnDefinition>): string =>
  columns
    .map(
      ({ name, type }) => `${quoted(name)} ${type}${name === 'id' ? ' PRIMARY KEY NOT NULL' : ''}`,
    )
    .join(', ')

export const createTable = (table: string, columns: ReadonlyArray<ColumnDefinition>): string =>
  `CREATE TABLE IF NOT EXISTS ${quoted(table)} (${definitionsOf(columns)})`

/** Makes an index of a column. `into`: the table, as SQL. */
export const createIndex = (table: string, column: string, into = quoted(table)): string =>
  `CREATE INDEX IF NOT EXISTS ${quoted(`${table.split('.').at(-1) ?? table}_${column}`)} ON ${into} (${quoted(column)})`

/**
 * Returns the columns to add to a table. Throws an `UnusableDestination` for one that takes no rows: a column has another
 * type or is filled by the database, another one needs a value, or the primary key is not `id`. Nothing else of a table is
 * changed.
 */
export const missingColumns = (
  name: string,
  wanted: ReadonlyArray<ColumnDefinition>,
  { columns, key }: FoundTable,
): ReadonlyArray<ColumnDefinition> => {
  const wrong = (why: string) =>
    exportError('UnusableDestination', `${name}: ${why}, or name another table`, {
      destination: name,
    })
  const found = new Map(columns.map((column) => [column.name, column]))
  for (const { name: column, type } of wanted) {
    const one = found.get(column)
    if (one === undefined) continue
    const [is, should] = [one.type.toLowerCase(), type.toLowerCase()]
    if (is !== should)
      throw wrong(`its column ${column} is ${is}, and should be ${should}: change it`)
    if (one.isGenerated)
      throw wrong(`its column ${column} is filled by the database: make it a plain one`)
  }
  const needed = columns.find(
    ({ name, isNeeded }) => isNeeded && !wanted.some((one) => one.name === name),
  )
  if (needed !== undefined) {
    throw wrong(`its column ${needed.name} needs a value, and has no default: give it one`)
  }
  if (key.length !== 1 || key[0] !== 'id') throw wrong('its primary key should be id: change it')
  return wanted.filter((column) => !found.has(column.name))
}

/** Rows to put in place, and where. */
export interface Upsert {
  /** The table, as SQL. */
  readonly into: string
  readonly columns: ReadonlyArray<TableColumn>
  /** The rows, as SQL. */
  readonly rows: string
  /** A row that is there is replaced `always`, or unless it has a later `updated_at` that is not doubtful. */
  readonly when: 'always' | { readonly doubtful: Millis }
  /** True if rows can be marked as gone: the mark goes. */
  readonly isMarked: boolean
}

/** Inserts rows, or replaces those that differ: one that is as it was is no change, which triggers and replicas would see. */
export const upsert = ({ into, columns, rows, when, isMarked }: Upsert): string => {
  const names = columns.map(({ name }) => quoted(name))
  const others = names.filter((name) => name !== '"id"')
  const changes = others
    .map((name) => `${name} = excluded.${name}`)
    .concat(isMarked ? [`${GONE} = NULL`] : [])
  const differs = others
    .map((name) => `current.${name} IS DISTINCT FROM excluded.${name}`)
    .concat(isMarked ? [`current.${GONE} IS NOT NULL`] : [])
  const isNewer =
    when !== 'always' && names.includes('"updated_at"')
      ? `(coalesce(excluded.updated_at >= current.updated_at, true) OR current.updated_at > '${new Date(when.doubtful).toISOString()}') AND `
      : ''
  const change =
    changes.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${changes.join(', ')} WHERE ${isNewer}(${differs.join(' OR ')})`
  return `INSERT INTO ${into} AS current (${names.join(', ')}) ${rows} ON CONFLICT (id) DO ${change}`
}

/** Makes the error for rows that were written, and are not there. */
export const rowsLost = (name: string, table: string, lost: number, of: number): ExportError =>
  exportError(
    'UnusableDestination',
    `${name}: table ${table} has not kept ${lost} of ${of} rows that were written to it: a trigger, a rule or a policy drops them, or changes their id: remove it, or name another table`,
    { destination: name },
  )
