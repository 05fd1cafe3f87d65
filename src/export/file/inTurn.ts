/** Tasks one at a time, in the order they were given. After one that failed, all others fail alike. */
export interface InTurn {
  readonly run: <T>(task: () => Promise<T>) => Promise<T>
  /** After all others, failed or not. */
  readonly last: (task: () => Promise<void>) => Promise<void>
}

export const inTurn = (): InTurn => {
  let before: Promise<unknown> = Promise.resolve()
  return {
    run: (task) => {
      const next = before.then(task)
      next.catch(() => {}) // told to whoever asked, and to all who ask later
      before = next
      return next
    },
    last: (task) => before.then(task, task),
  }
}
