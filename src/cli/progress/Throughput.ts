/** The speed of a run, and its estimated time left. */
import { HOUR } from '../../report/text.js'

/** The samples of the last minute, oldest first. */
export type Throughput = ReadonlyArray<ThroughputSample>

export interface ThroughputSample {
  /** In ms. */
  readonly at: number
  readonly rows: number
  readonly share?: number
}

/** Minimum time between samples, in ms. */
const STEP = 500
/** Period over which rows per second are averaged, in ms: pages arrive with thousands of rows at once. */
const RECENT = 5_000
/** Period from which the time left is computed, in ms: longer, for a steadier value. */
const STEADY = 60_000
/** The time left is unknown until the samples span this many ms, and this share was read in that time ... */
const LEAST = { ms: 3_000, share: 0.01 }
/** ... or until they span this many ms, for runs of hours. */
const ENOUGH = 30_000
/** Maximum time left that is shown, in ms: more is too uncertain. */
const FARTHEST = 100 * HOUR

/** Adds a sample. Replaces the last one if that is less than `STEP` after its predecessor. */
export const addSample =
  (sample: ThroughputSample) =>
  (throughput: Throughput): Throughput => {
    const recent = throughput.filter(({ at }) => at >= sample.at - STEADY)
    const before = recent.at(-2)
    const isSoon = before !== undefined && sample.at - before.at <= STEP
    return [...(isSoon ? recent.slice(0, -1) : recent), sample]
  }

/** Returns the rows per second; 0 if rows were taken back because their commit failed. */
export const rowsPerSecond = (throughput: Throughput): number => {
  const [from, to] = ends(throughput, RECENT)
  return from === undefined || to === undefined || to.at === from.at
    ? 0
    : (Math.max(0, to.rows - from.rows) * 1_000) / (to.at - from.at)
}

/** Returns the time left, in ms; `undefined` with too little data. */
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

/** Returns the first sample of the last `span` ms, and the last one. */
const ends = (throughput: Throughput, span: number) => {
  const to = throughput.at(-1)
  return [throughput.find(({ at }) => to !== undefined && at >= to.at - span), to] as const
}
