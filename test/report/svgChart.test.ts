import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clockTime, ticks, timeTicks } from '../../src/report/svgChart.js'

it.each([
  [0, [0, 1]],
  [2, [0, 1, 2]],
  [21, [0, 5, 10, 15, 20, 25]],
  [39_800, [0, 10_000, 20_000, 30_000, 40_000]],
])('up to %d there are marks at %j', (max, marks) => {
  expect(ticks(max)).toEqual(marks)
})

it('reaches the highest value in few whole steps', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (max) => {
      const marks = ticks(max)
      expect(marks.at(-1)).toBeGreaterThanOrEqual(max)
      expect(marks.length).toBeLessThanOrEqual(6)
      expect(marks.every(Number.isInteger)).toBe(true)
    }),
  )
})

it('has few, round times', () => {
  expect(timeTicks(22_500)).toEqual([0, 5_000, 10_000, 15_000, 20_000])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 * 24 * 3_600_000 }), (ms) => {
      expect(timeTicks(ms).length).toBeLessThanOrEqual(7)
    }),
  )
})

it.each([
  [0, '0:00'],
  [65_999, '1:05'],
  [3_725_000, '1:02:05'],
])('%d ms are %s', (ms, text) => {
  expect(clockTime(ms)).toBe(text)
})
