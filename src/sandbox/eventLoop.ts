/** Turns of the event loop by the system's timers, also while a test replaces the global ones. */
const { setImmediate, setTimeout } = globalThis

/** Resolves when promises, timers, signals and sockets have done what they can do now. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** In real ms. */
const IDLE = 5

/** Rests for a moment without keeping the process alive; `onStart` is handed a function that ends the rest. */
export const idle = (onStart: (wake: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, IDLE).unref()
    onStart(resolve)
  })
