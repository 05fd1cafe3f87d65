/**
 * A table of Postgres, through `pg` and `pg-copy-streams`, which are optional peers. Each step is one statement, which
 * replaces the checkpoint and, only if it did, changes rows: a process that is frozen holds no lock, and one whose
 * connection is lost leaves nothing half done.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fieldsOf } from '../../decode/unknown.js'
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { ColumnType } from '../column/Shape.js'
import { isoMicros } from '../column/time.js'
import { type RowCheck, unrepresentable } from '../column/UnrepresentableRow.js'
import type { Reject } from '../source/sortPage.js'
import {
  type ChildRows,
  type CountedRows,
  type Destination,
  GONE,
  PARENT,
  type Prepared,
} from '../transfer/Destination.js'
import { driver } from './postgresDriver.js'
import { errorOf } from './postgresErrors.js'
import { childrenIn, countedIn, SECOND, UPDATED } from './postgresRows.js'
import type { TableColumn } from './TableColumn.js'
import {
  createIndex,
  createTable,
  missingColumns,
  quoted,
  rejectsTable,
  rejectText,
  STATE,
  type TableOptions,
  upsert,
} from './table.js'

// model

/** Which database, and which table in it. */
export interface PostgresOptions extends TableOptions {
  readonly url: string
  /** Names it in messages, without secrets. */
  readonly name: string
}

/** Types of columns, as the database spells them. Numbers of any length are kept digit by digit. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  time: 'timestamp with time zone',
  boolean: 'boolean',
  integer: 'bigint',
  decimal: 'numeric',
  json: 'jsonb',
}

/** Rows of a step, before they are put in place. */
const INCOMING = 'pg_temp.payments_rx_incoming'

/** All rows of a run that replaces others, until its end; known to this connection alone. */
const NEXT = 'pg_temp.payments_rx_next'

/** How long the server waits for a client that is frozen, in ms. */
const IDLE = 15_000

// constructors

