/** Creates a Postgres table, or checks an existing one, before the first row is written. */
import { PARENT } from '../transfer/Destination.js'
import type { PostgresTransaction } from './PostgresConnection.js'
import {
  type ColumnDefinition,
  createIndex,
  createTable,
  missingColumns,
  quoted,
  stateOf,
} from './table.js'

export interface WantedTable {
  /** Names the table in messages. */
  readonly title: string
  readonly table: string
  readonly columns: ReadonlyArray<ColumnDefinition>
  /** True for rows of many parents, which are looked up by parent. */
  readonly ofParents: boolean
}

/** Existing tables, as SQL, with qualified names that are valid in every session. */
export interface ReadyTable {
  readonly rows: string
  readonly state: string
  /** Columns that were added to a table with rows. */
  readonly added: ReadonlyArray<string>
}

/** Advisory lock of this package, so that only one process at a time creates tables. Released with its transaction. */
const LOCK = 8_273_641

/** Query for a table's columns, with the primary key, columns that the database fills, and columns that need a value. */
const COLUMNS = `
  SELECT attname AS name, format_type(atttypid, atttypmod) AS type,
    coalesce(attnum = ANY(indkey), false) AS is_key,
    attgenerated <> '' OR attidentity = 'a' AS is_generated,
    attnotnull AND NOT atthasdef AND attidentity = '' AS is_needed
  FROM pg_attribute LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`

/** Creates missing tables and columns in one transaction. Throws an `UnusableDestination` for a table with other columns. */
export const readyTable = async (
  { query }: PostgresTransaction,
  { title, table, columns, ofParents }: WantedTable,
): Promise<ReadyTable> => {
  const state = stateOf(table)
  /** Returns the name with its schema, because another session may have a different search path. */
  const found = async (relation: string): Promise<string | undefined> => {
    const sql = `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class
      JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = to_regclass($1)`
    const [one] = await query(sql, [quoted(relation)])
    return one === undefined ? undefined : String(one.name)
  }
  /** Creates a relation only if it is missing, because its creator may have had more permissions. */
  const made = async (relation: string, sql: string): Promise<string> => {
    const before = await found(relation)
    if (before !== undefined) return before
    await query(sql)
    return (await found(relation)) ?? quoted(relation)
  }
  await query('SELECT pg_advisory_xact_lock($1)', [LOCK])
  const stateName = await made(
    state,
    `CREATE TABLE ${quoted(state)} (name text PRIMARY KEY, text text NOT NULL, version text NOT NULL)`,
  )
  const isNew = (await found(table)) === undefined
  const rows = await made(table, createTable(table, columns))
  if (isNew && ofParents) await query(createIndex(table, PARENT.id, rows))
  const there = await query(COLUMNS, [rows])
  const missing = missingColumns(title, columns, {
    columns: there.map((one) => ({
      name: String(one.name),
      type: String(one.type),
      isGenerated: one.is_generated === true,
      isNeeded: one.is_needed === true,
    })),
    key: there.filter(({ is_key }) => is_key === true).map((one) => String(one.name)),
  })
  if (missing.length === 0) return { rows, state: stateName, added: [] }
  const adding = missing.map((one) => `ADD COLUMN ${quoted(one.name)} ${one.type}`)
  await query(`ALTER TABLE ${rows} ${adding.join(', ')}`)
  const [some] = await query(`SELECT FROM ${rows} LIMIT 1`)
  const added = some === undefined ? [] : missing.map(({ name }) => name)
  return { rows, state: stateName, added }
}
