/** How fast a run goes, and how long it will take. */
import { HOUR } from '../../report/text.js'

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
    const recent = throughput.filter(({ at }) => at >= sample.at - STEADY)
    const before = recent.at(-2)
    const isSoon = before !== undefined && sample.at - before.at <= STEP
    return [...(isSoon ? recent.slice(0, -1) : recent), sample]
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
