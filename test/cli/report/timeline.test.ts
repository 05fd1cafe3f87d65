import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Interval, Timeline } from '../../../src/cli/report/recorder.js'
import { addTime } from '../../../src/report/histogram.js'

const rows = (intervals: ReadonlyArray<Interval>): ReadonlyArray<number> =>
  intervals.map(({ stats }) => stats.rows)

describe('the intervals of a run', () => {
  it('are seconds at first, also those in which nothing happened', () => {
    const kept = new Timeline()
    kept.at(200).rows += 1
    kept.at(900).rows += 2
    kept.at(3_500).rows += 4
    expect(rows(kept.intervals(3_900))).toEqual([3, 0, 0, 4])
    expect(kept.intervals(3_900).map(({ from, to }) => [from, to])).toEqual([
      [0, 1_000],
      [1_000, 2_000],
      [2_000, 3_000],
      [3_000, 3_900],
    ])
  })

  it('double in length when there are too many', () => {
    const kept = new Timeline(4)
    for (const ms of [0, 1_000, 2_000, 3_000, 4_000]) kept.at(ms).rows += 1
    expect(rows(kept.intervals(6_000))).toEqual([2, 2, 1])
  })

  it('are seconds for four minutes', () => {
    const kept = new Timeline()
    kept.at(239_999).rows += 1
    expect(kept.intervals(240_000)).toHaveLength(240)
  })

  it('merge by sums, maxima, and the lowest limit', () => {
    const counts = (n: number) => ({
      ...{ rows: n, rejects: n, sent: n, refused: n, failed: n },
      ...{ inFlightMs: n, waitingMs: n, pausedMs: n, observedMs: n },
    })
    const kept = new Timeline(2)
    Object.assign(kept.at(0), { ...counts(1), busiest: 3, slowest: 40, allowed: 20 })
    Object.assign(kept.at(1_000), { ...counts(2), busiest: 2, slowest: 90, allowed: 12 })
    for (const ms of [0, 1_000]) addTime(kept.at(ms).latency, 50)
    kept.at(2_000)
    const stats = kept.intervals(4_000)[0]?.stats
    expect(stats).toMatchObject({ ...counts(3), busiest: 3, slowest: 90, allowed: 12 })
    expect(stats?.latency.reduce((sum, n) => sum + n, 0)).toBe(2)
  })

  it('merge a short last one into the one before', () => {
    const kept = new Timeline()
    kept.at(900).rows += 1
    kept.at(1_100).rows += 2
    expect(kept.intervals(1_200)).toMatchObject([{ from: 0, to: 1_200, stats: { rows: 3 } }])
    expect(kept.intervals(1_500)).toMatchObject([{ to: 1_000 }, { to: 1_500 }])
  })

  it('abut, lose nothing, and stay within their bound for a run of any length', () => {
    const moments = fc.array(fc.integer({ min: 0, max: 5 * 24 * 3_600_000 }), { minLength: 1 })
    fc.assert(
      fc.property(moments, (moments) => {
        const kept = new Timeline()
        for (const ms of moments.toSorted((a, b) => a - b)) {
          const stats = kept.at(ms)
          stats.rows++
          stats.busiest = Math.max(stats.busiest, ms)
        }
        const end = Math.max(...moments)
        const all = kept.intervals(end)
        expect(rows(all).reduce((a, b) => a + b, 0)).toBe(moments.length)
        expect(Math.max(...all.map(({ stats }) => stats.busiest))).toBe(end)
        expect(all.length).toBeLessThanOrEqual(240)
        expect(all.slice(1).map(({ from }) => from)).toEqual(all.slice(0, -1).map(({ to }) => to))
      }),
      { numRuns: 30 },
    )
  })
})
