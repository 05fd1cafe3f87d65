/** A table of an SQLite database. */
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { fieldsOf } from '../../decode/unknown.js'
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { ColumnType } from '../column/Shape.js'
import { isoMicros } from '../column/time.js'
import type { RowCheck } from '../column/UnrepresentableRow.js'
import type { Reject } from '../source/sortPage.js'
import { type Destination, GONE, PARENT } from '../transfer/Destination.js'
import { SqliteConnection } from './SqliteConnection.js'
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
import {
  type DatabaseTable,
  type StepOwner,
  type TableStep,
  tableDestination,
} from './tableDestination.js'
import {
  type Dialect,
  type OpenedTable,
  type TableRows,
  tableRows,
  tableTexts,
  textName,
} from './tableRows.js'

// model

/** Which file, and which table in it. */
export interface SqliteOptions extends TableOptions {
  readonly path: string
  /** Resolves after so many ms. */
  readonly pause: (ms: number) => Promise<void>
}

/** Types of columns. Decimals are text: SQLite has no exact ones, and would make them floating-point numbers. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'TEXT',
  time: 'TEXT',
  boolean: 'INTEGER',
  integer: 'INTEGER',
  decimal: 'TEXT',
  json: 'TEXT',
}

/** Times are texts, which sort; a list of texts is JSON. */
const DIALECT: Dialect<string> = {
  time: (column) => column,
  millisOf: (found) => Date.parse(String(found)),
  second: (second) => isoMicros(BigInt(second) * 1_000_000n),
  isAmong: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  texts: JSON.stringify,
}

/** All rows of a run that replaces others, until its end; known to this connection alone. */
const NEXT = 'temp.payments_rx_next'

/** How often a step is done, in ms: each waits for the disk several times, and no page comes meanwhile. */
const STEP_EVERY = 100

/** A version is drawn by the database: it never comes again, also after a removal. */
const NEW_VERSION = 'hex(randomblob(8))'

// constructors

