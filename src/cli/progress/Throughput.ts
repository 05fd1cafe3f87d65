/** How fast a run is going: of late, not since it began. */
import { HOUR } from '../spans.js'

// model

export interface ThroughputSample {
  /** In ms. */
  readonly at: number
  readonly rows: number
  /** Of the time range that is read, 0 to 1. */
  readonly share?: number
}

/** The last samples, oldest first, and never more than a minute of them. */
export type Throughput = ReadonlyArray<ThroughputSample>

/** From one sample to the next, in ms. */
const STEP = 500
/** What "of late" is, in ms: pages come in lumps of thousands of rows. */
const RECENT = 5_000
/** What the time that is left is told from, in ms: a steadier view, and slower to change. */
const STEADY = 60_000
/** Before that nothing can be told of the time that is left. */
const LEAST = { ms: 3_000, share: 0.01 }
/** A run of hours gains less than that share in a minute: so many ms tell enough of it. */
const ENOUGH = 30_000
/** Longer than that is no forecast, in ms. */
const FARTHEST = 100 * HOUR

// combinators

/** A sample more. Those that come sooner than half a second after the last take its place. */
export const addSample =
  (sample: ThroughputSample) =>
  (pace: Throughput): Throughput => {
    const kept = pace.filter(({ at }) => at >= sample.at - STEADY)
    const before = kept.at(-2)
    const isSoon = before !== undefined && sample.at - before.at <= STEP
    return [...(isSoon ? kept.slice(0, -1) : kept), sample]
  }

/** Rows that were not committed when it failed are taken back: none came then. */
export const rowsPerSecond = (pace: Throughput): number => {
  const [from, to] = ends(pace, RECENT)
  return from === undefined || to === undefined || to.at === from.at
    ? 0
    : (Math.max(0, to.rows - from.rows) * 1_000) / (to.at - from.at)
}

/** In ms; nothing when there is too little to tell it from. */
export const timeLeft = (pace: Throughput): number | undefined => {
  const [from, to] = ends(
    pace.filter(({ share }) => share !== undefined),
    STEADY,
  )
  if (from?.share === undefined || to?.share === undefined) return undefined
  const ms = to.at - from.at
  const gained = to.share - from.share
  const isTooSoon = ms < LEAST.ms || (gained < LEAST.share && ms < ENOUGH)
  if (isTooSoon || to.share >= 1) return undefined
  const left = ((1 - to.share) * ms) / gained
  return left > FARTHEST ? undefined : left
}

/** The last sample, and the first that is no older than `span` ms before it. */
const ends = (
  pace: Throughput,
  span: number,
): readonly [ThroughputSample | undefined, ThroughputSample | undefined] => {
  const to = pace.at(-1)
  return [pace.find(({ at }) => to !== undefined && at >= to.at - span), to]
}
