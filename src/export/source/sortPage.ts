/** Divides the rows of a page into rows to write and rejected rows. */
import { E } from '../../fp.js'
import { exactRows } from '../../http/answer/rawRows.js'
import { rowId } from '../../http/answer/readAnswer.js'
import { hasRowText, withRowTextOf } from '../../stream/rawRows.js'
import { mayRepeat } from './mayRepeat.js'
import type { AnyPosition, SourcePage } from './SourcePage.js'

/** A row that was not written, and why. */
export interface Reject {
  /** Position of its page. Absent for a row that was read by id. */
  readonly position?: AnyPosition
  /** Index of the row in its page, from 0. */
  readonly index?: number
  /** Why it was not written. Names the field, but not its value. */
  readonly reason: string
  /** The row as received; see `digitsOf` for the exact digits of its numbers. */
  readonly row: unknown
}

export interface Sorted<B> {
  readonly good: ReadonlyArray<B>
  readonly bad: ReadonlyArray<Reject>
  /** Number of repeated rows that were dropped. */
  readonly repeated: number
}

/** How rows are selected. Each row is written once, and only if it can be represented. */
export interface Sorting<A, B> {
  /** Drops rows for which it returns false. */
  readonly filter?: ((row: A) => boolean) | undefined
  readonly map?: ((row: A) => B) | undefined
  /** Returns the key of a row; rows with equal keys are the same row. A row without a key equals no other row. */
  readonly key: (row: B) => string | undefined
  /** Returns why a decoded row cannot be written; see `Format`. */
  readonly check?:
    | ((row: B, isRaw: boolean) => { readonly message: string } | undefined)
    | undefined
  /** Removes secrets from a rejected row. */
  readonly redact: (raw: unknown) => unknown
}

/** Rows of earlier pages. */
export interface Known {
  /** The keys of written rows. */
  readonly seen: Set<string>
  /** The ids of rejected rows, if rows are identified by id. */
  readonly rejectedIds?: Set<string>
}

/**
 * Returns a function that divides pages. Drops rows that are already in `before`, and adds the other rows to it. Without
 * `before`, rows are compared only within their page.
 */
export const sortPage = <A, B>(
  { filter, map, key, check, redact }: Sorting<A, B>,
  before?: Known,
) => {
  const rowOf = map ?? ((row: A) => row as unknown as B) // without a `map`, `B` is `A`
  const twice = mayRepeat(key)
  return ({ items, raw, position }: SourcePage<A>): Sorted<B> => {
    const fit: Array<B> = []
    let indices: Array<number> | undefined // indexes of rows that fit, once one row is left out
    const bad: Array<Reject> = []
    let repeated = 0
    const exactRow = exactRows(raw)
    const leaveOut = (index: number): void => {
      indices ??= Array.from({ length: index }, (_, i) => i)
    }
    const reject = (index: number, reason: string): void => {
      leaveOut(index)
      if (before?.rejectedIds && !isFirst(before.rejectedIds, rowId(raw[index]))) repeated++
      else
        bad.push({ position, index, reason: String(redact(reason)), row: redact(exactRow(index)) })
    }
    const isRaw =
      hasRowText(raw) &&
      map === undefined &&
      items.every((item, i) => E.isLeft(item) || item.right === raw[i])
    let index = -1 // `entries` would allocate an object for each row
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
        row = exactRow(index) as B // the row itself, which has its original digits
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

/** Adds a name. Returns false if it was already present. */
const isFirst = (known: Set<string>, name: string | undefined): boolean => {
  const { size } = known
  return name === undefined || known.add(name).size > size
}

/** Returns a function that returns the keys added since its last call. */
export const addedTo = (keys: ReadonlySet<string>): (() => ReadonlyArray<string>) => {
  const all = keys.values() // a set iterator also returns keys that are added later, until it has ended
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
