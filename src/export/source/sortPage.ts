/** Sorts the rows of a page into those that are written and those that are rejected. */
import { isOverflow } from '../../decode/decodeSafely.js'
import { parseExact } from '../../decode/index.js'
import { E, memoized } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import { hasRowText, rowText, withRowTextOf } from '../../stream/rawRows.js'
import { mayRepeat } from './mayRepeat.js'
import type { AnyPosition, SourcePage } from './SourcePage.js'

// model

/** A row that is not written, and why. */
export interface Reject {
  /** The position of its page; absent of a row that was read by its id. */
  readonly position?: AnyPosition
  /** Which row of its page, from 0. */
  readonly index?: number
  /** Why it is not written: names the field, not its value. */
  readonly reason: string
  /** The row as it came; the digits of its numbers are kept beside it where they are known: see `digitsOf`. */
  readonly row: unknown
}

/** The rows of a page. */
export interface Sorted<B> {
  readonly good: ReadonlyArray<B>
  readonly bad: ReadonlyArray<Reject>
  /** Rows that came before, and are left out. */
  readonly repeated: number
}

/** Settings by which rows are chosen: each is written once, and none that cannot be. */
export interface Sorting<A, B> {
  /** Leaves out rows for which it is false. */
  readonly filter?: ((row: A) => boolean) | undefined
  /** Makes the row to write in place of one that came. */
  readonly map?: ((row: A) => B) | undefined
  /** Two rows with the same key are the same row; one without a key is like no other. */
  readonly key: (row: B) => string | undefined
  /** Returns why a row that decoded cannot be written: see `Format`. */
  readonly check?:
    | ((row: B, isRaw: boolean) => { readonly message: string } | undefined)
    | undefined
  /** Removes secrets from a row that is rejected. */
  readonly redact: (raw: unknown) => unknown
}

/** Rows of earlier pages. */
export interface Known {
  /** The keys of those that were written. */
  readonly seen: Set<string>
  /** The ids of those that were rejected, where rows are told apart by their ids. */
  readonly rejectedIds?: Set<string>
}

// constructors

/**
 * Returns a function that sorts pages. Rows that came before are left out; the others are added to `before`. Without
 * it, rows are told apart within their page.
 */
export const sortPage = <A, B>(
  { filter, map, key, check, redact }: Sorting<A, B>,
  before?: Known,
) => {
  const rowOf = map ?? ((row: A) => row as unknown as B) // without a `map`, `B` is `A`
  const twice = mayRepeat(key)
  return ({ items, raw, position }: SourcePage<A>): Sorted<B> => {
    const fit: Array<B> = []
    let indices: Array<number> | undefined // of those that fit, once one is left out
    const bad: Array<Reject> = []
    let repeated = 0
    const exactRow = exactRows(raw)
    const leaveOut = (index: number): void => {
      indices ??= Array.from({ length: index }, (_, i) => i)
    }
    const reject = (index: number, reason: string): void => {
      leaveOut(index)
      if (before?.rejectedIds && !isFirst(before.rejectedIds, rowId(raw[index]))) repeated++
      else bad.push({ position, index, reason, row: redact(exactRow(index)) })
    }
    const isRaw =
      hasRowText(raw) &&
      map === undefined &&
      items.every((item, i) => E.isLeft(item) || item.right === raw[i])
    let index = -1 // `entries` would allocate for each row
    for (const item of items) {
      index++
      if (E.isLeft(item)) {
        reject(index, item.left.message)
        continue
      }
      if (filter !== undefined && !filter(item.right)) {
        leaveOut(index)
        continue
      }
      let row = rowOf(item.right)
      let problem = check?.(row, isRaw)
      if (problem !== undefined && isRaw) {
        row = exactRow(index) as B // the row itself, with the digits that it came with
        problem = check?.(row, isRaw)
      }
      if (problem !== undefined) {
        reject(index, problem.message)
        continue
      }
      fit.push(row)
      indices?.push(index)
    }

    const isUnique = before === undefined && !twice(fit)
    const known = before?.seen ?? new Set()
    const isNew = isUnique ? undefined : fit.map((row) => isFirst(known, key(row)))
    const kept = <B>(list: ReadonlyArray<B>): ReadonlyArray<B> =>
      isNew === undefined ? list : list.filter((_, i) => isNew[i])
    const good = kept(fit)
    return {
      good: isRaw ? withRowTextOf(raw, kept(indices ?? fit.map((_, i) => i)), good) : good,
      bad,
      repeated: repeated + fit.length - good.length,
    }
  }
}

/** Adds a name. Returns `false` if it was there. */
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

/** Returns a function that returns the keys that were added since it was asked last. */
export const addedTo = (keys: ReadonlySet<string>): (() => ReadonlyArray<string>) => {
  const all = keys.values() // finds those that are added later, until it came to an end
  let taken = 0
  return () => {
    const added: Array<string> = []
    for (; taken < keys.size; taken++) {
      const { value } = all.next()
      if (value !== undefined) added.push(value)
    }
    return added
  }
}
