/** Tasks one at a time, in the order they were given. After one that failed, all others fail alike. */
export interface UntilFailure {
  readonly run: <T>(task: () => Promise<T>) => Promise<T>
  /** One that nothing can follow: what is given later fails. */
  readonly end: <T>(task: () => Promise<T>) => Promise<T>
  /** After all others, failed or not; none is run after it. May be asked for again. */
  readonly last: (task: () => Promise<void>) => Promise<void>
}

/** `what` is written to: for messages. */
export const untilFailure = (what: string): UntilFailure => {
  const over = (call: string) => (): never => {
    throw new Error(`${what}: ${call} was called, and nothing more is written`)
  }
  let before: Promise<unknown> = Promise.resolve()
  const after = (next: Promise<unknown>): void => {
    next.catch(() => {}) // reported to the caller, and to all later ones
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
