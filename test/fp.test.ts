import { expect, expectTypeOf, it } from 'vitest'
import {
  A,
  E,
  flow,
  memoized,
  O,
  pipe,
  R,
  type WithoutUndefined,
  withoutUndefined,
} from '../src/fp.js'

it('loads under ESM with the names used here', () => {
  const half = flow(
    O.fromPredicate((n: number) => n % 2 === 0),
    O.map((n) => n / 2),
  )
  expect(pipe([4, 3], A.filterMap(half))).toEqual([2])
  expect(pipe({ a: 1 }, R.map(E.right))).toEqual({ a: E.right(1) })
})

it('leaves out what is undefined, and nothing else', () => {
  const fields = { a: undefined, b: null, c: 0, d: '', e: false }
  expect(Object.keys(withoutUndefined(fields))).toEqual(['b', 'c', 'd', 'e'])
  expect(withoutUndefined(fields)).toEqual({ b: null, c: 0, d: '', e: false })
  expect({ c: 1, ...withoutUndefined({ c: undefined }) }).toEqual({ c: 1 })
})

it('takes `__proto__` for a field, as JSON does', () => {
  const kept = withoutUndefined(JSON.parse('{"__proto__":{"a":1},"b":2}'))
  expect(Object.keys(kept)).toEqual(['__proto__', 'b'])
  expect(Object.getPrototypeOf(kept)).toBeNull() // and nothing is inherited
})

it('makes a value once, when it is first asked for, even if it is undefined', () => {
  let made = 0
  const nothing = memoized(() => {
    made++
  })
  expect(made).toBe(0)
  nothing()
  nothing()
  expect(made).toBe(1)
})

it('has fields that may be left out, and are not undefined', () => {
  expectTypeOf<WithoutUndefined<{ a: string | undefined; b: number }>>().toEqualTypeOf<{
    readonly a?: string
    readonly b?: number
  }>()
})
