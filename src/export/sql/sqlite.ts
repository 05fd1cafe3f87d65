/** A table of an SQLite database, through `node:sqlite`: no dependency, one file. */
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { fieldsOf } from '../../decode/unknown.js'
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import type { ColumnType } from '../column/Shape.js'
import type { Stored } from '../column/storedValue.js'
import { isoMicros } from '../column/time.js'
import { exportError } from '../ExportError.js'
import type { Reject } from '../source/sortPage.js'
import {
  type ChildRows,
  type CountedRows,
  type Destination,
  GONE,
  PARENT,
  type Prepared,
} from '../transfer/Destination.js'
import { BUSY, codeOf, errorAt } from './sqliteErrors.js'
import { childrenIn, countedIn, secondOfText } from './sqliteRows.js'
import type { TableColumn } from './TableColumn.js'
import {
  createIndex,
  createTable,
  missingColumns,
  quoted,
  rejectsTable,
  rejectText,
  rowsLost,
  STATE,
  type TableOptions,
  upsert,
} from './table.js'

// model

/** Which file, and which table in it. */
export interface SqliteOptions extends TableOptions {
  readonly path: string
  /** Resolves after so many ms. */
  readonly pause: (ms: number) => Promise<void>
}

/** How often a database that another program has locked is tried, and the pause between, in ms. */
const TRIES = 150
const PAUSE = 200

