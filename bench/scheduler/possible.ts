/**
 * The maximum share of a quota that can be used without waiting unnecessarily. In the last window, the last request comes at
 * least as long after the first one as in the first window, because the server counts both.
 *
 *     first window    |-- spread --|
 *     last window                      ...   |-- spread --|
 */
import type { Limits } from '../simulated/judge.ts'
import type { Network } from '../simulated/network.ts'
import { seeded } from '../simulated/random.ts'

/** Departures of the requests of a window, in ms. The first ones leave together, the others as responses arrive. */
const spread = (network: Network, count: number, concurrent: number, seed: number): number => {
  const random = seeded(seed)
  const arrivals: Array<number> = []
  let answers: ReadonlyArray<number> = []
  for (let request = 0; request < count; request++) {
    const [first = 0, ...others] = answers
    const free = request >= concurrent
    const arrival = (free ? first : 0) + network.uplink(random)
    const answer = arrival + network.processing(random) + network.downlink(random)
    arrivals.push(arrival)
    answers = [...(free ? others : answers), answer].toSorted((a, b) => a - b)
  }
  return Math.max(...arrivals) - Math.min(...arrivals)
}

/** An average share. `best`: milliseconds from the first window to the last. */
export const possible = (
  network: Network,
  { concurrent }: Limits,
  {
    window,
    best,
    seeds,
  }: { readonly window: number; readonly best: number; readonly seeds: number },
): number => {
  const spreads = Array.from({ length: seeds }, (_, seed) =>
    spread(network, window, concurrent, seed + 1),
  )
  return best / (best + spreads.reduce((sum, one) => sum + one, 0) / seeds)
}
