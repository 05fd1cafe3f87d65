/**
 * Rows in order of arrival, found by key, and never changed: `append` gives a longer table and leaves
 * the one it was given as it is. Tables that grew from one another share their memory, so appending
 * is O(1).
 */
import { O } from '../fp.js'

// model

export interface Table<A> {
  readonly length: number
  readonly keyOf: (row: A) => string
  /** Shared with longer tables: the first `length` of them belong to this one. */
  readonly rows: Array<A>
  /** Shared too: where the row of a key is, if it is here. */
  readonly positions: Map<string, number>
}

// constructors

export const table = <A>(keyOf: (row: A) => string, rows: ReadonlyArray<A> = []): Table<A> => ({
  length: rows.length,
  keyOf,
  rows: [...rows],
  positions: new Map(rows.map((row, position) => [keyOf(row), position])),
})

// combinators

/** At the end; a key is that of its first row. A table that another one grew from already is copied first. */
export const append =
  <A>(row: A) =>
  (to: Table<A>): Table<A> => {
    const own = to.rows.length === to.length ? to : table(to.keyOf, toArray(to))
    const key = own.keyOf(row)
    if (!own.positions.has(key)) own.positions.set(key, own.length)
    own.rows.push(row)
    return { ...own, length: own.length + 1 }
  }

export const at =
  (position: number) =>
  <A>({ length, rows }: Table<A>): O.Option<A> =>
    position < length ? O.fromNullable(rows[position]) : O.none

export const find =
  (key: string) =>
  <A>(inside: Table<A>): O.Option<A> =>
    at(inside.positions.get(key) ?? Number.POSITIVE_INFINITY)(inside)

export const toArray = <A>({ length, rows }: Table<A>): ReadonlyArray<A> => rows.slice(0, length)
