/** The speed of a run, and the estimated time left. */
import { HOUR } from '../../report/text.js'

/** The samples of the last minute, oldest first. */
export type Throughput = ReadonlyArray<ThroughputSample>

export interface ThroughputSample {
  /** Time of the sample, in ms. */
  readonly at: number
  readonly rows: number
  readonly share?: number
}

/** Minimum time between samples, in ms. */
const STEP = 500
/** Period over which rows per second are averaged, in ms, because a page brings thousands of rows at once. */
const RECENT = 5_000
/** Period from which the time left is computed, in ms. It is longer, for a steadier value. */
const STEADY = 60_000
/** Minimum data for the time left: the samples span this number of ms, and this share was read in that time. */
const LEAST = { ms: 3_000, share: 0.01 }
/** Span of the samples, in ms, that is also enough, for runs of hours. */
const ENOUGH = 30_000
/** Maximum time left that is shown, in ms. A longer time is too uncertain. */
const FARTHEST = 100 * HOUR

/** Adds a sample. Replaces the last one if it is less than `STEP` after its predecessor. */
export const addSample =
  (sample: ThroughputSample) =>
  (throughput: Throughput): Throughput => {
    const recent = throughput.filter(({ at }) => at >= sample.at - STEADY)
    const before = recent.at(-2)
    const isSoon = before !== undefined && sample.at - before.at <= STEP
    return [...(isSoon ? recent.slice(0, -1) : recent), sample]
  }

/** Returns the rows per second; 0 if rows were withdrawn because their commit failed. */
export const rowsPerSecond = (throughput: Throughput): number => {
  const [from, to] = ends(throughput, RECENT)
  return from === undefined || to === undefined || to.at === from.at
    ? 0
    : (Math.max(0, to.rows - from.rows) * 1_000) / (to.at - from.at)
}

/** Returns the time left, in ms; `undefined` if there is too little data. */
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

/** Returns the first and the last sample of the last `span` ms. */
const ends = (throughput: Throughput, span: number) => {
  const to = throughput.at(-1)
  return [throughput.find(({ at }) => to !== undefined && at >= to.at - span), to] as const
}