/** Types of columns. Decimals are text: SQLite has no exact ones, and would make them floating-point numbers. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'TEXT',
  time: 'TEXT',
  boolean: 'INTEGER',
  integer: 'INTEGER',
  decimal: 'TEXT',
  json: 'TEXT',
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
  const { path, table, shape, replaces, ofParents = false, doubtful, pause } = options
  const { columns } = shape
  const { DatabaseSync } = await import('node:sqlite').catch((error: unknown) => {
    const why = `cannot write ${path}: this runtime has no node:sqlite, which Node has from 22.13 on`
    throw exportError('UnusableDestination', why, { destination: path }, error)
  })
  const located = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw errorAt(path, error)
    }
  }

  const db = located(() => new DatabaseSync(path))
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) db.close()
    isOpen = false
  }

  /** Does something in one transaction. What other programs lock is waited for. */
  const transaction = async <T>(work: () => T): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        db.exec('BEGIN IMMEDIATE')
        const done = work()
        db.exec('COMMIT')
        return done
      } catch (error) {
        rollBack(db)
        if (codeOf(error) !== BUSY || tries === TRIES) throw errorAt(path, error)
      }
      await pause(PAUSE)
    }
  }

  const one = (sql: string, ...values: ReadonlyArray<SQLInputValue>) => {
    const found = db.prepare(sql).get(...values)
    return found === undefined ? undefined : fieldsOf({ ...found })
  }

  const wanted = [
    ...columns.map(({ name, type }) => ({ name, type: TYPES[type] })),
    ...(replaces ? [] : [{ name: GONE, type: TYPES.time }]),
  ]
  let added: ReadonlyArray<string> = []
  const prepare = (): void => {
    db.exec(
      `CREATE TABLE IF NOT EXISTS ${STATE} (name TEXT PRIMARY KEY, text TEXT NOT NULL, version TEXT NOT NULL)`,
    )
    db.exec(createTable(table, wanted))
    const found = db.prepare(`PRAGMA table_xinfo(${quoted(table)})`).all()
    const missing = missingColumns(`${path}: table ${table}`, wanted, {
      columns: found.map(({ name, type, hidden, notnull, dflt_value, pk }) => ({
        name: String(name),
        type: String(type),
        isGenerated: hidden !== 0,
        isNeeded: notnull !== 0 && dflt_value === null && pk === 0 && hidden === 0,
      })),
      key: found.filter(({ pk }) => pk !== 0).map(({ name }) => String(name)),
    })
    const some = one(`SELECT 1 AS found FROM ${quoted(table)} LIMIT 1`)
    if (some !== undefined) added = missing.map(({ name }) => name)
    for (const { name, type } of missing) {
      db.exec(`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(name)} ${type}`)
    }
    if (ofParents) db.exec(createIndex(table, PARENT.id))
    if (replaces) db.exec(createTable(NEXT, wanted))
  }

  try {
    await transaction(prepare)
  } catch (error) {
    await close()
    throw error
  }

  // the store

  const keyOf = (name: string): string => `${table}/${name}`
  const replaceNow = (name: string, text: string, version: string | undefined) => {
    const changed =
      version === undefined
        ? one(
            `INSERT INTO ${STATE} VALUES (?, ?, ${NEW_VERSION}) ON CONFLICT DO NOTHING RETURNING version`,
            keyOf(name),
            text,
          )
        : one(
            `UPDATE ${STATE} SET text = ?, version = ${NEW_VERSION} WHERE name = ? AND version = ? RETURNING version`,
            text,
            keyOf(name),
            version,
          )
    return changed === undefined ? undefined : String(changed.version)
  }
  const store: Store = {
    close,
    read: async (name) =>
      located(() => {
        const found = one(`SELECT text, version FROM ${STATE} WHERE name = ?`, keyOf(name))
        return found && { text: String(found.text), version: String(found.version) }
      }),
    replace: (name, text, version) => transaction(() => replaceNow(name, text, version)),
    remove: (name, version) =>
      transaction(
        () =>
          one(
            `DELETE FROM ${STATE} WHERE name = ? AND version = ? RETURNING name`,
            keyOf(name),
            version,
          ) !== undefined,
      ),
  }

  // rows

  let insert: StatementSync | undefined
  const write = (rows: ReadonlyArray<A>): void => {
    const places = columns.map(() => '?').join(', ')
    insert ??= db.prepare(
      upsert({
        into: quoted(replaces ? NEXT : table),
        columns,
        rows: `VALUES (${places})`,
        when: { doubtful },
        isMarked: !replaces,
      }),
    )
    for (const row of rows) insert.run(...columns.map((column) => sqlValue(column, row)))
  }

  /** Each row is looked for by its key. */
  const checkArrived = (rows: ReadonlyArray<unknown>): void => {
    if (rows.length === 0) return
    const ids = rows.map((row) => fieldsOf(row).id)
    const sql = `SELECT count(*) AS lost FROM json_each(?) AS row WHERE (SELECT true FROM ${quoted(table)} WHERE id = row.value) IS NULL`
    const lost = Number(one(sql, JSON.stringify(ids))?.lost)
    if (lost > 0) throw rowsLost(path, table, lost, rows.length)
  }

  const putInPlace = (): void => {
    const names = columns.map(({ name }) => quoted(name)).join(', ')
    const [into, from] = [quoted(table), quoted(NEXT)]
    db.exec(`DELETE FROM ${into} WHERE id NOT IN (SELECT id FROM ${from})`)
    const rows = `SELECT ${names} FROM ${from} WHERE true` // else its ON would be one of a join
    db.exec(upsert({ into, columns, rows, when: 'always', isMarked: false }))
    const [all, kept] = [from, into].map((name) =>
      Number(one(`SELECT count(*) AS n FROM ${name}`)?.n),
    )
    if (all !== undefined && kept !== undefined && kept < all) {
      throw rowsLost(path, table, all - kept, all)
    }
    db.exec(`DELETE FROM ${from}`)
  }

  const hasRejects = (): boolean =>
    one('SELECT 1 AS found FROM sqlite_master WHERE name = ?', rejectsTable(table)) !== undefined
  const keepRejects = (rows: ReadonlyArray<Reject>): void => {
    if (rows.length === 0) return
    const name = quoted(rejectsTable(table))
    db.exec(
      `CREATE TABLE IF NOT EXISTS ${name} (run INTEGER NOT NULL, reason TEXT NOT NULL, row TEXT NOT NULL)`,
    )
    const insert = db.prepare(`INSERT INTO ${name} VALUES (?, ?, ?)`)
    for (const { reason, row } of rows) insert.run(fence, reason, rejectText(row))
  }
  /** All that earlier runs could not write was read again by this one. */
  const dropRejects = (): void => {
    if (hasRejects()) db.exec(`DELETE FROM ${quoted(rejectsTable(table))} WHERE run < ${fence}`)
  }

  // rows that are there

  const leave = (ids: ReadonlyArray<string>, ms: Millis): void => {
    const at = isoMicros(BigInt(ms) * 1_000n)
    gone = [...gone, ...ids.map((id) => ({ id, at }))]
  }
  const counted: CountedRows = {
    ...countedIn(db, table, located),
    markGone: async (ids, at) => leave(ids, at),
  }
  const children: ChildRows = {
    ...childrenIn(db, table, located),
    markGone: async (_, ids, at) => leave(ids, at),
  }
  const mark = (ids: typeof gone): void => {
    for (const { id, at } of ids) {
      db.prepare(`UPDATE ${quoted(table)} SET ${GONE} = ? WHERE id = ?`).run(at, id)
    }
  }

  let gone: ReadonlyArray<{ readonly id: string; readonly at: string }> = []
  let fence = 0
  let rows: ReadonlyArray<A> = []
  let rejects: ReadonlyArray<Reject> = []
  /** Takes what waits, and the rest of the step, into the transaction that replaces the state. */
  const prepared = (rest: () => void): Prepared => {
    const [written, rejected, lost] = [rows, rejects, gone]
    rows = []
    gone = []
    rejects = []
    return {
      store: {
        ...store,
        replace: (name, text, version) =>
          transaction(() => {
            const next = replaceNow(name, text, version)
            if (next === undefined) return undefined
            write(written)
            if (!replaces) checkArrived(written)
            mark(lost)
            keepRejects(rejected)
            rest()
            return next
          }),
      },
    }
  }

  return {
    name: path,
    commitEvery: STEP_EVERY,
    store,
    added,
    check: shape.check,
    resume: async (_, taken) => {
      fence = taken.fence
    },
    write: async (page) => {
      rows = rows.length === 0 ? page : [...rows, ...page]
    },
    reject: async (page) => {
      rejects = [...rejects, ...page]
    },
    commit: async () => prepared(() => {}),
    finish: async () =>
      prepared(() => {
        dropRejects()
        if (replaces) putInPlace()
      }),
    ...(replaces
      ? {
          rowsThere: async () =>
            located(() => Number(one(`SELECT count(*) AS n FROM ${quoted(table)}`)?.n)),
        }
      : {}),
    ...(ofParents ? { children } : {}),
    ...(replaces || ofParents
      ? {}
      : {
          counted,
          open: async (final) =>
            located(() => {
              const where = `${GONE} IS NULL AND status NOT IN (${final.map(() => '?').join(', ')})`
              return db
                .prepare(
                  `SELECT id, status, created_at, updated_at FROM ${quoted(table)} WHERE ${where}`,
                )
                .all(...final)
                .map(({ id, status, created_at, updated_at }) => ({
                  id: String(id),
                  status: String(status),
                  created: secondOfText(created_at),
                  updated: Date.parse(String(updated_at)),
                }))
            }),
        }),
    close: async () => {}, // all is done in one transaction
  }
}

const sqlValue = ({ type, of }: TableColumn, row: unknown): SQLInputValue => {
  const value: Stored = of(row)
  if (typeof value === 'boolean') return value ? 1 : 0
  return type === 'time' && typeof value === 'bigint' ? isoMicros(value) : value
}

/** Ends the transaction of a connection, if it has one: Node 22.15 cannot tell. */
const rollBack = (db: { readonly exec: (sql: string) => void }): void => {
  try {
    db.exec('ROLLBACK')
  } catch {
    // none had begun, or SQLite has ended it
  }
}
