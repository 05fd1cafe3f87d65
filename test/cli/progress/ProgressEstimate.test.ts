import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  NOTHING_READ,
  type ProgressEstimate,
  type Remaining,
  updateEstimate,
} from '../../../src/cli/progress/ProgressEstimate.js'

const left = (from: number, to: number, ...slices: ReadonlyArray<readonly [number, number]>) => ({
  from,
  to,
  slices: slices.map(([from, to]) => ({ left: { from, to } })),
})

const told = (...steps: ReadonlyArray<readonly [Remaining, number]>): ProgressEstimate =>
  steps.reduce((known, [position, rows]) => updateEstimate(position, rows)(known), NOTHING_READ)

describe('the share of the time that is read', () => {
  it('is what is not left, of slices that are read side by side', () => {
    expect(told([left(1_000, 2_000, [1_250, 1_500], [1_750, 2_000]), 10]).share).toBe(0.5)
  })

  it('is all when nothing is left', () => {
    expect(told([left(1_000, 2_000), 10]).share).toBe(1)
    expect(told([left(0, 2_000), 10]).share).toBe(1)
  })

  it('is not told while the beginning is unknown, and counted from there', () => {
    const unknown = [left(0, 2_000, [0, 2_000]), 0] as const
    const begun = [left(0, 2_000, [1_000, 2_000]), 10] as const
    expect(told(unknown).share).toBeUndefined()
    expect(told(unknown, begun).share).toBe(0)
    expect(told(unknown, begun, [left(0, 2_000, [1_500, 2_000]), 10]).share).toBe(0.5)
  })

  it('takes no account of stretches without rows', () => {
    const begun = [left(1_000, 9_000, [1_500, 5_000], [5_000, 9_000]), 10] as const
    const empty = [left(1_000, 9_000, [1_500, 2_000]), 0] as const
    expect(told(begun, empty).share).toBe(0.5)
  })

  it('takes little account of a stretch with few rows: of the end of a list, long after its last', () => {
    const steps = [100, 200, 300].map((at) => [left(0, 90_000, [at, 90_000]), 100] as const)
    const end = [left(0, 90_000, [400, 450]), 10] as const
    expect(told(...steps, end).share).toBeCloseTo(250 / 300)
  })

  it('never falls, stays within 0 and 1, and ends at 1, whatever comes in which order', () => {
    const position = fc
      .array(fc.tuple(fc.nat(100), fc.nat(100)), { maxLength: 5 })
      .map((spans) => left(1, 101, ...spans.map(([a, b]) => [a, a + b] as const)))
    fc.assert(
      fc.property(fc.array(fc.tuple(position, fc.nat(3))), (steps) => {
        let known = NOTHING_READ
        for (const [position, rows] of steps) {
          const next = updateEstimate(position, rows)(known)
          if (next.share !== undefined) {
            expect(next.share).toBeGreaterThanOrEqual(known.share ?? 0)
            expect(next.share).toBeLessThanOrEqual(1)
          }
          known = next
        }
        expect(updateEstimate(left(1, 101), 1)(known).share).toBe(1)
      }),
    )
  })
})
