/**
 * Resources by their numbers, which count from 0 in order of creation. They may be replaced and taken
 * out, and never changed. The `request_id` of one that was taken out stays used. Those that were there from the start
 * are made when they are asked for, and kept once they are changed.
 */
import { defined, O, pipe } from '../fp.js'
import { append, find, type Table, table } from './Table.js'
import { at, blank, push, set, type Vector } from './Vector.js'
import type { Walk } from './Walk.js'

// model

export interface Numbered {
  /** Its place in the order of creation. */
  readonly n: number
  readonly request_id: string
}

/** What there is from the start: functions of a number, so a million are as cheap as one. */
export interface Origin<A extends Numbered> {
  readonly count: number
  /** The n-th, from 0: the same whenever it is asked for. */
  readonly row: (n: number) => A
  /** Whether one of them has it. */
  readonly isTaken: (requestId: string) => boolean
}

export interface Collection<A extends Numbered> {
  /** Undefined for one that is as it was from the start. */
  readonly rows: Vector<O.Option<A> | undefined>
  /** Of those that came later. */
  readonly requestIds: Table<string>
  readonly origin?: Origin<A>
}

// constructors

export const collection = <A extends Numbered>(origin?: Origin<A>): Collection<A> => ({
  rows: blank(origin?.count ?? 0),
  requestIds: table((requestId) => requestId),
  ...defined({ origin }),
})

// combinators

/** The number of the next one. */
export const next = <A extends Numbered>({ rows }: Collection<A>): number => rows.length

export const isTaken =
  (requestId: string) =>
  <A extends Numbered>({ requestIds, origin }: Collection<A>): boolean =>
    origin?.isTaken(requestId) === true || O.isSome(find(requestId)(requestIds))

/** A new one, whose number is `next`. */
export const add =
  <A extends Numbered>(row: A) =>
  (to: Collection<A>): Collection<A> => ({
    ...to,
    rows: push<O.Option<A> | undefined>(O.some(row))(to.rows),
    requestIds: append(row.request_id)(to.requestIds),
  })

export const get =
  (n: number) =>
  <A extends Numbered>({ rows, origin }: Collection<A>): O.Option<A> => {
    if (n < 0 || n >= rows.length) return O.none
    const kept = pipe(rows, at(n), O.toUndefined)
    return kept ?? O.fromNullable(origin?.row(n))
  }

/** In place of the one with the same number. */
export const put =
  <A extends Numbered>(row: A) =>
  (inside: Collection<A>): Collection<A> => ({
    ...inside,
    rows: set<O.Option<A> | undefined>(row.n, O.some(row))(inside.rows),
  })

export const remove =
  (n: number) =>
  <A extends Numbered>(from: Collection<A>): Collection<A> => ({
    ...from,
    rows: set<O.Option<A> | undefined>(n, O.none)(from.rows),
  })

/** Those that are there, in the order of creation. */
export const walk = <A extends Numbered>(collection: Collection<A>): Walk<A> =>
  function* (from, step) {
    const last = next(collection) - 1
    const first = step === 1 ? Math.max(0, from) : Math.min(last, from)
    for (let n = first; n >= 0 && n <= last; n += step) {
      const row = get(n)(collection)
      if (O.isSome(row)) yield row.value
    }
  }

/** All of them, oldest first. */
export const all = <A extends Numbered>(collection: Collection<A>): ReadonlyArray<A> => [
  ...walk(collection)(0, 1),
]
