/** Runs for each test file. */
import fc from 'fast-check'
import { afterAll, vi } from 'vitest'
import { restartChance } from './chance.js'
import { idleClock } from './idleClock.js'
import { realWork } from './realWork.js'
import { runs, SEED } from './runs.js'

fc.configureGlobal({ seed: SEED, numRuns: runs(100) })

restartChance()
realWork.start()
// what a file leaves behind, such as a lease that is renewed forever, must not take time from the next file
idleClock.start()
afterAll(() => {
  idleClock.stop()
  realWork.stop()
  // vitest does this before each test, but a file keeps globals such as `fetch` when it is imported
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
