import { expect, it } from 'vitest'
import { isWhole, sample } from './runs.js'

it('draws the same cases of an enumeration in each run, in their order, and all of them by RUNS', () => {
  const all = Array.from({ length: 100 }, (_, n) => n)
  const some = sample(10, all)
  expect(some).toEqual(sample(10, all))
  expect(some).toEqual(some.toSorted((a, b) => a - b))
  expect(some.length).toBe(isWhole ? 100 : 10)
  expect(sample(10, all.slice(0, 3))).toEqual([0, 1, 2])
})
