/** Turns of the event loop, by the timers of the system, also while a test plays timers. */
const { setImmediate, setTimeout } = globalThis

/** Until promises, timers, signals and sockets have done what they can do now. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Real ms. */
const IDLE = 5

/**
 * Something waits for another time than this one, or for good: there is no hurry, and nobody is kept alive for
 * it. `wakes` is given what ends it at once.
 */
export const idle = (wakes: (wake: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, IDLE).unref()
    wakes(resolve)
  })
