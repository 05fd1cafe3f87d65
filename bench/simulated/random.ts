/** Random numbers from a seed (mulberry32), from 0 up to 1. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const gaussian = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Half of the draws are below `median`, and 99 in 100 below `p99`. 2.326 is that quantile of the normal distribution. */
export const lognormal =
  (median: number, p99: number) =>
  (random: () => number): number =>
    median * Math.exp((gaussian(random) * Math.log(p99 / median)) / 2.326)

/** Evenly distributed between the two. */
export const uniform =
  (from: number, to: number) =>
  (random: () => number): number =>
    from + (to - from) * random()
