/** Statements that SQLite and Postgres take alike. */

import type { Millis } from '../../stream/index.js'
import { jsonOf, truncated } from '../column/json.js'
import { exportError } from '../ExportError.js'
import { type CountedRows, GONE, PARENT } from '../transfer/Destination.js'
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

/** The table of the small texts that a destination keeps: checkpoint and lease. */
export const STATE = 'payments_rx_state'

/** The table of the rows that cannot be written, made with the first of them. */
export const rejectsTable = (table: string): string => `${table}_rejects`

const json = jsonOf('exact')

/** A rejected row as it is kept: JSON with the digits that came. */
export const rejectText = (row: unknown): string => json(truncated(row))

/** A table that is there. */
export interface FoundTable {
  readonly columns: ReadonlyArray<ColumnDefinition>
  /** The columns of its primary key. */
  readonly key: ReadonlyArray<string>
}

/** A table that is only read. */
export interface TableRows {
  readonly counted: Omit<CountedRows, 'markGone'>
  /** Resolves with a text that its sync has kept beside it. */
  readonly text: (name: string) => Promise<string | undefined>
  readonly close: () => Promise<void>
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

export const createTable = (table: string, columns: ReadonlyArray<ColumnDefinition>): string => {
  const definitions = columns.map(
    ({ name, type }) => `${quoted(name)} ${type}${name === 'id' ? ' PRIMARY KEY NOT NULL' : ''}`,
  )
  return `CREATE TABLE IF NOT EXISTS ${quoted(table)} (${definitions.join(', ')})`
}

export const createIndex = (table: string, column: string): string =>
  `CREATE INDEX IF NOT EXISTS ${quoted(`${table.split('.').at(-1) ?? table}_${column}`)} ON ${quoted(table)} (${quoted(column)})`

/**
 * Returns the columns to add to a table. Throws an `UnusableDestination` for one whose column has another type, or
 * whose primary key is not `id`: nothing else of a table is changed.
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
  const types = new Map(columns.map((column) => [column.name, column.type]))
  for (const column of wanted) {
    const type = types.get(column.name)
    if (type === undefined || type.toLowerCase() === column.type.toLowerCase()) continue
    throw wrong(
      `its column ${column.name} is ${type.toLowerCase()}, and should be ${column.type.toLowerCase()}: change it`,
    )
  }
  if (key.length !== 1 || key[0] !== 'id') throw wrong('its primary key should be id: change it')
  return wanted.filter((column) => !types.has(column.name))
}

/** Counts the rows of each parent. */
export const countChildren = (table: string, oldest = `min(${PARENT.updated})`): string =>
  `SELECT ${PARENT.id} AS parent, count(*) AS total, ${oldest} AS oldest FROM ${quoted(table)} WHERE ${GONE} IS NULL AND ${PARENT.id} IS NOT NULL GROUP BY ${PARENT.id}`

/** Inserts rows. One that is there is replaced: `always`, or unless it has a later `updated_at` that is not doubtful. */
export const upsert = (
  table: string,
  columns: ReadonlyArray<TableColumn>,
  rows: string,
  when: 'always' | { readonly doubtful: Millis },
  isMarked = false,
): string => {
  const names = columns.map(({ name }) => quoted(name))
  const changes = names
    .filter((name) => name !== '"id"')
    .map((name) => `${name} = excluded.${name}`)
    .concat(isMarked ? [`${GONE} = NULL`] : [])
  const isNewer =
    when !== 'always' && names.includes('"updated_at"')
      ? ` WHERE coalesce(excluded.updated_at >= current.updated_at, true) OR current.updated_at > '${new Date(when.doubtful).toISOString()}'`
      : ''
  return `INSERT INTO ${quoted(table)} AS current (${names.join(', ')}) ${rows} ON CONFLICT (id) DO UPDATE SET ${changes.join(', ')}${isNewer}`
}
