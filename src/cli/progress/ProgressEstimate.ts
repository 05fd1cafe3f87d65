/** How much of its time range a run has read. */

// model

interface TimeRange {
  readonly from: number
  readonly to: number
}

/** What a run has yet to read, in ms since 1970: a snapshot's position fits. `from` 0: from wherever it begins. */
export interface Remaining extends TimeRange {
  readonly slices: ReadonlyArray<{ readonly left: TimeRange }>
}

export interface ProgressEstimate {
  /** Milliseconds of the range that are read and had rows, and how many. */
  readonly read: number
  readonly rows: number
  /** Those that are not read; nothing before that is known. */
  readonly left?: number
  /** The share that is read, 0 to 1; it never falls. Nothing while the beginning is unknown. */
  readonly share?: number
}

export const NOTHING_READ: ProgressEstimate = { read: 0, rows: 0 }

export const EVERYTHING_READ: ProgressEstimate = { read: 1, rows: 1, left: 0, share: 1 }

/** A stretch whose rows are so many times thinner than usual is for the most part empty. */
const THIN = 5

// combinators

/**
 * After `rows` more rows. A stretch without rows takes no time to read, so it counts for nothing, and one
 * with few for little: a range that ends long after its last row would seem half read for ever, and then
 * be read at once.
 */
export const updateEstimate =
  (position: Remaining, rows: number) =>
  (before: ProgressEstimate): ProgressEstimate => {
    const { from, to, slices } = position
    const open = slices.map(({ left }) => left).filter(({ from, to }) => from < to)
    if (open.some(({ from }) => from === 0)) return before
    const left = open.reduce((sum, { from, to }) => sum + to - from, 0)
    if (before.left === undefined)
      return firstEstimate(from === 0 ? 0 : Math.max(0, to - from - left), left, rows)
    const usual =
      before.read > 0 ? before.read / Math.max(1, before.rows) : Number.POSITIVE_INFINITY
    const gained = rows > 0 ? Math.min(Math.max(0, before.left - left), rows * usual * THIN) : 0
    const read = before.read + gained
    return {
      read,
      rows: before.rows + rows,
      left,
      share: Math.max(shareOf(read, left), before.share ?? 0),
    }
  }

/** What is known first: of a list from its beginning, its first page is what tells where that is. */
const firstEstimate = (read: number, left: number, rows: number): ProgressEstimate => ({
  read,
  rows: read > 0 ? rows : 0,
  left,
  share: shareOf(read, left),
})

const shareOf = (read: number, left: number): number => (left === 0 ? 1 : read / (read + left))
