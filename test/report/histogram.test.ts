import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addTime, histogram, quantile } from '../../src/report/histogram.js'

const of = (times: ReadonlyArray<number>) => {
  const counts = histogram()
  for (const ms of times) addTime(counts, ms)
  return counts
}

const times = fc.array(fc.double({ min: 1, max: 120_000, noNaN: true }), { minLength: 1 })

describe('a histogram of latencies', () => {
  it('has every quantile within 2 % of its value', () => {
    fc.assert(
      fc.property(times, fc.double({ min: 0.01, max: 1, noNaN: true }), (times, share) => {
        const exact = times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1] ?? 0
        const told = quantile(of(times), share) ?? 0
        expect(Math.abs(told - exact) / exact).toBeLessThan(0.02)
      }),
    )
  })

  it('counts times beyond its range in its first and last bin', () => {
    const counts = of([0, 0.5, 1e9, Number.POSITIVE_INFINITY])
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(4)
    expect(quantile(counts, 0.5)).toBe(0)
    expect(quantile(counts, 1)).toBeGreaterThan(100_000)
  })

  it('has no quantile when it is empty', () => {
    expect(quantile(histogram(), 0.5)).toBeUndefined()
  })
})
