/** How much of its time range a run has read, how fast it goes, and how long it will take. */
import { HOUR } from '../../report/text.js'

// the share that is read

interface TimeRange {
  readonly from: number
  readonly to: number
}

/** The part that is left to read, in ms since 1970, as a snapshot's position has it. With a `from` of 0 its beginning is unknown. */
export interface Remaining extends TimeRange {
  readonly slices: ReadonlyArray<{ readonly left: TimeRange }>
}

export interface ProgressEstimate {
  /** Read milliseconds of the range that had rows. */
  readonly readMs: number
  readonly rows: number
  /** Milliseconds that are not read yet; left out while the beginning is unknown. */
  readonly leftMs?: number
  /** 0 to 1, never falling; left out while the beginning is unknown. */
  readonly share?: number
}

export const NOTHING_READ: ProgressEstimate = { readMs: 0, rows: 0 }

export const EVERYTHING_READ: ProgressEstimate = { readMs: 1, rows: 1, leftMs: 0, share: 1 }

/** A part of the range with so many times fewer rows than usual counts as empty for the most part. */
const THIN = 5

/**
 * Updates an estimate after `rows` more rows. A part of the range without rows takes no time to read, so it counts
 * for nothing, and one with few rows for little: else a range that ends long after its last row would seem half read
 * until its last second.
 */
export const updateEstimate =
  ({ from, to, slices }: Remaining, rows: number) =>
  (before: ProgressEstimate): ProgressEstimate => {
    const open = slices.map(({ left }) => left).filter(({ from, to }) => from < to)
    if (open.some(({ from }) => from === 0)) return before
    const leftMs = open.reduce((sum, { from, to }) => sum + to - from, 0)
    if (before.leftMs === undefined) {
      // the first page of a list tells where it begins
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

const shareOf = (readMs: number, leftMs: number): number =>
  leftMs === 0 ? 1 : readMs / (readMs + leftMs)

// throughput

/** The samples of the last minute, oldest first. */
export type Throughput = ReadonlyArray<ThroughputSample>

export interface ThroughputSample {
  /** In ms. */
  readonly at: number
  readonly rows: number
  readonly share?: number
}

/** Between samples, in ms. */
const STEP = 500
/** Span that the rows a second are computed from, in ms: pages come in lumps of thousands of rows. */
const RECENT = 5_000
/** Span that the time that is left is computed from, in ms: steadier, and slower to change. */
const STEADY = 60_000
/** The time that is left is unknown until the samples span so many ms, and so much was read meanwhile ... */
const LEAST = { ms: 3_000, share: 0.01 }
/** ... or so many ms, for runs of hours. */
const ENOUGH = 30_000
/** More is no forecast, in ms. */
const FARTHEST = 100 * HOUR

/** Adds a sample, in place of the last one where that is less than `STEP` after its predecessor. */
export const addSample =
  (sample: ThroughputSample) =>
  (throughput: Throughput): Throughput => {
    const kept = throughput.filter(({ at }) => at >= sample.at - STEADY)
    const before = kept.at(-2)
    const isSoon = before !== undefined && sample.at - before.at <= STEP
    return [...(isSoon ? kept.slice(0, -1) : kept), sample]
  }

/** 0 where rows were taken back, since their commit failed. */
export const rowsPerSecond = (throughput: Throughput): number => {
  const [from, to] = ends(throughput, RECENT)
  return from === undefined || to === undefined || to.at === from.at
    ? 0
    : (Math.max(0, to.rows - from.rows) * 1_000) / (to.at - from.at)
}

/** In ms; `undefined` when there is too little to compute it from. */
export const timeLeft = (throughput: Throughput): number | undefined => {
  const [from, to] = ends(
    throughput.filter(({ share }) => share !== undefined),
    STEADY,
  )
  if (from?.share === undefined || to?.share === undefined || to.share >= 1) return undefined
  const ms = to.at - from.at
  const gained = to.share - from.share
  if (ms < LEAST.ms || (gained < LEAST.share && ms < ENOUGH)) return undefined
  const left = ((1 - to.share) * ms) / gained
  return left > FARTHEST ? undefined : left
}

/** The last sample, and the first of the `span` ms before it. */
const ends = (throughput: Throughput, span: number) => {
  const to = throughput.at(-1)
  return [throughput.find(({ at }) => to !== undefined && at >= to.at - span), to] as const
}
