/** Runs tasks one at a time, in order. After a failure, all later tasks fail with the same error. */
export interface UntilFailure {
  readonly run: <T>(task: () => Promise<T>) => Promise<T>
  /** Runs a final task; later tasks fail. */
  readonly end: <T>(task: () => Promise<T>) => Promise<T>
  /** Runs a task after all others, even after a failure. No task runs after it. May be called again. */
  readonly last: (task: () => Promise<void>) => Promise<void>
}

/** `what`: the file or stream, for messages. */
export const untilFailure = (what: string): UntilFailure => {
  const over = (call: string) => (): never => {
    throw new Error(`${what}: nothing more can be written after ${call}`)
  }
  let before: Promise<unknown> = Promise.resolve()
  const after = (next: Promise<unknown>): void => {
    next.catch(() => {}) // reported to this caller and to all later ones
    before = next
  }
  const run: UntilFailure['run'] = (task) => {
    const next = before.then(task)
    after(next)
    return next
  }
  return {
    run,
    end: (task) => {
      const next = run(task)
      after(next.then(over('finish')))
      return next
    },
    last: (task) => {
      const earlier = before
      const done = earlier.then(task, task)
      after(done.then(() => earlier).then(over('abandon')))
      return done
    },
  }
}