/** Connects, and makes the table if it is not there. Rejects with an `ExportError`. */
export const postgresDestination = async <A>(options: PostgresOptions): Promise<Destination<A>> => {
  const { url, name, table, shape, replaces, ofParents = false, doubtful } = options
  const { columns } = shape
  const { connect, copyFrom } = await driver(name)
  const client = connect(url)
  client.on('error', () => {}) // told by the query that comes next
  const refused = (error: unknown): never => {
    throw errorOf(name, error)
  }
  const query = async (
    sql: string,
    values?: ReadonlyArray<unknown>,
  ): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
    const { rows } = await client.query(sql, values && [...values]).catch(refused)
    return rows.map(fieldsOf)
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= client.end().catch(() => {}) // it was lost
    return closing
  }

  const state = quoted([...table.split('.').slice(0, -1), STATE].join('.'))
  const wanted = [
    ...columns.map(({ name, type }) => ({ name, type: TYPES[type] })),
    ...(replaces ? [] : [{ name: GONE, type: TYPES.time }]),
  ]
  const isThere = async (relation: string): Promise<boolean> =>
    (await query('SELECT to_regclass($1) IS NOT NULL AS found', [relation]))[0]?.found === true

  /** Makes nothing that is there: whoever made it may have more rights. */
  const prepare = async (): Promise<void> => {
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    if (!(await isThere(state))) {
      await query(
        `CREATE TABLE ${state} (name text PRIMARY KEY, text text NOT NULL, version text NOT NULL)`,
      )
    }
    if (!(await isThere(quoted(table)))) {
      await query(createTable(table, wanted))
      if (ofParents) await query(createIndex(table, PARENT.id))
    }
    const found = await query(COLUMNS, [quoted(table)])
    const missing = missingColumns(`${name}: table ${table}`, wanted, {
      columns: found.map((one) => ({ name: String(one.name), type: String(one.type) })),
      key: found.filter(({ is_key }) => is_key === true).map((one) => String(one.name)),
    })
    if (missing.length > 0) {
      const added = missing.map((one) => `ADD COLUMN ${quoted(one.name)} ${one.type}`)
      await query(`ALTER TABLE ${quoted(table)} ${added.join(', ')}`)
    }
    await query(createTable(INCOMING, wanted))
    if (replaces) await query(createTable(NEXT, wanted))
  }

  try {
    await client.connect().catch(refused)
    await query(`SET idle_in_transaction_session_timeout = ${IDLE}`)
    await query('BEGIN')
    await prepare()
    await query('COMMIT')
  } catch (error) {
    await close()
    throw error
  }

  // statements

  const names = columns.map((column) => quoted(column.name)).join(', ')
  const all = (from: string): string =>
    `SELECT ${names} FROM ${quoted(from)} WHERE EXISTS (SELECT FROM fenced)`
  const rejectsIn = quoted(rejectsTable(table))
  /** Changes of the rows, each only if the state was replaced. */
  const MERGE = `, merged AS (${upsert(table, columns, all(INCOMING), { doubtful }, !replaces)})`
  const REPLACE = `, gone AS (
      DELETE FROM ${quoted(table)} AS old WHERE EXISTS (SELECT FROM fenced)
      AND NOT EXISTS (SELECT FROM ${quoted(NEXT)} AS next WHERE next.id = old.id)
    ), merged AS (${upsert(table, columns, all(NEXT), 'always')})`
  const REJECT = `, rejected AS (
      INSERT INTO ${rejectsIn} SELECT $4, reason, row FROM jsonb_to_recordset($5) AS new (reason text, row text)
      WHERE EXISTS (SELECT FROM fenced))`
  /** All that earlier runs could not write was read again by this one. */
  const DROP_REJECTS = `, dropped AS (DELETE FROM ${rejectsIn} WHERE run < $4 AND EXISTS (SELECT FROM fenced))`
  const keyOf = (of: string): string => `${table}/${of}`
  const replaced = async (
    changes: string,
    values: ReadonlyArray<unknown>,
    ...[of, text, version]: Parameters<Store['replace']>
  ): Promise<string | undefined> => {
    const sql =
      version === undefined
        ? `INSERT INTO ${state} SELECT $1, $2, ${NEW_VERSION} WHERE $3::text IS NULL ON CONFLICT DO NOTHING`
        : `UPDATE ${state} SET text = $2, version = ${NEW_VERSION} WHERE name = $1 AND version = $3`
    const [found] = await query(
      `WITH fenced AS (${sql} RETURNING version)${changes} SELECT version FROM fenced`,
      [keyOf(of), text, version ?? null, ...values],
    )
    return found === undefined ? undefined : String(found.version)
  }

  const copy = async (rows: ReadonlyArray<A>): Promise<void> => {
    await query(`TRUNCATE ${quoted(INCOMING)}`)
    const to = client.query(copyFrom(`COPY ${quoted(INCOMING)} (${names}) FROM STDIN`))
    await pipeline(Readable.from(linesOf(columns, rows)), to).catch(refused)
  }

  const store: Store = {
    close,
    read: async (of) => {
      const [found] = await query(`SELECT text, version FROM ${state} WHERE name = $1`, [keyOf(of)])
      return found && { text: String(found.text), version: String(found.version) }
    },
    replace: (...change) => replaced('', [], ...change),
    remove: async (of, version) => {
      const sql = `DELETE FROM ${state} WHERE name = $1 AND version = $2 RETURNING name`
      return (await query(sql, [keyOf(of), version])).length > 0
    },
  }

  // rows that are there

  const leave = (ids: ReadonlyArray<string>, at: Millis): void => {
    gone = [...gone, ...ids.map((id) => ({ id, at: new Date(at) }))]
  }
  const counted: CountedRows = {
    ...countedIn(query, table),
    markGone: async (ids, at) => leave(ids, at),
  }
  const children: ChildRows = {
    ...childrenIn(query, table),
    markGone: async (_, ids, at) => leave(ids, at),
  }

  let gone: ReadonlyArray<{ readonly id: string; readonly at: Date }> = []
  let fence = 0
  let isPut = false // the rows of NEXT are in place
  let rows: ReadonlyArray<A> = []
  let rejects: ReadonlyArray<Reject> = []
  /** Sends what waits, unseen, and returns the statement that shows it with the state. */
  const prepared = async (isLast: boolean): Promise<Prepared> => {
    const [written, rejected, lost] = [rows, rejects, gone]
    rows = []
    gone = []
    rejects = []
    const changes: Array<string> = []
    if (isPut) await query(`TRUNCATE ${quoted(NEXT)}`)
    isPut = isLast && replaces
    if (written.length > 0) {
      await copy(written)
      if (replaces)
        await query(
          upsert(NEXT, columns, `SELECT ${names} FROM ${quoted(INCOMING)} WHERE true`, {
            doubtful,
          }),
        )
      else changes.push(MERGE)
    }
    if (isLast && replaces) changes.push(REPLACE)
    const old = isLast && (await isThere(rejectsIn))
    if (rejected.length > 0) {
      await query(
        `CREATE TABLE IF NOT EXISTS ${rejectsIn} (run bigint NOT NULL, reason text NOT NULL, row text NOT NULL)`,
      )
    }
    const kept = rejected.map(({ reason, row }) => ({ reason, row: rejectText(row) }))
    if (old || kept.length > 0) changes.push(REJECT)
    if (old) changes.push(DROP_REJECTS)
    const values: Array<unknown> = changes.includes(REJECT) ? [fence, JSON.stringify(kept)] : []
    if (lost.length > 0) {
      const [ids, at] = [`$${4 + values.length}`, `$${5 + values.length}`]
      changes.push(`, marked AS (UPDATE ${quoted(table)} SET ${GONE} = ${at}::timestamptz
        WHERE id = ANY(${ids}::text[]) AND EXISTS (SELECT FROM fenced))`)
      values.push(
        lost.map(({ id }) => id),
        lost[0]?.at,
      )
    }
    const all = changes.join('')
    return { store: { ...store, replace: (...change) => replaced(all, values, ...change) } }
  }

  return {
    name,
    commitEvery: 0,
    store,
    check: (row) => shape.check(row) ?? withoutZeros(columns)(row),
    resume: async (_, taken) => {
      fence = taken.fence
    },
    write: async (page) => {
      rows = rows.length === 0 ? page : [...rows, ...page]
    },
    reject: async (page) => {
      rejects = [...rejects, ...page]
    },
    commit: () => prepared(false),
    finish: () => prepared(true),
    ...(ofParents ? { children } : {}),
    ...(replaces || ofParents
      ? {}
      : {
          counted,
          open: async (final) => {
            const sql = `SELECT id, status, ${SECOND}, ${UPDATED} FROM ${quoted(table)} WHERE ${GONE} IS NULL AND status <> ALL($1)`
            return (await query(sql, [final])).map(({ id, status, second, updated }) => ({
              id: String(id),
              status: String(status),
              created: Number(second),
              updated: Number(updated),
            }))
          },
        }),
    close: async () => {}, // all is done in one statement
  }
}

