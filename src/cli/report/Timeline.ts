/**
 * A run as a row of intervals of equal length, in bounded memory however long it is: when there are too
 * many, neighbours become one.
 *
 *     1 s each    |a|b|c|d|
 *     2 s each    | ab| cd|  |  |
 */
import { emptyStats, type IntervalStats, mergeStats } from './IntervalStats.js'

// model

export interface Timeline {
  /** What happens `ms` after the start is counted here. */
  readonly at: (ms: number) => IntervalStats
  /** All so far, for a run that ended after `ms`. */
  readonly intervals: (ms: number) => ReadonlyArray<Interval>
}

/** From `from` to `to`, in ms since the start. */
export interface Interval {
  readonly from: number
  readonly to: number
  readonly stats: IntervalStats
}

/** At first; a limit is a number of requests a second. */
const LENGTH = 1_000
/** What fits on a chart; four minutes of seconds, or eight hours of two minutes. */
const MOST = 240

// constructors

export const timeline = (most = MOST): Timeline => {
  let length = LENGTH
  let buckets: ReadonlyArray<IntervalStats> = []

  const halve = (): void => {
    length *= 2
    buckets = buckets.flatMap((one, i) => {
      if (i % 2 === 1) return []
      const next = buckets[i + 1]
      return [next === undefined ? one : mergeStats(one, next)]
    })
  }

  return {
    at: (ms) => {
      while (ms >= length * most) halve()
      const index = Math.max(0, Math.floor(ms / length))
      while (buckets.length <= index) buckets = [...buckets, emptyStats()]
      return buckets[index] ?? emptyStats()
    },
    intervals: (ms) => {
      const all = buckets.map((stats, i) => ({
        from: i * length,
        to: Math.max(Math.min((i + 1) * length, ms), i * length + 1),
        stats,
      }))
      return joinShortLast(all, length)
    },
  }
}

/** The last stretch is cut short where the run ends: less than half of one tells nothing by itself. */
const joinShortLast = (all: ReadonlyArray<Interval>, length: number): ReadonlyArray<Interval> => {
  const [before, last] = [all.at(-2), all.at(-1)]
  if (before === undefined || last === undefined || last.to - last.from >= length / 2) return all
  const both = { from: before.from, to: last.to, stats: mergeStats(before.stats, last.stats) }
  return [...all.slice(0, -2), both]
}
