import { type RunHelpers, TestScheduler } from 'rxjs/testing'
import { expect, it } from 'vitest'

/**
 * A test in virtual time: one frame of a marble diagram is one millisecond, and `timer`, `delay` and
 * `asyncScheduler.now()` inside run on it.
 */
export const marbles = (test: (m: RunHelpers) => void) => (): void =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test)

/** An `it` in virtual time. */
export const marbleTest = (title: string, test: (m: RunHelpers) => void): void =>
  it(title, marbles(test))
