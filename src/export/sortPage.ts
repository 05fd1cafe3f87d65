import { isOverflow } from '../decode/decodeSafely.js'
import { parseExact } from '../decode/index.js'
import { E, memoized } from '../fp.js'
import { rowId } from '../http/answer/rowId.js'
import { hasRowText, rowText, withRowTextOf } from '../stream/rawRows.js'
import { mayRepeat } from './mayRepeat.js'
import type { AnyPosition, SourcePage } from './SourcePage.js'

// model

/** A row that is not written, and why. */
export interface Reject {
  /** What asks for its page again. */
  readonly position: AnyPosition
  /** Which row of its page, from 0. */
  readonly index: number
  /** Why it is not written: names the field, not its value. */
  readonly reason: string
  /** The row as it came; the digits of its numbers are kept beside it where they are known: see `digitsOf`. */
  readonly row: unknown
}

/** The rows of a page, each where it belongs. */
export interface Sorted<B> {
  readonly good: ReadonlyArray<B>
  readonly bad: ReadonlyArray<Reject>
  /** Rows that were there before. */
  readonly repeated: number
}

/** Which rows are written: each once, and none that cannot be. */
export interface Sorting<A, B> {
  /** Rows for which it is false are left out. */
  readonly filter?: ((row: A) => boolean) | undefined
  /** The row to write in place of one that came; without it, the row itself. */
  readonly map?: ((row: A) => B) | undefined
  /** Two rows with the same key are the same row; one without a key is like no other. */
  readonly key: (row: B) => string | undefined
  /** Why a row that decoded cannot be written all the same, if it cannot: see `Format`. */
  readonly misfit?:
    | ((row: B, isExact: boolean) => { readonly message: string } | undefined)
    | undefined
  /** A row that did not decode, as it may be kept: without what is secret. */
  readonly shown: (raw: unknown) => unknown
}

/** Rows that came in pages before. */
export interface Known {
  /** The keys of those that were written. */
  readonly seen: Set<string>
  /** The ids of those that were put aside, where rows are told apart by their ids. */
  readonly aside?: Set<string>
}

// constructors

/**
 * Rows that came before are left out; the others are known from then on. Without `before`, rows are told apart within
 * their page.
 */
export const sortPage = <A, B>(
  { filter, map, key, misfit, shown }: Sorting<A, B>,
  before?: Known,
) => {
  const rowOf = map ?? ((row: A) => row as unknown as B) // without a `map`, `B` is `A`
  const twice = mayRepeat(key)
  return ({ items, raw, position }: SourcePage<A>): Sorted<B> => {
    const fit: Array<B> = []
    let places: Array<number> | undefined // where each of them stands, once one is left out
    const bad: Array<Reject> = []
    let again = 0
    const rawRow = exactRows(raw)
    const leaveOut = (index: number): void => {
      places ??= Array.from({ length: index }, (_, i) => i)
    }
    const reject = (index: number, reason: string): void => {
      leaveOut(index)
      if (before?.aside && !isFirst(before.aside, rowId(raw[index]))) again++
      else bad.push({ position, index, reason, row: shown(rawRow(index)) })
    }
    const unchanged =
      hasRowText(raw) &&
      map === undefined &&
      items.every((item, i) => E.isLeft(item) || item.right === raw[i])
    let index = -1
    for (const item of items) {
      index++
      if (E.isLeft(item)) {
        reject(index, item.left.message)
        continue
      }
      const came = item.right
      if (filter !== undefined && !filter(came)) {
        leaveOut(index)
        continue
      }
      const row = rowOf(came)
      const wrong = misfit?.(row, unchanged)
      if (wrong !== undefined) {
        reject(index, wrong.message)
        continue
      }
      fit.push(row)
      places?.push(index)
    }

    const all = before === undefined && !twice(fit)
    const known = before?.seen ?? new Set()
    const isNew = all ? undefined : fit.map((row) => isFirst(known, key(row)))
    const kept = <B>(list: ReadonlyArray<B>): ReadonlyArray<B> =>
      isNew === undefined ? list : list.filter((_, i) => isNew[i])
    const good = kept(fit)
    return {
      good: unchanged ? withRowTextOf(raw, kept(places ?? fit.map((_, i) => i)), good) : good,
      bad,
      repeated: again + fit.length - good.length,
    }
  }
}

/** Whether it was not known; from now on it is. */
const isFirst = (known: Set<string>, name: string | undefined): boolean => {
  const { size } = known
  return name === undefined || known.add(name).size > size
}

/** Reads a row by its index with the digits of its numbers, if its text is known and not nested too deeply. */
const exactRows = (raw: ReadonlyArray<unknown>) => {
  const text = memoized(() => rowText(raw))
  return (index: number): unknown => {
    const all = text()
    if (all === undefined) return raw[index]
    try {
      return parseExact(new TextDecoder().decode(all.join([index], { between: '' })))
    } catch (thrown) {
      if (!isOverflow(thrown)) throw thrown
      return raw[index]
    }
  }
}