/** Opens or makes the database, and the table in it. Rejects with an `ExportError`. */
export const sqliteDestination = async <A>(options: SqliteOptions): Promise<Destination<A>> => {
  const { path, pause } = options
  const connection = await SqliteConnection.open({ path, pause, doing: 'write' })
  try {
    const added = await connection.transaction(() => prepare(connection, options))
    return tableDestination(new SqliteTable<A>(connection, options, added))
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Opens a table, and changes nothing. Rejects with an `ExportError`. */
export const openSqliteTable = async (path: string, table: string): Promise<OpenedTable> => {
  const connection = await SqliteConnection.open({ path, doing: 'read', pause: async () => {} })
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

/** Makes tables and columns that are missing. Returns the columns that rows lack. */
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

class SqliteTable<A> implements DatabaseTable<A> {
  readonly name: string
  readonly commitEvery: Millis = STEP_EVERY
  readonly check: RowCheck
  readonly added: ReadonlyArray<string>
  readonly rows: TableRows
  readonly store: Store
  readonly #connection: SqliteConnection
  readonly #options: SqliteOptions
  readonly #columns: ReadonlyArray<TableColumn>
  /** Its name, as SQL. */
  readonly #table: string
  #insert: StatementSync | undefined

  constructor(connection: SqliteConnection, options: SqliteOptions, added: ReadonlyArray<string>) {
    const { path, table, shape } = options
    const { query } = connection
    const change: typeof query = (...sql) => connection.transaction(() => connection.all(...sql))
    this.name = path
    this.check = shape.check
    this.added = added
    this.rows = tableRows(query, DIALECT, quoted(table))
    this.store = {
      ...tableTexts({ state: STATE, table, query, change }),
      replace: (...text) => connection.transaction(() => this.#replace(...text)),
      close: () => connection.close(),
    }
    this.#connection = connection
    this.#options = options
    this.#columns = shape.columns
    this.#table = quoted(table)
  }

  step: DatabaseTable<A>['step'] =
    async (step, owner) =>
    (...text) =>
      this.#connection.transaction(() => {
        const version = this.#replace(...text)
        if (version !== undefined) this.#do(step, owner)
        return version
      })

  // within a transaction

  #replace(...[name, text, version]: Parameters<Store['replace']>): string | undefined {
    const sql =
      version === undefined
        ? `INSERT INTO ${STATE} VALUES ($1, $2, ${NEW_VERSION}) ON CONFLICT DO NOTHING RETURNING version`
        : `UPDATE ${STATE} SET text = $2, version = ${NEW_VERSION} WHERE name = $1 AND version = $3 RETURNING version`
    const key = textName(this.#options.table, name)
    const [changed] = this.#connection.all(sql, [
      ...[key, text],
      ...(version === undefined ? [] : [version]),
    ])
    return changed === undefined ? undefined : String(changed.version)
  }

  #do({ rows, gone, rejects }: TableStep<A>, { fence, isLast }: StepOwner): void {
    const { replaces } = this.#options
    this.#write(rows)
    if (!replaces) this.#checkArrived(rows)
    for (const { id, at } of gone) {
      const time = isoMicros(BigInt(at) * 1_000n)
      this.#connection.all(`UPDATE ${this.#table} SET ${GONE} = $2 WHERE id = $1`, [id, time])
    }
    this.#keepRejects(rejects, fence)
    if (!isLast) return
    this.#dropRejects(fence)
    if (replaces) this.#putInPlace()
  }

  #write(rows: ReadonlyArray<A>): void {
    const { replaces, doubtful } = this.#options
    const columns = this.#columns
    this.#insert ??= this.#connection.prepare(
      upsert({
        into: replaces ? quoted(NEXT) : this.#table,
        columns,
        rows: `VALUES (${columns.map(() => '?').join(', ')})`,
        when: { doubtful },
        isMarked: !replaces,
      }),
    )
    for (const row of rows) this.#insert.run(...columns.map((column) => sqlValue(column, row)))
  }

  /** Looks for each row by its key. */
  #checkArrived(rows: ReadonlyArray<unknown>): void {
    if (rows.length === 0) return
    const ids = rows.map((row) => fieldsOf(row).id)
    const sql = `SELECT count(*) AS lost FROM json_each($1) AS row WHERE (SELECT true FROM ${this.#table} WHERE id = row.value) IS NULL`
    const lost = Number(this.#connection.all(sql, [JSON.stringify(ids)])[0]?.lost)
    if (lost > 0) throw rowsLost(this.name, this.#options.table, lost, rows.length)
  }

  /** Replaces all rows by those that were gathered. */
  #putInPlace(): void {
    const connection = this.#connection
    const columns = this.#columns
    const names = columns.map(({ name }) => quoted(name)).join(', ')
    const [into, from] = [this.#table, quoted(NEXT)]
    connection.exec(`DELETE FROM ${into} WHERE id NOT IN (SELECT id FROM ${from})`)
    const rows = `SELECT ${names} FROM ${from} WHERE true` // else its ON would be one of a join
    connection.exec(upsert({ into, columns, rows, when: 'always', isMarked: false }))
    const total = (name: string): number =>
      Number(connection.all(`SELECT count(*) AS total FROM ${name}`)[0]?.total)
    const [all, kept] = [total(from), total(into)]
    if (kept < all) throw rowsLost(this.name, this.#options.table, all - kept, all)
    connection.exec(`DELETE FROM ${from}`)
  }

  get #rejects(): string {
    return quoted(rejectsTable(this.#options.table))
  }

  #keepRejects(rows: ReadonlyArray<Reject>, fence: number): void {
    if (rows.length === 0) return
    this.#connection.exec(
      `CREATE TABLE IF NOT EXISTS ${this.#rejects} (run INTEGER NOT NULL, reason TEXT NOT NULL, row TEXT NOT NULL)`,
    )
    const insert = this.#connection.prepare(`INSERT INTO ${this.#rejects} VALUES (?, ?, ?)`)
    for (const { reason, row } of rows) insert.run(fence, reason, rejectText(row))
  }

  /** Drops what earlier runs could not write: all of it was read again by this one. */
  #dropRejects(fence: number): void {
    const sql = 'SELECT 1 AS found FROM sqlite_master WHERE name = $1'
    const found = this.#connection.all(sql, [rejectsTable(this.#options.table)])
    if (found.length > 0) this.#connection.exec(`DELETE FROM ${this.#rejects} WHERE run < ${fence}`)
  }
}

const sqlValue = ({ type, of }: TableColumn, row: unknown): SQLInputValue => {
  const value = of(row)
  if (typeof value === 'boolean') return value ? 1 : 0
  return type === 'time' && typeof value === 'bigint' ? isoMicros(value) : value
}
