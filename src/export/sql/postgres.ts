/**
 * A Postgres table, through the optional peers `pg` and `pg-copy-streams`. Each step is one transaction. Rows are copied into a
 * temporary table that ends with the transaction. The last message replaces the state and, only if that succeeded, changes
 * rows. A frozen process therefore holds no lock on the rows, a lost connection leaves no step half done, and a pooler may use
 * a different server session for each step.
 */
import type { Store } from '../../store/Store.js'
import type { ColumnType } from '../column/Shape.js'
import { type Destination, GONE } from '../transfer/Destination.js'
import {
  PostgresConnection,
  type PostgresOpening,
  type PostgresTransaction,
} from './PostgresConnection.js'
import { beginStep, lostIn, PostgresSteps, STEP } from './postgresSteps.js'
import { type ReadyTable, readyTable } from './postgresTable.js'
import { linesOf, withoutNul, withoutZeros } from './postgresText.js'
import type { TableColumn } from './TableColumn.js'
import {
  type ColumnDefinition,
  noSuchTable,
  quoted,
  rowsLost,
  stateOf,
  type TableOptions,
  wantedColumns,
} from './table.js'
import { type DatabaseTable, tableDestination } from './tableDestination.js'
import { type Dialect, type OpenedTable, tableRows, tableTexts } from './tableRows.js'

export interface PostgresOptions extends TableOptions, PostgresOpening {
  /** Replaces U+0000 with U+FFFD instead of rejecting the row. */
  readonly replaceNul?: boolean
}

/** Column types, as named by the database. Numbers of any length keep all digits. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  time: 'timestamp with time zone',
  boolean: 'boolean',
  integer: 'bigint',
  decimal: 'numeric',
  json: 'jsonb',
}

const DIALECT: Dialect<unknown> = {
  time: (column) => `floor(extract(epoch FROM ${column}) * 1000)`,
  millisOf: Number,
  second: (second) => new Date(second * 1_000),
  isAmong: (column, parameter) => `(${column} = ANY(${parameter}::text[]))`,
  texts: (texts) => texts,
}

interface CopiedRows {
  readonly lines: ReadonlyArray<Buffer>
  readonly rows: number
}

const NONE: CopiedRows = { lines: [], rows: 0 }

/** Connects, creates a missing table, and tries a step without rows (permissions, columns). Rejects with an `ExportError`. */
export const postgresDestination = async <A>(options: PostgresOptions): Promise<Destination<A>> => {
  const connection = await PostgresConnection.open(options)
  const { at, waits } = options
  if (at.ignored.length > 0) {
    waits.note(`ignores ${at.ignored.join(', ')} in the URL, which the driver does not know`)
  }
  try {
    const table = await connection.transaction((transaction) =>
      prepare<A>(connection, transaction, options),
    )
    return tableDestination(table)
  } catch (error) {
    await connection.close()
    throw error
  }
}

const prepare = async <A>(
  connection: PostgresConnection,
  transaction: PostgresTransaction,
  options: PostgresOptions,
): Promise<DatabaseTable<A>> => {
  const { at, table, shape, replaces, ofParents = false, replaceNul = false } = options
  const wanted = wantedColumns(shape, TYPES, replaces)
  await transaction.send(beginStep(wanted))
  const title = `${at.name}: table ${table}`
  const ready = await readyTable(transaction, { title, table, columns: wanted, ofParents })
  const columns = replaceNul ? shape.columns.map(withoutNul) : shape.columns
  const literal = (text: string): string => connection.literal(text)
  const steps = new PostgresSteps({ ...options, columns, ready, literal })
  await transaction.send(`${steps.trying()}; COMMIT`)
  return postgresTable<A>({ connection, options, wanted, columns, ready, steps })
}

/** Opens a table without changing anything. Rejects with an `ExportError`. */
export const openPostgresTable = async (
  opening: PostgresOpening,
  table: string,
): Promise<OpenedTable> => {
  const connection = await PostgresConnection.open(opening, 'read')
  const { query } = connection
  const close = (): Promise<void> => connection.close()
  try {
    const state = quoted(stateOf(table))
    const isThere = 'to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS found'
    const [{ found } = {}] = await query(`SELECT ${isThere}`, [quoted(table), state])
    if (found !== true) throw noSuchTable(opening.at.name, table)
    const marked = await query(
      'SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped',
      [quoted(table), GONE],
    )
    const { counted } = tableRows(query, DIALECT, quoted(table), marked.length > 0)
    return { counted, store: tableTexts({ state, table, query }), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** An existing table, and how to perform steps on it. */
interface ReadyPostgres {
  readonly connection: PostgresConnection
  readonly options: PostgresOptions
  readonly wanted: ReadonlyArray<ColumnDefinition>
  readonly columns: ReadonlyArray<TableColumn>
  readonly ready: ReadyTable
  readonly steps: PostgresSteps
}

const postgresTable = <A>(made: ReadyPostgres): DatabaseTable<A> => {
  const { connection, options, columns, ready, steps } = made
  const { at, table, shape, replaces } = options
  const { query } = connection
  const hasNoZeros = withoutZeros(columns)
  /** All rows of a run that replaces the existing rows, until the end of the run. */
  let next = NONE

  const hasRejects = async (): Promise<boolean> => {
    const sql = 'SELECT to_regclass($1) IS NOT NULL AS found'
    const [{ found } = {}] = await query(sql, [steps.rejects])
    return found === true
  }

  return {
    ...{ name: at.name, commitEvery: 0, added: ready.added },
    check: (row) => shape.check(row) ?? hasNoZeros(row),
    rows: tableRows(query, DIALECT, ready.rows, !replaces),
    store: {
      ...tableTexts({ state: ready.state, table, query }),
      replace: (...text) => replaceText(made, undefined, { before: '', changes: '' }, text),
      close: () => connection.close(),
    },
    step: async (step, { fence, isLast }) => {
      const { length } = step.rows
      const own = { lines: linesOf(columns, step.rows), rows: length }
      if (replaces) next = { lines: [...next.lines, ...own.lines], rows: next.rows + length }
      const put = replaces ? next : own
      if (isLast) next = NONE
      const isMerge = replaces ? isLast : length > 0
      const drops = isLast && (await hasRejects()) // this run has re-read all of them
      const before = steps.rejecting(step)
      const changes = `${isMerge ? steps.merging() : ''}${steps.changing(step, { fence, drops })}`
      return (...text) => replaceText(made, isMerge ? put : undefined, { before, changes }, text)
    },
  }
}

/** Replaces a text and changes rows in one transaction. */
const replaceText = async (
  { connection, options: { at, table }, wanted, steps }: ReadyPostgres,
  put: CopiedRows | undefined,
  { before, changes }: { readonly before: string; readonly changes: string },
  text: Parameters<Store['replace']>,
): Promise<string | undefined> => {
  const version = crypto.randomUUID()
  const sql = `${before}${steps.replacing(version, ...text)}${changes} SELECT version FROM fenced`
  const [found] = await connection
    .transaction(async ({ send, copy }) => {
      if (put === undefined) return send(sql)
      await send(beginStep(wanted))
      await copy(STEP, steps.names, put.lines)
      return send(`${sql}; ${steps.arrived(version)}; COMMIT`)
    })
    .catch((error: unknown) => {
      const lost = lostIn(error)
      throw lost === undefined ? error : rowsLost(at.name, table, lost, put?.rows ?? 0)
    })
  return found === undefined ? undefined : String(found.version)
}
