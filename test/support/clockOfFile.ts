/** Runs for each test file: what it has left behind, such as a lease that is renewed for ever, takes no time of the next. */
import { afterAll } from 'vitest'
import { idleClock } from './idleClock.js'

idleClock.start()
afterAll(() => idleClock.stop())
