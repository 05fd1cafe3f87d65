/** Counts and looks up rows of a table, with statements that work in both SQLite and Postgres. */

import type { Seconds } from '../../changes/Ledger.js'
import type { Counted } from '../../changes/proof/Counting.js'
import type { Store } from '../../store/Store.js'
import type { Millis } from '../../stream/index.js'
import {
  type ChildRows,
  type CountedRows,
  type Destination,
  GONE,
  PARENT,
} from '../transfer/Destination.js'

/** Runs a statement with the parameters `$1`, `$2` and so on. Rejects with an `ExportError`. */
export type Query<V = unknown> = (
  sql: string,
  values?: ReadonlyArray<V>,
) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>

/** How a database represents times and lists of texts. `V`: the values of parameters. */
export interface Dialect<V> {
  /** Returns SQL that selects the time in a column. */
  readonly time: (column: string) => string
  /** Converts a selected time to ms since 1970. */
  readonly millisOf: (found: unknown) => Millis
  /** Converts a time in whole seconds since 1970 to a parameter. */
  readonly second: (second: Seconds) => V
  /** Returns SQL that tests whether a column has one of several texts. */
  readonly isAmong: (column: string, parameter: string) => string
  /** Converts several texts to a parameter. */
  readonly texts: (texts: ReadonlyArray<string>) => V
}

/** The existing rows of a table. Counts them by time or by parent, and finds them. */
export interface TableRows {
  readonly counted: Omit<CountedRows, 'markGone'>
  readonly children: Omit<ChildRows, 'markGone'>
  readonly open: NonNullable<Destination<never>['open']>
  readonly ids: () => Promise<ReadonlyArray<string>>
}

/** A table that is only read. */
export interface OpenedTable {
  readonly counted: TableRows['counted']
  /** The texts that its sync has stored for it. */
  readonly store: Pick<Store, 'read'>
  readonly close: () => Promise<void>
}

/** Reads the rows of a table, whose name is given as SQL. `isMarked`: the table has a column for rows that are gone. */
export const tableRows = <V>(
  query: Query<V | string>,
  { time, millisOf, second, isAmong, texts }: Dialect<V>,
  table: string,
  isMarked = true,
): TableRows => {
  const isThere = isMarked ? `${GONE} IS NULL` : 'true'
  const secondOf = (found: unknown): Seconds => Math.floor(millisOf(found) / 1_000) || 0 // the table does not have this column
  const version = `id, status, ${time('created_at')} AS created, ${time('updated_at')} AS updated`
  const rowIn = (row: Readonly<Record<string, unknown>>) => ({
    id: String(row.id),
    ...versionIn(row),
  })
  const versionIn = ({ status, created, updated }: Readonly<Record<string, unknown>>) => ({
    status: String(status),
    created: secondOf(created),
    updated: millisOf(updated),
  })
  /** Returns the selected rows. `values`: the parameters of `select`. */
  const selected = (
    { status, from, to }: Counted,
    {
      select,
      rest = '',
      values = [],
    }: { select: string; rest?: string; values?: ReadonlyArray<V> },
  ) => {
    const bounds: ReadonlyArray<readonly [string, V | string]> = [
      ['created_at <', second(to + 1)],
      ...(from > Number.NEGATIVE_INFINITY ? [['created_at >=', second(from)] as const] : []),
      ...(status === undefined ? [] : [['status =', status] as const]),
    ]
    const where = [isThere, ...bounds.map(([bound], i) => `${bound} $${values.length + i + 1}`)]
    return query(`SELECT ${select} FROM ${table} WHERE ${where.join(' AND ')} ${rest}`, [
      ...values,
      ...bounds.map(([, value]) => value),
    ])
  }
  return {
    counted: {
      counts: async (stretches) => {
        const [first] = stretches
        const last = stretches.at(-1)
        if (first === undefined || last === undefined) return []
        const ends = stretches.slice(0, -1).map(({ to }) => second(to + 1))
        const cases = ends.map((_, i) => `WHEN created_at < $${i + 1} THEN ${i}`)
        const stretch =
          cases.length === 0 ? '0' : `CASE ${cases.join(' ')} ELSE ${cases.length} END`
        const found = await selected(
          { from: first.from, to: last.to },
          {
            select: `${stretch} AS stretch, status, count(*) AS total`,
            rest: 'GROUP BY 1, 2',
            values: ends,
          },
        )
        const counts = stretches.map(() => new Map<string, number>())
        for (const { stretch, status, total } of found) {
          counts[Number(stretch)]?.set(String(status), Number(total))
        }
        return counts
      },
      nth: async (rows, n) => {
        const [found] = await selected(rows, {
          select: `${time('created_at')} AS created`,
          rest: `ORDER BY created_at LIMIT 1 OFFSET ${n}`,
        })
        return found && secondOf(found.created)
      },
      find: async (rows) => (await selected(rows, { select: version })).map(rowIn),
      versions: async (rows) => {
        const sql = `SELECT ${version} FROM ${table} WHERE ${isAmong('id', '$1')} AND ${isThere}`
        const found = await query(sql, [texts(rows.map(({ id }) => id))])
        return new Map(found.map((row) => [String(row.id), versionIn(row)]))
      },
    },
    children: {
      counts: async () => {
        const oldest = time(`min(${PARENT.updated})`)
        const found = await query(
          `SELECT ${PARENT.id} AS parent, count(*) AS total, ${oldest} AS oldest FROM ${table}
            WHERE ${isThere} AND ${PARENT.id} IS NOT NULL GROUP BY ${PARENT.id}`,
        )
        return new Map(
          found.map(({ parent, total, oldest }) => [
            String(parent),
            { rows: Number(total), oldest: millisOf(oldest) },
          ]),
        )
      },
      ids: async (parent) => {
        const sql = `SELECT id FROM ${table} WHERE ${PARENT.id} = $1 AND ${isThere}`
        return (await query(sql, [parent])).map(({ id }) => String(id))
      },
    },
    open: async (final) => {
      const sql = `SELECT ${version} FROM ${table} WHERE ${isThere} AND NOT ${isAmong('status', '$1')}`
      return (await query(sql, [texts(final)])).map(rowIn)
    },
    ids: async () => (await query(`SELECT id FROM ${table}`)).map(({ id }) => String(id)),
  }
}

export interface TableStoreOptions {
  /** The table of the texts, as SQL. */
  readonly state: string
  /** The table to which the texts belong. */
  readonly table: string
  readonly query: Query<string>
  /** Runs a statement that changes something. Default: same as `query`. */
  readonly change?: Query<string>
}

/** Returns the name of a text in the table that stores the texts of all tables. */
export const textName = (table: string, name: string): string => `${table}/${name}`

/** Reads and removes the texts that belong to a table. */
export const tableTexts = ({
  state,
  table,
  query,
  change = query,
}: TableStoreOptions): Pick<Store, 'read' | 'remove'> => ({
  read: async (name) => {
    const sql = `SELECT text, version FROM ${state} WHERE name = $1`
    const [found] = await query(sql, [textName(table, name)])
    return found && { text: String(found.text), version: String(found.version) }
  },
  remove: async (name, version) => {
    const sql = `DELETE FROM ${state} WHERE name = $1 AND version = $2 RETURNING name`
    return (await change(sql, [textName(table, name), version])).length > 0
  },
})