const NEW_VERSION = 'gen_random_uuid()::text'

/** An advisory lock of this package: one makes tables at a time. */
const LOCK = 8_273_641

/** The columns of a table, and which of them are its primary key. */
const COLUMNS = `
  SELECT attname AS name, format_type(atttypid, atttypmod) AS type,
    coalesce(attnum = ANY(indkey), false) AS is_key
  FROM pg_attribute LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`

// rows as lines of COPY: https://www.postgresql.org/docs/current/sql-copy.html

/** Rows that are sent at a time. */
const BATCH = 1_000

function* linesOf(
  columns: ReadonlyArray<TableColumn>,
  rows: ReadonlyArray<unknown>,
): Generator<Buffer> {
  for (let at = 0; at < rows.length; at += BATCH) {
    const lines = rows.slice(at, at + BATCH).map((row) => lineOf(columns, row))
    yield Buffer.from(lines.join(''))
  }
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

/** Postgres has no text with U+0000. */
const withoutZeros =
  (columns: ReadonlyArray<TableColumn>): RowCheck =>
  (row) => {
    for (const { name, type, of } of columns) {
      const value = type === 'text' || type === 'json' ? of(row) : undefined
      const hasZero =
        typeof value === 'string' && (type === 'json' ? ZERO.test(value) : value.includes('\0'))
      if (hasZero)
        return unrepresentable([name], 'a text without U+0000, which Postgres cannot store')
    }
    return undefined
  }

/** U+0000 as JSON escapes it, after an even number of backslashes. */
const ZERO = /(?<!\\)(?:\\\\)*\\u0000/
