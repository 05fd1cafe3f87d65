import { expect, it } from 'vitest'
import { A, E, flow, O, pipe, R } from '../src/fp.js'

it('loads under ESM with the names used here', () => {
  const half = flow(
    O.fromPredicate((n: number) => n % 2 === 0),
    O.map((n) => n / 2),
  )
  expect(pipe([4, 3], A.filterMap(half))).toEqual([2])
  expect(pipe({ a: 1 }, R.map(E.right))).toEqual({ a: E.right(1) })
})
