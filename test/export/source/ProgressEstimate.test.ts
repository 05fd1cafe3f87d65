import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  estimateAt,
  NOTHING_READ,
  type ProgressEstimate,
  type Remaining,
  updateEstimate,
} from '../../../src/export/source/ProgressEstimate.js'
import type { Span } from '../../../src/stream/index.js'
import { forAll } from '../../support/forAll.js'

const left = (from: number, to: number, ...slices: ReadonlyArray<readonly [number, number]>) => ({
  from,
  to,
  slices: slices.map(([from, to]) => ({ left: { from, to } })),
})

const told = (...steps: ReadonlyArray<readonly [Remaining, number]>): ProgressEstimate =>
  steps.reduce((known, [position, rows]) => updateEstimate(position, rows)(known), NOTHING_READ)

describe('the share', () => {
  it('is that of the time range that is read, over parallel slices', () => {
    expect(told([left(1_000, 2_000, [1_250, 1_500], [1_750, 2_000]), 10]).share).toBe(0.5)
  })

  it('is all when nothing is left', () => {
    expect(told([left(1_000, 2_000), 10]).share).toBe(1)
    expect(told([left(0, 2_000), 10]).share).toBe(1)
  })

  it('is unknown until the first page of an open range', () => {
    const unknown = [left(0, 2_000, [0, 2_000]), 0] as const
    const begun = [left(0, 2_000, [1_000, 2_000]), 10] as const
    expect(told(unknown).share).toBeUndefined()
    expect(told(unknown, begun).share).toBe(0)
    expect(told(unknown, begun, [left(0, 2_000, [1_500, 2_000]), 10]).share).toBe(0.5)
  })

  it('ignores stretches without rows', () => {
    const begun = [left(1_000, 9_000, [1_500, 5_000], [5_000, 9_000]), 10] as const
    const empty = [left(1_000, 9_000, [1_500, 2_000]), 0] as const
    expect(told(begun, empty).share).toBe(0.5)
  })

  it('gives little weight to stretches with few rows', () => {
    const steps = [100, 200, 300].map((at) => [left(0, 90_000, [at, 90_000]), 100] as const)
    const end = [left(0, 90_000, [400, 450]), 10] as const
    expect(told(...steps, end).share).toBeCloseTo(250 / 300)
  })

  it('never falls, stays within 0 and 1, and ends at 1', () => {
    const position = fc
      .array(fc.tuple(fc.nat(100), fc.nat(100)), { maxLength: 5 })
      .map((spans) => left(1, 101, ...spans.map(([a, b]) => [a, a + b] as const)))
    forAll(fc.array(fc.tuple(position, fc.nat(3))), (steps) => {
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
    })
  })
})

describe('the share of a run that was resumed', () => {
  const at = (from: number, to: number, left: Span) => ({
    ...{ from, to, cut: 1 },
    slices: [{ from, to, number: 1, rows: 0, left }],
  })

  it('is that of the run before, of an open range too', () => {
    const open = at(0, 90_000, { from: 500, to: 90_000 })
    expect(estimateAt(open, 0.4, 1_000).share).toBe(0.4)
    const closed = at(1_000, 2_000, { from: 1_900, to: 2_000 })
    expect(estimateAt(closed, undefined, 100).share).toBe(0.9)
    expect(estimateAt({ page_num: 3 }, undefined, 100).share).toBeUndefined()
  })

  it('goes on from there', () => {
    const before = estimateAt(at(0, 1_500, { from: 500, to: 1_500 }), 0.5, 1_000)
    const half = updateEstimate(left(0, 1_500, [1_000, 1_500]), 500)(before)
    expect(half.share).toBeCloseTo(0.75)
    expect(updateEstimate(left(0, 1_500), 500)(half).share).toBe(1)
  })
})
