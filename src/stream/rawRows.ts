/**
 * Arrays of rows that carry their original JSON text. A destination can copy the text instead of serializing the rows, which is
 * faster and keeps the service's own digits, field order and escapes.
 *
 * Only this file knows how the text is attached to an array. Arrays from `pickRows` or `gatherRows` keep the text. Any other
 * copy is an ordinary array, whose rows are serialized.
 */

import type { Allocate } from './bytes.js'
import { joinBytes } from './bytes.js'

/** The JSON text of rows, as UTF-8. */
export interface RowText {
  readonly length: number
  /** Joins the text of some rows, given by ascending indices, into bytes from `allocate` or into new bytes. */
  readonly join: (indices: ReadonlyArray<number>, around: Around, allocate?: Allocate) => Uint8Array
}

export interface Around {
  /** Text before the first row. */
  readonly before?: string
  /** Text between two rows. */
  readonly between: string
  /** Text after the last row. */
  readonly after?: string
}

/** Splits the text on the first call. Returns undefined if the response cannot be split into rows. */
type LazyText = () => RowText | undefined

const text: unique symbol = Symbol('text of the rows')

type RowsWithText<A> = ReadonlyArray<A> & { readonly [text]?: LazyText }

/** Attaches the text of rows to their array. */
export const withRowText = <A>(rows: ReadonlyArray<A>, lazy: LazyText): ReadonlyArray<A> =>
  Object.defineProperty(rows, text, { value: lazy, configurable: true })

/** Attaches the text of some rows of `from`, given by their indices, to an array of these rows. */
export const withRowTextOf = <A>(
  from: ReadonlyArray<unknown>,
  indices: ReadonlyArray<number>,
  rows: ReadonlyArray<A>,
): ReadonlyArray<A> =>
  hasRowText(from)
    ? withRowText(rows, () => {
        const all = rowText(from)
        return all && someOf(all, indices)
      })
    : rows

export const hasRowText = (rows: ReadonlyArray<unknown>): boolean => Reflect.has(rows, text)

/** Returns the text of rows if their array carries it. */
export const rowText = (rows: RowsWithText<unknown>): RowText | undefined => rows[text]?.()

/** Returns the rows at some indices, with their text. */
export const pickRows = <A>(
  rows: ReadonlyArray<A>,
  indices: ReadonlyArray<number>,
): ReadonlyArray<A> => {
  const [first = 0] = indices
  const end = first + indices.length
  const isRange = indices.length === 0 || indices.at(-1) === end - 1 // in most cases, of rows sorted by time
  const picked = isRange ? rows.slice(first, end) : indices.flatMap((i) => rows.slice(i, i + 1))
  return withRowTextOf(rows, indices, picked)
}

/** Returns a range of rows, with their text. */
export const sliceRows = <A>(
  rows: ReadonlyArray<A>,
  from: number,
  to: number,
): ReadonlyArray<A> => {
  if (from === 0 && to >= rows.length) return rows
  const some = rows.slice(from, to)
  return withRowTextOf(
    rows,
    some.map((_, i) => from + i),
    some,
  )
}

/** Returns the rows of several arrays, with their text if all arrays carry it. */
export const gatherRows = <A>(
  places: ReadonlyArray<{ readonly rows: ReadonlyArray<A>; readonly index: number }>,
): ReadonlyArray<A> => {
  const gathered = places.flatMap(({ rows, index }) => rows.slice(index, index + 1))
  if (!places.every(({ rows }) => hasRowText(rows))) return gathered
  return withRowText(gathered, () => {
    const texts = places.flatMap(({ rows, index }) => {
      const all = rowText(rows)
      return all === undefined ? [] : [someOf(all, [index])]
    })
    return texts.length === places.length ? concatenated(texts) : undefined
  })
}

const someOf = (all: RowText, indices: ReadonlyArray<number>): RowText => ({
  length: indices.length,
  join: (some, around, allocate) =>
    all.join(
      some.map((i) => indices[i] ?? all.length),
      around,
      allocate,
    ),
})

const concatenated = (texts: ReadonlyArray<RowText>): RowText => ({
  length: texts.length,
  join: (
    indices,
    { before = '', between, after = '' },
    allocate = (length) => new Uint8Array(length),
  ) => {
    const separator = encode(between)
    const parts = indices.flatMap((at, i) => {
      const row = texts.slice(at, at + 1).map((one) => one.join([0], { between: '' }))
      return i === 0 ? row : [separator, ...row]
    })
    return joinBytes([encode(before), ...parts, encode(after)], allocate)
  },
})

const encode = (s: string): Uint8Array => new TextEncoder().encode(s)
