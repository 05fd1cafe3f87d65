/** A table of an SQLite database. */
import type { SQLInputValue } from 'node:sqlite'
import { fieldsOf } from '../../decode/unknown.js'
import type { Store } from '../../store/Store.js'
import type { ColumnType } from '../column/Shape.js'
import { isoMicros } from '../column/time.js'
import type { Reject } from '../source/sortPage.js'
import { type Destination, GONE, PARENT } from '../transfer/Destination.js'
import { SqliteConnection, type SqliteOpening } from './SqliteConnection.js'
import type { TableColumn } from './TableColumn.js'
import {
  createIndex,
  createTable,
  missingColumns,
  noSuchTable,
  quoted,
  rejectsTable,
  rejectText,
  rowsLost,
  STATE,
  type TableOptions,
  upsert,
  wantedColumns,
} from './table.js'
import { type DatabaseTable, tableDestination } from './tableDestination.js'
import { type Dialect, type OpenedTable, tableRows, tableTexts, textName } from './tableRows.js'

export interface SqliteOptions extends TableOptions, Omit<SqliteOpening, 'doing'> {}

/** Column types. Decimals are text, because SQLite has no exact decimals and would convert them to floating-point numbers. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'TEXT',
  time: 'TEXT',
  boolean: 'INTEGER',
  integer: 'INTEGER',
  decimal: 'TEXT',
  json: 'TEXT',
}

/** Times are sortable texts; a list of texts is JSON. */
const DIALECT: Dialect<string> = {
  time: (column) => column,
  millisOf: (found) => Date.parse(String(found)),
  second: (second) => isoMicros(BigInt(second) * 1_000_000n),
  isAmong: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  texts: JSON.stringify,
}

/** Table for all rows of a run that replaces the existing rows, until the end of the run. Only this connection sees it. */
const NEXT = 'temp.payments_rx_next'

/** Interval between steps, in ms. Each step waits for the disk several times, and no page is read while it waits. */
const STEP_EVERY = 100

/** A random version created by the database, so that no version recurs, even after a removal. */
const NEW_VERSION = 'hex(randomblob(8))'

