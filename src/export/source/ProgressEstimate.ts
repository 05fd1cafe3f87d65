/** Estimates how much of its time range an export has read. */
import type { Span } from '../../stream/index.js'
import type { AnyPosition } from './SourcePage.js'

/** The part that has yet to be read. A `from` of 0 means that its start is unknown. */
export interface Remaining extends Span {
  readonly slices: ReadonlyArray<{ readonly left: Span }>
}

/** Progress within a time range. */
export interface ProgressEstimate {
  /** Number of milliseconds that were read, counting only parts of the range with rows. */
  readonly readMs: number
  readonly rows: number
  /** Number of milliseconds not read yet; absent while the start is unknown. */
  readonly leftMs?: number
  /** Share from 0 to 1, which never decreases; absent while the start is unknown. */
  readonly share?: number
}

export const NOTHING_READ: ProgressEstimate = { readMs: 0, rows: 0 }

/** A part of the range with this many times fewer rows than average counts as mostly empty. */
const THIN = 5

/**
 * Updates an estimate after `rows` more rows. A part of the range without rows takes no time to read, so it does not count, and
 * a part with few rows counts little. Otherwise a range that ends long after its last row would seem half read until the last
 * second.
 */
export const updateEstimate =
  ({ from, to, slices }: Remaining, rows: number) =>
  (before: ProgressEstimate): ProgressEstimate => {
    const open = slices.map(({ left }) => left).filter(({ from, to }) => from < to)
    if (open.some(({ from }) => from === 0)) return before
    const leftMs = open.reduce((sum, { from, to }) => sum + to - from, 0)
    if (before.leftMs === undefined) {
      // the first page of a list shows where the list begins
      const readMs = from === 0 ? 0 : Math.max(0, to - from - leftMs)
      return { readMs, rows: readMs > 0 ? rows : 0, leftMs, share: shareOf(readMs, leftMs) }
    }
    const usual =
      before.readMs > 0 ? before.readMs / Math.max(1, before.rows) : Number.POSITIVE_INFINITY
    const passed = Math.max(0, before.leftMs - leftMs)
    const readMs = before.readMs + (rows > 0 ? Math.min(passed, rows * usual * THIN) : 0)
    const share = Math.max(shareOf(readMs, leftMs), before.share ?? 0)
    return { readMs, rows: before.rows + rows, leftMs, share }
  }

/** Returns the estimate of a run at `position`, given the `share` reached after `rows` rows. */
export const estimateAt = (
  position: AnyPosition | undefined,
  share: number | undefined,
  rows = 0,
): ProgressEstimate => {
  if (position === undefined || !('slices' in position)) return NOTHING_READ
  const before = updateEstimate(position, 0)(NOTHING_READ)
  if (share === undefined || share >= 1 || before.leftMs === undefined) return before
  return { ...before, readMs: (before.leftMs * share) / (1 - share), rows, share }
}

const shareOf = (readMs: number, leftMs: number): number =>
  leftMs === 0 ? 1 : readMs / (readMs + leftMs)
