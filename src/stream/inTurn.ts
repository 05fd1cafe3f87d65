/** Each call waits for the one before it, as those of a generator do. */
export const inTurn = <A>(step: () => Promise<A>): (() => Promise<A>) => {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const mine = last.then(step, step)
    last = mine
    return mine
  }
}
