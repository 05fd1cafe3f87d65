import { it, type TestAPI } from 'vitest'
import { isWhole, SEED } from './runs.js'

type Test = ReturnType<TestAPI['skipIf']>

/**
 * Returns the `it` of one of the kinds that a `describe.each` plays: each case is played with the next kind, so that all kinds and
 * all cases are played, but not each with each. There are as many cases as kinds, or more: a `describe` without tests fails. By
 * `RUNS`, and for a kind that is not listed, all are.
 */
export const inTurn = <A>(kinds: ReadonlyArray<A>, kind: A, test: Test = it): Test => {
  if (isWhole || !kinds.includes(kind)) return test
  let cases = SEED
  const isNext = (): boolean => kinds[cases++ % kinds.length] === kind
  return new Proxy(test, {
    apply: (target, self, given) => {
      if (isNext()) Reflect.apply(target, self, given)
    },
    get: (target, name) =>
      name === 'each'
        ? (all: ReadonlyArray<unknown>) => target.each(all.filter(isNext))
        : Reflect.get(target, name),
  })
}
