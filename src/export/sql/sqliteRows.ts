/** Rows of a table of SQLite, as they are counted; and a table that is opened for reading only. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Seconds } from '../../changes/Ledger.js'
import type { Counted } from '../../changes/proof/Counting.js'
import { fieldsOf } from '../../decode/unknown.js'
import { isoMicros } from '../column/time.js'
import { exportError } from '../ExportError.js'
import {
  type ChildCount,
  type ChildRows,
  type CountedRows,
  GONE,
  PARENT,
  type RowVersion,
} from '../transfer/Destination.js'
import { errorAt } from './sqliteErrors.js'
import { countChildren, noSuchTable, quoted, STATE, type TableRows } from './table.js'

/** Counts rows of a table; `isMarked`: it has a column for rows that are gone. */
export const countedIn = (
  db: DatabaseSync,
  table: string,
  located: <T>(work: () => T) => T,
  isMarked = true,
): Omit<CountedRows, 'markGone'> => {
  const isThere = isMarked ? `${GONE} IS NULL` : 'true'
  const there = (
    { status, from, to }: Counted,
    select: string,
    rest = '',
    ...values: ReadonlyArray<SQLInputValue>
  ) => {
    const where = [isThere, 'created_at < ?', ...(from > -Infinity ? ['created_at >= ?'] : [])]
    const bounds = [to + 1, ...(from > -Infinity ? [from] : [])].map((second) =>
      isoMicros(BigInt(second) * 1_000_000n),
    )
    const ofStatus = status === undefined ? '' : ' AND status = ?'
    const sql = `SELECT ${select} FROM ${quoted(table)} WHERE ${where.join(' AND ')}${ofStatus} ${rest}`
    return located(() =>
      db
        .prepare(sql)
        .all(...bounds, ...(status === undefined ? [] : [status]), ...values)
        .map((found) => fieldsOf({ ...found })),
    )
  }
  return {
    count: async (rows) => Number(there(rows, 'count(*) AS total')[0]?.total),
    nth: async (rows, n) => {
      const [found] = there(rows, 'created_at', 'ORDER BY created_at LIMIT 1 OFFSET ?', n)
      return found === undefined ? undefined : secondOfText(found.created_at)
    },
    ids: async (rows) => there(rows, 'id').map(({ id }) => String(id)),
    versions: async (rows) =>
      located(() => {
        const find = db.prepare(
          `SELECT status, updated_at FROM ${quoted(table)} WHERE id = ? AND ${isThere}`,
        )
        const versions = new Map<string, RowVersion>()
        for (const { id } of rows) {
          const found = find.get(id)
          if (found === undefined) continue
          const { status, updated_at } = found
          versions.set(id, { status: String(status), updated: Date.parse(String(updated_at)) })
        }
        return versions
      }),
  }
}

/** Counts the rows of a table by their parent. */
export const childrenIn = (
  db: DatabaseSync,
  table: string,
  located: <T>(work: () => T) => T,
): Omit<ChildRows, 'markGone'> => ({
  counts: async () =>
    located(() => {
      const counts = new Map<string, ChildCount>()
      for (const { parent, total, oldest } of db.prepare(countChildren(quoted(table))).all()) {
        counts.set(String(parent), { rows: Number(total), oldest: Date.parse(String(oldest)) })
      }
      return counts
    }),
  ids: async (parent) =>
    located(() =>
      db
        .prepare(`SELECT id FROM ${quoted(table)} WHERE ${PARENT.id} = ? AND ${GONE} IS NULL`)
        .all(parent)
        .map(({ id }) => String(id)),
    ),
})

/** Returns the second of a time as a table has it; 0 if it has none. */
export const secondOfText = (text: unknown): Seconds => {
  const ms = Date.parse(String(text))
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1_000)
}

/** How long a database is waited for that another program has locked, in ms. */
const LOCKED = 30_000

/** Opens a table, and changes nothing. Rejects with an `ExportError`. */
export const openSqliteRows = async (path: string, table: string): Promise<TableRows> => {
  const { DatabaseSync } = await import('node:sqlite').catch((error: unknown) => {
    const why = `cannot read ${path}: this runtime has no node:sqlite, which Node has from 22.13 on`
    throw exportError('UnusableDestination', why, { destination: path }, error)
  })
  const located = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw errorAt(path, error, 'read')
    }
  }
  const db = located(() => new DatabaseSync(path, { readOnly: true }))
  try {
    db.exec(`PRAGMA busy_timeout = ${LOCKED}`)
    const columnsOf = (name: string): ReadonlyArray<unknown> =>
      located(() =>
        db
          .prepare(`PRAGMA table_info(${quoted(name)})`)
          .all()
          .map((column) => column.name),
      )
    const columns = columnsOf(table)
    if (columns.length === 0 || columnsOf(STATE).length === 0) throw noSuchTable(path, table)
    return {
      counted: countedIn(db, table, located, columns.includes(GONE)),
      text: async (name) => {
        const sql = `SELECT text FROM ${STATE} WHERE name = ?`
        const found = located(() => db.prepare(sql).get(`${table}/${name}`))
        return found === undefined ? undefined : String(found.text)
      },
      close: async () => db.close(),
    }
  } catch (error) {
    db.close()
    throw error
  }
}
