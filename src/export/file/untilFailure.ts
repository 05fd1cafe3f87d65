/** Tasks one at a time, in the order they were given. After one that failed, all others fail alike. */
export interface UntilFailure {
  readonly run: <T>(task: () => Promise<T>) => Promise<T>
  /** One that nothing can follow: what is given later fails. */
  readonly end: <T>(task: () => Promise<T>) => Promise<T>
  /** After all others, failed or not; none is run after it. May be asked for again. */
  readonly last: (task: () => Promise<void>) => Promise<void>
}

export const untilFailure = (): UntilFailure => {
  let before: Promise<unknown> = Promise.resolve()
  const after = (next: Promise<unknown>): void => {
    next.catch(() => {}) // told to whoever asked, and to all who ask later
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
      after(next.then(ended))
      return next
    },
    last: (task) => {
      const earlier = before
      const done = earlier.then(task, task)
      after(done.then(() => earlier).then(closed))
      return done
    },
  }
}

const ended = (): never => {
  throw new Error('it was ended: nothing more is written to it')
}

const closed = (): never => {
  throw new Error('it was closed: nothing more is written to it')
}
