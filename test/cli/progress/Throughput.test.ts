import { describe, expect, it } from 'vitest'
import {
  addSample,
  rowsPerSecond,
  type Throughput,
  type ThroughputSample,
  timeLeft,
} from '../../../src/cli/progress/Throughput.js'

/** Samples every 250 ms for so many seconds, made of the time. */
const paceOf = (
  seconds: number,
  sample: (at: number) => Omit<ThroughputSample, 'at'>,
): Throughput =>
  Array.from({ length: seconds * 4 + 1 }, (_, i) => i * 250).reduce<Throughput>(
    (pace, at) => addSample({ at, ...sample(at) })(pace),
    [],
  )

describe('rows per second', () => {
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
