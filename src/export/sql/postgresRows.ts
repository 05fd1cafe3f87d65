/** Rows of a table of Postgres, as they are counted; and a table that is opened for reading only. */
import type { Counted } from '../../changes/proof/Counting.js'
import { type ChildRows, type CountedRows, GONE, PARENT } from '../transfer/Destination.js'
import { PostgresConnection, type Query } from './PostgresConnection.js'
import { countChildren, noSuchTable, quoted, STATE, type TableRows } from './table.js'

/** A time of change in ms since 1970, and one of creation in seconds. */
export const UPDATED = 'floor(extract(epoch FROM updated_at) * 1000) AS updated'
export const SECOND = 'floor(extract(epoch FROM created_at)) AS second'

/** Counts rows of a table, as SQL; `isMarked`: it has a column for rows that are gone. */
export const countedIn = (
  query: Query,
  table: string,
  isMarked = true,
): Omit<CountedRows, 'markGone'> => {
  const isThere = isMarked ? `${GONE} IS NULL` : 'true'
  const there = (
    { status, from, to }: Counted,
    select: string,
    rest = '',
    ...values: ReadonlyArray<unknown>
  ) =>
    query(
      `SELECT ${select} FROM ${table} WHERE ${isThere} AND created_at < $1
        AND ($2::timestamptz IS NULL OR created_at >= $2) AND ($3::text IS NULL OR status = $3) ${rest}`,
      [
        new Date((to + 1) * 1_000),
        from > -Infinity ? new Date(from * 1_000) : null,
        status ?? null,
        ...values,
      ],
    )
  return {
    count: async (rows) => Number((await there(rows, 'count(*) AS total'))[0]?.total),
    nth: async (rows, n) => {
      const [found] = await there(rows, SECOND, 'ORDER BY created_at LIMIT 1 OFFSET $4', n)
      return found === undefined ? undefined : Number(found.second)
    },
    ids: async (rows) => (await there(rows, 'id')).map(({ id }) => String(id)),
    versions: async (rows) => {
      const sql = `SELECT id, status, ${UPDATED} FROM ${table} WHERE id = ANY($1::text[]) AND ${isThere}`
      const found = await query(sql, [rows.map(({ id }) => id)])
      return new Map(
        found.map(({ id, status, updated }) => [
          String(id),
          { status: String(status), updated: Number(updated) },
        ]),
      )
    },
  }
}

const OLDEST = `floor(extract(epoch FROM min(${PARENT.updated})) * 1000)`

/** Counts the rows of a table, as SQL, by their parent. */
export const childrenIn = (query: Query, table: string): Omit<ChildRows, 'markGone'> => ({
  counts: async () =>
    new Map(
      (await query(countChildren(table, OLDEST))).map(({ parent, total, oldest }) => [
        String(parent),
        { rows: Number(total), oldest: Number(oldest) },
      ]),
    ),
  ids: async (parent) => {
    const sql = `SELECT id FROM ${table} WHERE ${PARENT.id} = $1 AND ${GONE} IS NULL`
    return (await query(sql, [parent])).map(({ id }) => String(id))
  },
})

/** Opens a table, and changes nothing. `name`: that of the database, without secrets. Rejects with an `ExportError`. */
export const openPostgresRows = async (
  url: string,
  name: string,
  table: string,
): Promise<TableRows> => {
  const connection = await PostgresConnection.open(url, name, 'read')
  const { query } = connection
  const close = (): Promise<void> => connection.close()
  try {
    const state = quoted([...table.split('.').slice(0, -1), STATE].join('.'))
    const isThere = 'to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS found'
    const [{ found } = {}] = await query(`SELECT ${isThere}`, [quoted(table), state])
    if (found !== true) throw noSuchTable(name, table)
    const marked = await query(
      'SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped',
      [quoted(table), GONE],
    )
    return {
      counted: countedIn(query, quoted(table), marked.length > 0),
      text: async (of) => {
        const [kept] = await query(`SELECT text FROM ${state} WHERE name = $1`, [`${table}/${of}`])
        return kept === undefined ? undefined : String(kept.text)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
