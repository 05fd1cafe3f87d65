import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addSample,
  NOTHING_READ,
  type ProgressEstimate,
  type Remaining,
  rowsPerSecond,
  type Throughput,
  type ThroughputSample,
  timeLeft,
  updateEstimate,
} from '../../../src/cli/progress/ProgressEstimate.js'

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

/** Samples every 250 ms for so many seconds, made of the time. */
const paceOf = (
  seconds: number,
  sample: (at: number) => Omit<ThroughputSample, 'at'>,
): Throughput =>
  Array.from({ length: seconds * 4 + 1 }, (_, i) => i * 250).reduce<Throughput>(
    (pace, at) => addSample({ at, ...sample(at) })(pace),
    [],
  )

describe('rows a second', () => {
  it('are 0 without samples', () => {
    expect(rowsPerSecond([])).toBe(0)
    expect(rowsPerSecond([{ at: 0, rows: 0 }])).toBe(0)
  })

  it('are those of the last seconds', () => {
    const pace = paceOf(60, (at) => ({ rows: at < 50_000 ? at * 10 : 500_000 + (at - 50_000) }))
    expect(rowsPerSecond(pace)).toBeCloseTo(1_000, 0)
  })

  it('fall to 0 when no more come', () => {
    expect(rowsPerSecond(paceOf(20, (at) => ({ rows: Math.min(at, 14_500) })))).toBe(0)
  })
})

it('are 0 where rows were taken back', () => {
  expect(rowsPerSecond(paceOf(20, (at) => ({ rows: at < 19_000 ? at : 0 })))).toBe(0)
})

describe('the time that is left', () => {
  const steady = (seconds: number, total: number) =>
    timeLeft(paceOf(seconds, (at) => ({ rows: at, share: at / total })))

  it('follows from the growth of the share', () => {
    expect(steady(30, 120_000)).toBeCloseTo(90_000, 0)
  })

  it('is unknown at first, without a share, and at the end', () => {
    expect(steady(2, 10_000)).toBeUndefined()
    expect(timeLeft(paceOf(30, (at) => ({ rows: at })))).toBeUndefined()
    expect(steady(10, 10_000)).toBeUndefined()
  })

  it('is known for a run of hours after half a minute, and unknown for weeks', () => {
    const hours = 3_600_000
    expect(steady(29, 10 * hours)).toBeUndefined()
    expect(steady(30, 10 * hours)).toBeCloseTo(10 * hours - 30_000, -2)
    expect(steady(90, 1_000 * hours)).toBeUndefined()
  })

  it('is unknown when the share does not grow', () => {
    expect(timeLeft(paceOf(90, (at) => ({ rows: at, share: 0.5 })))).toBeUndefined()
  })

  it('is steady when pages come in lumps', () => {
    const told = Array.from({ length: 40 }, (_, i) =>
      timeLeft(
        paceOf(20 + i, (at) => ({ rows: at, share: Math.floor(at / 2_000) * (2_000 / 600_000) })),
      ),
    )
    for (const [i, ms] of told.entries()) {
      const true_ = 600_000 - (20 + i) * 1_000
      expect(Math.abs((ms ?? 0) - true_) / true_).toBeLessThan(0.15)
    }
  })
})

it('keeps one minute of samples', () => {
  const pace = paceOf(3_600, (at) => ({ rows: at }))
  expect(pace.length).toBeLessThanOrEqual(122)
  expect((pace.at(-1)?.at ?? 0) - (pace[0]?.at ?? 0)).toBeLessThanOrEqual(60_000)
})
