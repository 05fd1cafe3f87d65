/** How long answers took, in a fixed number of counters: any quantile, within a tenth of its value. */

// model

/** A counter for each stretch of times; each stretch ends 9 % later than the one before. */
export type Histogram = Uint32Array

/** To twice the time takes so many intervals. */
const FINE = 8
/** From 1 ms to about two minutes; what is shorter or longer is counted at the ends. */
const SIZE = 17 * FINE + 1

// constructors

export const histogram = (): Histogram => new Uint32Array(SIZE)

// combinators

export const add = (counts: Histogram, ms: number): void => {
  const at = ms < 1 ? 0 : Math.min(SIZE - 1, Math.floor(Math.log2(ms) * FINE) + 1)
  counts[at] = (counts[at] ?? 0) + 1
}

/** Those of both. */
export const plus = (some: Histogram, others: Histogram): Histogram =>
  some.map((n, at) => n + (others[at] ?? 0))

export const total = (counts: Histogram): number => counts.reduce((sum, n) => sum + n, 0)

/** The time in ms that `share` of them did not exceed; nothing when there were none. */
export const quantile = (counts: Histogram, share: number): number | undefined => {
  const all = total(counts)
  if (all === 0) return undefined
  const rank = Math.max(1, Math.ceil(share * all))
  let seen = 0
  const at = counts.findIndex((n) => {
    seen += n
    return seen >= rank
  })
  return at === 0 ? 0 : 2 ** ((at - 0.5) / FINE)
}
