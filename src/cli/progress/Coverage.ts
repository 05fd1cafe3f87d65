/** How much of its time range a run has read. */

// model

interface Span {
  readonly from: number
  readonly to: number
}

/** What a run has yet to read, in ms since 1970: a snapshot's position fits. `from` 0: from wherever it begins. */
export interface TimeLeft extends Span {
  readonly slices: ReadonlyArray<{ readonly left: Span }>
}

export interface Coverage {
  /** Milliseconds of the range that are read and had rows. */
  readonly read: number
  /** Those that are not read; nothing before that is known. */
  readonly left?: number
  /** The share that is read, 0 to 1; it never falls. Nothing while the beginning is unknown. */
  readonly share?: number
}

export const UNREAD: Coverage = { read: 0 }

export const ALL_READ: Coverage = { read: 1, left: 0, share: 1 }

// combinators

/**
 * After `rows` more rows. A stretch without rows takes no time to read, so it counts for nothing: a
 * range that ends long after its last row would seem half read for ever.
 */
export const cover =
  (position: TimeLeft, rows: number) =>
  (before: Coverage): Coverage => {
    const { from, to, slices } = position
    const open = slices.map(({ left }) => left).filter(({ from, to }) => from < to)
    if (open.some(({ from }) => from === 0)) return before
    const left = open.reduce((sum, { from, to }) => sum + to - from, 0)
    const known = before.left ?? (from === 0 ? left : to - from)
    const read =
      before.read + (rows > 0 || before.left === undefined ? Math.max(0, known - left) : 0)
    const share = left === 0 ? 1 : Math.max(read / (read + left), before.share ?? 0)
    return { read, left, share }
  }
