/** Counts durations in bins of growing width. This gives quantiles of any number of values in little memory. */

/** A counter for each bin. Each bin ends 2 % later than the previous one. */
export type Histogram = Uint32Array

const BINS_PER_DOUBLING = 32
/** Number of bins, from 1 ms to about two minutes. Shorter and longer times are counted in the first and the last bin. */
const BINS = 17 * BINS_PER_DOUBLING + 1

export const histogram = (): Histogram => new Uint32Array(BINS)

export const addTime = (counts: Histogram, ms: number): void => {
  const bin = ms < 1 ? 0 : Math.min(BINS - 1, Math.floor(Math.log2(ms) * BINS_PER_DOUBLING) + 1)
  counts[bin] = (counts[bin] ?? 0) + 1
}

/** Returns the duration, in ms, that `share` of all values did not exceed, accurate to 2 %; `undefined` without values. */
export const quantile = (counts: Histogram, share: number): number | undefined => {
  const total = counts.reduce((sum, n) => sum + n, 0)
  if (total === 0) return undefined
  const rank = Math.max(1, Math.ceil(share * total))
  let seen = 0
  const bin = counts.findIndex((n) => {
    seen += n
    return seen >= rank
  })
  return bin === 0 ? 0 : 2 ** ((bin - 0.5) / BINS_PER_DOUBLING)
}
