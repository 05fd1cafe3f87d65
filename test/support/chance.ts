/**
 * Randomness in tests. Clients and schedulers without a `random` option draw from `SEED`, so that a failure can be replayed.
 */
import { seeded } from '../../bench/simulated/random.js'
import { SEED } from './runs.js'

let draw = seeded(SEED)

// src stores the function as a default, and files share modules
Math.random = () => draw()

/** Starts again for each test file, whichever files ran before. */
export const restartChance = (): void => {
  draw = seeded(SEED)
}
