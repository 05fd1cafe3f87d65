/** Chance in tests: clients and schedulers that are given none draw from `SEED`, so that a failure can be replayed. */
import { seeded } from '../../bench/simulated/random.js'
import { SEED } from './runs.js'

let draw = seeded(SEED)

// src keeps the function as a default, and modules are shared by files
Math.random = () => draw()

/** Begins again, for each test file, whichever ran before. */
export const restartChance = (): void => {
  draw = seeded(SEED)
}
