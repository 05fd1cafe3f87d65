/** Runs for each test file. */
import fc from 'fast-check'
import { afterAll } from 'vitest'
import { idleClock } from './idleClock.js'
import { SEED } from './runs.js'

fc.configureGlobal({ seed: SEED })

// what a file has left behind, such as a lease that is renewed for ever, takes no time of the next
idleClock.start()
afterAll(() => idleClock.stop())
