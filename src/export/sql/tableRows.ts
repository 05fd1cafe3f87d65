/** Rows of a table as they are counted and looked up, by statements that SQLite and Postgres take alike. */

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

// model

/** Runs a statement, whose parameters are `$1`, `$2` and so on. Rejects with an `ExportError`. */
export type Query<V = unknown> = (
  sql: string,
  values?: ReadonlyArray<V>,
) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>

/** How a database has times and lists of texts. `V`: the values of parameters. */
export interface Dialect<V> {
  /** Selects a time of a column, as SQL ... */
  readonly time: (column: string) => string
  /** ... which comes so, and is in ms since 1970. */
  readonly millisOf: (found: unknown) => Millis
  /** Makes a parameter of a time in whole seconds since 1970. */
  readonly second: (second: Seconds) => V
  /** Returns whether a column has one of several texts, as SQL ... */
  readonly isAmong: (column: string, parameter: string) => string
  /** ... of which this makes the parameter. */
  readonly texts: (texts: ReadonlyArray<string>) => V
}

/** The rows of a table that are there: how they are counted, by time or by parent, and found. */
export interface TableRows {
  readonly counted: Omit<CountedRows, 'markGone'>
  readonly children: Omit<ChildRows, 'markGone'>
  readonly open: NonNullable<Destination<never>['open']>
  /** Resolves with how many there are. */
  readonly total: () => Promise<number>
}

/** A table that is only read. */
export interface OpenedTable {
  readonly counted: TableRows['counted']
  /** The texts that its sync has kept beside it. */
  readonly store: Pick<Store, 'read'>
  readonly close: () => Promise<void>
}

// constructors

/** Reads the rows of a table, named as SQL. `isMarked`: it has a column for rows that are gone. */
export const tableRows = <V>(
  query: Query<V | string>,
  { time, millisOf, second, isAmong, texts }: Dialect<V>,
  table: string,
  isMarked = true,
): TableRows => {
  const isThere = isMarked ? `${GONE} IS NULL` : 'true'
  const secondOf = (found: unknown): Seconds => Math.floor(millisOf(found) / 1_000) || 0 // it has none
  const versionIn = ({ status, updated }: Readonly<Record<string, unknown>>) => ({
    status: String(status),
    updated: millisOf(updated),
  })
  /** `values`: those of the parameters that `select` has. */
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
      ids: async (rows) => (await selected(rows, { select: 'id' })).map(({ id }) => String(id)),
      versions: async (rows) => {
        const columns = `id, status, ${time('updated_at')} AS updated`
        const sql = `SELECT ${columns} FROM ${table} WHERE ${isAmong('id', '$1')} AND ${isThere}`
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
      const columns = `id, status, ${time('created_at')} AS created, ${time('updated_at')} AS updated`
      const sql = `SELECT ${columns} FROM ${table} WHERE ${isThere} AND NOT ${isAmong('status', '$1')}`
      return (await query(sql, [texts(final)])).map((row) => ({
        ...{ id: String(row.id), created: secondOf(row.created) },
        ...versionIn(row),
      }))
    },
    total: async () => Number((await query(`SELECT count(*) AS total FROM ${table}`))[0]?.total),
  }
}

/** Which texts a store has, and how they are changed. */
export interface TableStoreOptions {
  /** The table of the texts, as SQL. */
  readonly state: string
  /** The table whose texts they are. */
  readonly table: string
  readonly query: Query<string>
  /** Runs a statement that changes something. Default: as `query`. */
  readonly change?: Query<string>
}

/** The name of a text in a table that has those of all tables. */
export const textName = (table: string, name: string): string => `${table}/${name}`

/** Reads and removes the texts that are kept beside a table. */
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
