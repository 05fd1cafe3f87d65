/**
 * Resources by their numbers, which count from 0 in order of creation. They may be replaced and taken
 * out, and never changed. The `request_id` of one that was taken out stays used.
 */
import { O, pipe } from '../fp.js'
import { append, find, type Table, table } from './Table.js'
import { at, push, set, toArray, type Vector, vector } from './Vector.js'

// model

export interface Numbered {
  /** Its place in the order of creation. */
  readonly n: number
  readonly request_id: string
}

export interface Register<A extends Numbered> {
  readonly rows: Vector<O.Option<A>>
  readonly requestIds: Table<string>
}

// constructors

export const register = <A extends Numbered>(): Register<A> => ({
  rows: vector,
  requestIds: table((requestId) => requestId),
})

// combinators

/** The number of the next one. */
export const next = <A extends Numbered>({ rows }: Register<A>): number => rows.length

export const isTaken =
  (requestId: string) =>
  <A extends Numbered>({ requestIds }: Register<A>): boolean =>
    O.isSome(find(requestId)(requestIds))

/** A new one, whose number is `next`. */
export const add =
  <A extends Numbered>(row: A) =>
  ({ rows, requestIds }: Register<A>): Register<A> => ({
    rows: push<O.Option<A>>(O.some(row))(rows),
    requestIds: append(row.request_id)(requestIds),
  })

export const get =
  (n: number) =>
  <A extends Numbered>({ rows }: Register<A>): O.Option<A> =>
    pipe(rows, at(n), O.flatten)

/** In place of the one with the same number. */
export const put =
  <A extends Numbered>(row: A) =>
  ({ rows, requestIds }: Register<A>): Register<A> => ({
    rows: set<O.Option<A>>(row.n, O.some(row))(rows),
    requestIds,
  })

export const remove =
  (n: number) =>
  <A extends Numbered>({ rows, requestIds }: Register<A>): Register<A> => ({
    rows: set<O.Option<A>>(n, O.none)(rows),
    requestIds,
  })

/** Those that are there, oldest first. */
export const all = <A extends Numbered>({ rows }: Register<A>): ReadonlyArray<A> =>
  toArray(rows).flatMap((row) => (O.isSome(row) ? [row.value] : []))
