import fc from 'fast-check'
import { expect, it } from 'vitest'
import { add, histogram, plus, quantile, total } from '../../../src/cli/report/Histogram.js'

const of = (times: ReadonlyArray<number>) => {
  const counts = histogram()
  for (const ms of times) add(counts, ms)
  return counts
}

const times = fc.array(fc.double({ min: 1, max: 120_000, noNaN: true }), { minLength: 1 })

it('tells any quantile within a tenth of its value', () => {
  fc.assert(
    fc.property(times, fc.double({ min: 0.01, max: 1, noNaN: true }), (times, share) => {
      const exact = times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? 0
      const told = quantile(of(times), share) ?? 0
      expect(Math.abs(told - exact) / exact).toBeLessThan(0.1)
    }),
  )
})

it('is the same whether times are counted together or apart', () => {
  fc.assert(
    fc.property(times, times, (some, others) => {
      expect(plus(of(some), of(others))).toEqual(of([...some, ...others]))
    }),
  )
})

it('counts what is too short and too long at its ends', () => {
  const counts = of([0, 0.5, 1e9, Number.POSITIVE_INFINITY])
  expect(total(counts)).toBe(4)
  expect(quantile(counts, 0.5)).toBe(0)
  expect(quantile(counts, 1)).toBeGreaterThan(100_000)
})

it('has no quantile when there is nothing', () => {
  expect(quantile(histogram(), 0.5)).toBeUndefined()
})
