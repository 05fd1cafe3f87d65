/**
 * A run as a row of stretches of equal length, in bounded memory however long it is: when there are too
 * many, neighbours become one.
 *
 *     1 s each    |a|b|c|d|
 *     2 s each    | ab| cd|  |  |
 */
import { type Bucket, bucket, merge } from './Bucket.js'

// model

export interface Series {
  /** What happens `ms` after the start is counted here. */
  readonly at: (ms: number) => Bucket
  /** All so far, for a run that ended after `ms`. */
  readonly stretches: (ms: number) => ReadonlyArray<Stretch>
}

/** From `from` to `to`, in ms since the start. */
export interface Stretch {
  readonly from: number
  readonly to: number
  readonly bucket: Bucket
}

/** At first; a limit is a number of requests a second. */
const LENGTH = 1_000
/** What fits on a chart; four minutes of seconds, or eight hours of two minutes. */
const MOST = 240

// constructors

export const series = (most = MOST): Series => {
  let length = LENGTH
  let buckets: ReadonlyArray<Bucket> = []

  const halve = (): void => {
    length *= 2
    buckets = buckets.flatMap((one, i) => {
      if (i % 2 === 1) return []
      const next = buckets[i + 1]
      return [next === undefined ? one : merge(one, next)]
    })
  }

  return {
    at: (ms) => {
      while (ms >= length * most) halve()
      const index = Math.max(0, Math.floor(ms / length))
      while (buckets.length <= index) buckets = [...buckets, bucket()]
      return buckets[index] ?? bucket()
    },
    stretches: (ms) => {
      const all = buckets.map((bucket, i) => ({
        from: i * length,
        to: Math.max(Math.min((i + 1) * length, ms), i * length + 1),
        bucket,
      }))
      return joined(all, length)
    },
  }
}

/** The last stretch is cut short where the run ends: less than half of one tells nothing by itself. */
const joined = (all: ReadonlyArray<Stretch>, length: number): ReadonlyArray<Stretch> => {
  const [before, last] = [all.at(-2), all.at(-1)]
  if (before === undefined || last === undefined || last.to - last.from >= length / 2) return all
  const both = { from: before.from, to: last.to, bucket: merge(before.bucket, last.bucket) }
  return [...all.slice(0, -2), both]
}
