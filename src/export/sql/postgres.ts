/**
 * A table of Postgres, through `pg` and `pg-copy-streams`, which are optional peers. Each step is one transaction: rows are
 * copied into a temporary table that ends with it, and the last message replaces the state and, only if it did, changes
 * rows. So a process that is frozen holds no lock on them, one whose connection is lost leaves nothing half done, and a
 * pooler may give each step another session of the server.
 */
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { ColumnType } from '../column/Shape.js'
import { type RowCheck, unrepresentable } from '../column/UnrepresentableRow.js'
import type { Reject } from '../source/sortPage.js'
import {
  type ChildRows,
  type CountedRows,
  type Destination,
  GONE,
  type Prepared,
} from '../transfer/Destination.js'
import { linesOf } from './copyLines.js'
import { BEGIN, PostgresConnection, type PostgresTransaction } from './PostgresConnection.js'
import { childrenIn, countedIn, SECOND, UPDATED } from './postgresRows.js'
import { type ReadyTable, readyTable } from './postgresTable.js'
import type { TableColumn } from './TableColumn.js'
import { quoted, rejectsTable, rejectText, rowsLost, type TableOptions, upsert } from './table.js'

// model

/** Which database, and which table in it. */
export interface PostgresOptions extends TableOptions {
  readonly url: string
  /** Names it in messages, without secrets. */
  readonly name: string
  /** Writes U+0000 as U+FFFD, in place of rejecting the row. */
  readonly replaceNul?: boolean
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

/** Rows of a step, before they are put in place: of its transaction alone. */
const STEP = 'pg_temp.payments_rx_step'

/** Changes that wait for the next step. */
interface Waiting<A> {
  readonly rows: ReadonlyArray<A>
  readonly rejects: ReadonlyArray<Reject>
  readonly gone: ReadonlyArray<{ readonly id: string; readonly at: Date }>
}

const NOTHING: Waiting<never> = { rows: [], rejects: [], gone: [] }

// constructors

/**
 * Connects, makes the table if it is not there, and plays a step without rows, which proves rights and shape. Rejects with
 * an `ExportError`.
 */
export const postgresDestination = async <A>(options: PostgresOptions): Promise<Destination<A>> => {
  const { url, name, table, shape, replaces, ofParents = false, doubtful } = options
  const columns = options.replaceNul ? shape.columns.map(withoutNul) : shape.columns
  const connection = await PostgresConnection.open(url, name)
  const { query } = connection
  const literal = (text: string): string => connection.literal(text)
  const wanted = [
    ...columns.map(({ name, type }) => ({ name, type: TYPES[type] })),
    ...(replaces ? [] : [{ name: GONE, type: TYPES.time }]),
  ]
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const definitions = wanted.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')
  const begun = `${BEGIN}; CREATE TEMPORARY TABLE ${STEP.replace('pg_temp.', '')} (${definitions}) ON COMMIT DROP`

  // statements

  const rejectsIn = quoted(rejectsTable(table))
  const keyOf = (of: string): string => `${table}/${of}`
  const fenced = (sql: string): string => `WITH fenced AS (${sql} RETURNING version)`
  /** Replaces the state, or makes it; `fresh`: its next version. */
  const replacing = (
    { state }: ReadyTable,
    fresh: string,
    ...[of, text, version]: Parameters<Store['replace']>
  ): string => {
    const [key, next] = [literal(keyOf(of)), `${literal(text)}, version = ${literal(fresh)}`]
    return fenced(
      version === undefined
        ? `INSERT INTO ${state} VALUES (${key}, ${literal(text)}, ${literal(fresh)}) ON CONFLICT DO NOTHING`
        : `UPDATE ${state} SET text = ${next} WHERE name = ${key} AND version = ${literal(version)}`,
    )
  }
  /** The rows of the step, each once: of two versions, the later one. */
  const latest = columns.some((column) => column.name === 'updated_at')
    ? 'updated_at DESC NULLS LAST,'
    : ''
  const all = `SELECT DISTINCT ON (id) ${names} FROM ${STEP} WHERE EXISTS (SELECT FROM fenced)
    ORDER BY id, ${latest} ctid DESC`
  /** Changes of the rows, each only if the state was replaced. */
  const merging = ({ rows }: ReadyTable): string => {
    const when = replaces ? ('always' as const) : { doubtful }
    const merged = `, merged AS (${upsert({ into: rows, columns, rows: all, when, isMarked: !replaces })})`
    if (!replaces) return merged
    return `, gone AS (DELETE FROM ${rows} AS old WHERE EXISTS (SELECT FROM fenced)
      AND NOT EXISTS (SELECT FROM ${STEP} AS next WHERE next.id = old.id))${merged}`
  }
  /** Fails where the state was replaced, and rows of the step are not there: each is looked for by its key. */
  const arrived = ({ rows, state }: ReadyTable, fresh: string): string =>
    `SELECT CASE WHEN lost > 0 THEN ('${LOST}' || lost)::integer END FROM (SELECT count(*) AS lost FROM ${STEP} AS step
      WHERE (SELECT true FROM ${rows} AS there WHERE there.id = step.id) IS NULL) AS missing
      WHERE EXISTS (SELECT FROM ${state} WHERE version = ${literal(fresh)})`

  // before the first row

  const prepare = async (transaction: PostgresTransaction): Promise<ReadyTable> => {
    await transaction.send(begun)
    const ready = await readyTable(transaction, {
      title: `${name}: table ${table}`,
      table,
      columns: wanted,
      ofParents,
    })
    const never = replacing(ready, '', 'none', '', 'none')
    const removed = `DELETE FROM ${ready.state} WHERE name = '' AND version = ''`
    const inserted = `INSERT INTO ${ready.state} SELECT name, text, version FROM ${ready.state} WHERE false`
    await transaction.send(
      `${never}${merging(ready)} SELECT version FROM fenced; ${inserted}; ${removed}; COMMIT`,
    )
    return ready
  }
  const ready = await connection.transaction(prepare).catch(async (error: unknown) => {
    await connection.close()
    throw error
  })

  // steps

  /** Replaces a text, and changes rows by the same transaction. */
  const replaced = async (
    { lines, changes, before = '', of: rows }: Step,
    ...change: Parameters<Store['replace']>
  ): Promise<string | undefined> => {
    const fresh = crypto.randomUUID()
    const sql = `${replacing(ready, fresh, ...change)}${changes} SELECT version FROM fenced`
    const [found] = await connection
      .transaction(async ({ send, copy }) => {
        if (lines === undefined) return send(`${before}${sql}`)
        await send(begun)
        await copy(STEP, names, lines)
        return send(`${before}${sql}; ${arrived(ready, fresh)}; COMMIT`)
      })
      .catch((error: unknown) => {
        const lost = lostIn(error)
        throw lost === undefined ? error : rowsLost(name, table, lost, rows)
      })
    return found === undefined ? undefined : String(found.version)
  }

  const store: Store = {
    close: () => connection.close(),
    read: async (of) => {
      const sql = `SELECT text, version FROM ${ready.state} WHERE name = $1`
      const [found] = await query(sql, [keyOf(of)])
      return found && { text: String(found.text), version: String(found.version) }
    },
    replace: (...change) => replaced({ changes: '', of: 0 }, ...change),
    remove: async (of, version) => {
      const sql = `DELETE FROM ${ready.state} WHERE name = $1 AND version = $2 RETURNING name`
      return (await query(sql, [keyOf(of), version])).length > 0
    },
  }

  let fence = 0
  let waiting: Waiting<A> = NOTHING
  /** All rows of a run that replaces others, until its end. */
  let next = { lines: [] as Buffer[], rows: 0 }

  /** Returns the step that keeps what waits, together with the state. */
  const prepared = async (isLast: boolean): Promise<Prepared> => {
    const { rows, rejects, gone } = waiting
    waiting = NOTHING
    if (replaces) {
      next.lines.push(...linesOf(columns, rows))
      next.rows += rows.length
    }
    const put = replaces ? next : { lines: linesOf(columns, rows), rows: rows.length }
    if (isLast) next = { lines: [], rows: 0 }
    const isMerge = replaces ? isLast : rows.length > 0
    const [{ found } = {}] = isLast
      ? await query('SELECT to_regclass($1) IS NOT NULL AS found', [rejectsIn])
      : []
    const drops = found === true // all that earlier runs could not write was read again by this one
    const kept = JSON.stringify(
      rejects.map(({ reason, row }) => ({ reason, row: rejectText(row) })),
    )
    const step: Step = {
      ...(isMerge ? { lines: put.lines } : {}),
      of: put.rows,
      before:
        rejects.length === 0
          ? ''
          : `CREATE TABLE IF NOT EXISTS ${rejectsIn} (run bigint NOT NULL, reason text NOT NULL, row text NOT NULL); `,
      changes: [
        isMerge ? merging(ready) : '',
        rejects.length === 0
          ? ''
          : `, rejected AS (INSERT INTO ${rejectsIn} SELECT ${fence}, reason, row
              FROM jsonb_to_recordset(${literal(kept)}) AS new (reason text, row text) WHERE EXISTS (SELECT FROM fenced))`,
        drops
          ? `, dropped AS (DELETE FROM ${rejectsIn} WHERE run < ${fence} AND EXISTS (SELECT FROM fenced))`
          : '',
        ...gone.slice(0, 1).map(
          ({ at }) => `, marked AS (UPDATE ${ready.rows} SET ${GONE} = ${literal(at.toISOString())}
            WHERE id = ANY(ARRAY[${gone.map(({ id }) => literal(id)).join(', ')}]) AND EXISTS (SELECT FROM fenced))`,
        ),
      ].join(''),
    }
    return { store: { ...store, replace: (...change) => replaced(step, ...change) } }
  }

  // rows that are there

  const leave = (ids: ReadonlyArray<string>, at: Millis): void => {
    const gone = [...waiting.gone, ...ids.map((id) => ({ id, at: new Date(at) }))]
    waiting = { ...waiting, gone }
  }
  const counted: CountedRows = {
    ...countedIn(query, ready.rows),
    markGone: async (ids, at) => leave(ids, at),
  }
  const children: ChildRows = {
    ...childrenIn(query, ready.rows),
    markGone: async (_, ids, at) => leave(ids, at),
  }

  return {
    name,
    commitEvery: 0,
    store,
    added: ready.added,
    check: (row) => shape.check(row) ?? withoutZeros(columns)(row),
    resume: async (_, taken) => {
      fence = taken.fence
    },
    write: async (page) => {
      waiting = { ...waiting, rows: [...waiting.rows, ...page] }
    },
    reject: async (page) => {
      waiting = { ...waiting, rejects: [...waiting.rejects, ...page] }
    },
    commit: () => prepared(false),
    finish: () => prepared(true),
    ...(replaces
      ? {
          rowsThere: async () =>
            Number((await query(`SELECT count(*) AS n FROM ${ready.rows}`))[0]?.n),
        }
      : {}),
    ...(ofParents ? { children } : {}),
    ...(replaces || ofParents
      ? {}
      : {
          counted,
          open: async (final) => {
            const sql = `SELECT id, status, ${SECOND}, ${UPDATED} FROM ${ready.rows} WHERE ${GONE} IS NULL AND status <> ALL($1)`
            return (await query(sql, [final])).map(({ id, status, second, updated }) => ({
              id: String(id),
              status: String(status),
              created: Number(second),
              updated: Number(updated),
            }))
          },
        }),
    close: async () => {}, // all is done in one transaction
  }
}

/** A step as SQL. */
interface Step {
  /** Its rows; absent where only the state changes. */
  readonly lines?: ReadonlyArray<Buffer>
  /** How many rows these are. */
  readonly of: number
  /** Statements before. */
  readonly before?: string
  /** Parts of the statement that replaces the state. */
  readonly changes: string
}

/** In the words of an error of the server: so many rows are not there. */
const LOST = 'payments-rx: lost rows: '

const lostIn = (error: unknown): number | undefined => {
  const { cause } = Object(error)
  const [, lost] = new RegExp(`${LOST}(\\d+)`).exec(String(Object(cause).message)) ?? []
  return lost === undefined ? undefined : Number(lost)
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

/** Replaces U+0000 by U+FFFD; not in an id, which tells rows apart. */
const withoutNul = (column: TableColumn): TableColumn => {
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

/** U+0000 as JSON escapes it, after an even number of backslashes. */
const ZERO = /(?<!\\)(?:\\\\)*\\u0000/
const ZEROS = new RegExp(ZERO, 'g')