/** Opens or creates the database and its table. Rejects with an `ExportError`. */
export const sqliteDestination = async <A>(options: SqliteOptions): Promise<Destination<A>> => {
  const connection = await SqliteConnection.open({ ...options, doing: 'write' })
  try {
    const added = await connection.transaction(() => prepare(connection, options))
    return tableDestination(sqliteTable<A>(connection, options, added))
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Opens a table without changing anything. Rejects with an `ExportError`. */
export const openSqliteTable = async (
  opening: Omit<SqliteOpening, 'doing'>,
  table: string,
): Promise<OpenedTable> => {
  const { path } = opening
  const connection = await SqliteConnection.open({ ...opening, doing: 'read' })
  const { query } = connection
  const columnsOf = async (name: string): Promise<ReadonlyArray<unknown>> =>
    (await query(`PRAGMA table_info(${quoted(name)})`)).map((column) => column.name)
  try {
    const columns = await columnsOf(table)
    if (columns.length === 0 || (await columnsOf(STATE)).length === 0)
      throw noSuchTable(path, table)
    return {
      counted: tableRows(query, DIALECT, quoted(table), columns.includes(GONE)).counted,
      store: tableTexts({ state: STATE, table, query }),
      close: () => connection.close(),
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Creates missing tables and columns. Returns the columns that existing rows do not have yet. */
const prepare = (
  connection: SqliteConnection,
  { path, table, shape, replaces, ofParents = false }: SqliteOptions,
): ReadonlyArray<string> => {
  const wanted = wantedColumns(shape, TYPES, replaces)
  connection.exec(
    `CREATE TABLE IF NOT EXISTS ${STATE} (name TEXT PRIMARY KEY, text TEXT NOT NULL, version TEXT NOT NULL)`,
  )
  connection.exec(createTable(table, wanted))
  const found = connection.all(`PRAGMA table_xinfo(${quoted(table)})`)
  const missing = missingColumns(`${path}: table ${table}`, wanted, {
    columns: found.map(({ name, type, hidden, notnull, dflt_value, pk }) => ({
      name: String(name),
      type: String(type),
      isGenerated: hidden !== 0,
      isNeeded: notnull !== 0 && dflt_value === null && pk === 0 && hidden === 0,
    })),
    key: found.filter(({ pk }) => pk !== 0).map(({ name }) => String(name)),
  })
  const some = connection.all(`SELECT 1 AS found FROM ${quoted(table)} LIMIT 1`)
  for (const { name, type } of missing) {
    connection.exec(`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(name)} ${type}`)
  }
  if (ofParents) connection.exec(createIndex(table, PARENT.id))
  if (replaces) connection.exec(createTable(NEXT, wanted))
  return some.length === 0 ? [] : missing.map(({ name }) => name)
}

const sqliteTable = <A>(
  connection: SqliteConnection,
  options: SqliteOptions,
  added: ReadonlyArray<string>,
): DatabaseTable<A> => {
  const { path, table, shape, replaces } = options
  const { query } = connection
  const change: typeof query = (...sql) => connection.transaction(() => connection.all(...sql))
  const write = writerOf<A>(connection, options)
  return {
    ...{ name: path, commitEvery: STEP_EVERY, check: shape.check, added },
    rows: tableRows(query, DIALECT, quoted(table), !replaces),
    store: {
      ...tableTexts({ state: STATE, table, query, change }),
      replace: (...text) => connection.transaction(() => replaceText(connection, table, text)),
      close: () => connection.close(),
    },
    step:
      async ({ rows, gone, rejects }, { fence, isLast }) =>
      (...text) =>
        connection.transaction(() => {
          const version = replaceText(connection, table, text)
          if (version === undefined) return undefined
          write(rows)
          if (!replaces) checkArrived(connection, options, rows)
          for (const { id, at } of gone) {
            const time = isoMicros(BigInt(Math.floor(at)) * 1_000n) // a clock may have fractions of a millisecond
            connection.all(`UPDATE ${quoted(table)} SET ${GONE} = $2 WHERE id = $1`, [id, time])
          }
          keepRejects(connection, table, rejects, fence)
          if (isLast) dropRejects(connection, table, fence)
          if (isLast && replaces) putInPlace(connection, options)
          return version
        }),
  }
}

// must be called in a transaction

const replaceText = (
  connection: SqliteConnection,
  table: string,
  [name, text, version]: Parameters<Store['replace']>,
): string | undefined => {
  const sql =
    version === undefined
      ? `INSERT INTO ${STATE} VALUES ($1, $2, ${NEW_VERSION}) ON CONFLICT DO NOTHING RETURNING version`
      : `UPDATE ${STATE} SET text = $2, version = ${NEW_VERSION} WHERE name = $1 AND version = $3 RETURNING version`
  const values = [textName(table, name), text, ...(version === undefined ? [] : [version])]
  const [changed] = connection.all(sql, values)
  return changed === undefined ? undefined : String(changed.version)
}

/** Returns a function that writes rows to the table, or to `NEXT` if all rows are replaced. */
const writerOf = <A>(
  connection: SqliteConnection,
  { table, shape: { columns }, replaces }: SqliteOptions,
): ((rows: ReadonlyArray<A>) => void) => {
  return (rows) => {
    if (rows.length === 0) return
    const sql = upsert({
      into: quoted(replaces ? NEXT : table),
      columns,
      rows: `VALUES (${columns.map(() => '?').join(', ')})`,
      isMarked: !replaces,
    })
    const insert = connection.prepare(sql)
    for (const row of rows) insert.run(...columns.map((column) => sqlValue(column, row)))
  }
}

/** Looks up each row by its key. Throws if one is missing. */
const checkArrived = (
  connection: SqliteConnection,
  { path, table }: SqliteOptions,
  rows: ReadonlyArray<unknown>,
): void => {
  if (rows.length === 0) return
  const ids = rows.map((row) => fieldsOf(row).id)
  const sql = `SELECT count(*) AS lost FROM json_each($1) AS row WHERE (SELECT true FROM ${quoted(table)} WHERE id = row.value) IS NULL`
  const lost = Number(connection.all(sql, [JSON.stringify(ids)])[0]?.lost)
  if (lost > 0) throw rowsLost(path, table, lost, rows.length)
}

/** Replaces all rows with the collected ones. */
const putInPlace = (
  connection: SqliteConnection,
  { path, table, shape: { columns } }: SqliteOptions,
): void => {
  const names = columns.map(({ name }) => quoted(name)).join(', ')
  const [into, from] = [quoted(table), quoted(NEXT)]
  connection.exec(`DELETE FROM ${into} WHERE id NOT IN (SELECT id FROM ${from})`)
  const rows = `SELECT ${names} FROM ${from} WHERE true` // otherwise, ON would be parsed as part of a join
  connection.exec(upsert({ into, columns, rows, isMarked: false }))
  const total = (name: string): number =>
    Number(connection.all(`SELECT count(*) AS total FROM ${name}`)[0]?.total)
  const [all, kept] = [total(from), total(into)]
  if (kept < all) throw rowsLost(path, table, all - kept, all)
  connection.exec(`DELETE FROM ${from}`)
}

const keepRejects = (
  connection: SqliteConnection,
  table: string,
  rows: ReadonlyArray<Reject>,
  fence: number,
): void => {
  if (rows.length === 0) return
  const into = quoted(rejectsTable(table))
  connection.exec(
    `CREATE TABLE IF NOT EXISTS ${into} (run INTEGER NOT NULL, reason TEXT NOT NULL, row TEXT NOT NULL)`,
  )
  const insert = connection.prepare(`INSERT INTO ${into} VALUES (?, ?, ?)`)
  for (const { reason, row } of rows) insert.run(fence, reason, rejectText(row))
}

/** Drops rows that earlier runs could not write, because this run has re-read all of them. */
const dropRejects = (connection: SqliteConnection, table: string, fence: number): void => {
  const name = rejectsTable(table)
  const found = connection.all('SELECT 1 AS found FROM sqlite_master WHERE name = $1', [name])
  if (found.length > 0) connection.exec(`DELETE FROM ${quoted(name)} WHERE run < ${fence}`)
}

const sqlValue = ({ type, of }: TableColumn, row: unknown): SQLInputValue => {
  const value = of(row)
  if (typeof value === 'boolean') return value ? 1 : 0
  return type === 'time' && typeof value === 'bigint' ? isoMicros(value) : value
}
