/**
 * ```ts
 * const suspects: () => Suspects
 * ```
 *
 * Which of its limits refused a request. It does not say, and what is in use is no proof: the fullest
 * probably. But one that lets all others in, time after time, is not the one that refuses these.
 *
 *     refused      a      a      a      a        always of endpoint a,
 *     let in     bcd cbda bdc dbac bcd cbd       while the limit they share lets others in: a's own
 */
import type { Bucket } from './bucket/Bucket.js'
import type { Millis } from './Clock.js'
import type { Departure } from './Departure.js'
import type { Flow } from './Flow.js'

export interface Suspects {
  /** One of this flow was refused: the bucket to blame; none if it is in none. */
  readonly refused: (flow: Flow, departure: Departure, now: Millis) => Bucket | undefined
}

/** Some were refused within a while. */
interface Occasion {
  readonly at: Millis
  /** The buckets that all of them are in, and how many each of these had let in before. */
  shared: ReadonlyMap<Bucket, number>
}

/** So many occasions are remembered, and so long a while is one: those of a burst are refused together. */
const KEPT = 8
const WHILE: Millis = 1_000
/** What is less likely to be chance is none. */
const CHANCE = 0.01

/** How likely it is that `k` of `n` are of a kind, or more, each of which is with a chance of `p`. */
const atLeast = (k: number, n: number, p: number): number => {
  let sum = 0
  let term = p ** n // all of them
  for (let i = n; i >= k; i--) {
    sum += term
    term *= (i * (1 - p)) / ((n - i + 1) * p)
  }
  return sum
}

export const suspects = (): Suspects => {
  const occasions: Array<Occasion> = []

  const remember = ({ buckets }: Flow, now: Millis): void => {
    const last = occasions.at(-1)
    if (last !== undefined && now - last.at < WHILE) {
      last.shared = new Map([...last.shared].filter(([bucket]) => buckets.includes(bucket)))
      return
    }
    if (occasions.length === KEPT) occasions.shift()
    occasions.push({ at: now, shared: new Map(buckets.map((bucket) => [bucket, bucket.letIn])) })
  }

  /** Whether those that were refused have `narrow` in common, while `wide` lets others in. */
  const isCleared = (wide: Bucket, narrow: Bucket): boolean => {
    const about = occasions.flatMap(({ shared }) => (shared.has(wide) ? [shared] : []))
    const first = about.findIndex((shared) => shared.has(narrow))
    if (first < 0) return false
    const later = about.slice(first + 1)
    const both = later.filter((shared) => shared.has(narrow)).length
    const since = (bucket: Bucket): number => bucket.letIn - (about[first]?.get(bucket) ?? 0)
    const own = since(narrow) + both + 1
    const others = Math.max(0, since(wide) - since(narrow))
    return atLeast(both, later.length, own / (own + others)) < CHANCE
  }

  return {
    refused: (flow, departure, now) => {
      remember(flow, now)
      const { buckets } = flow
      let best: Bucket | undefined
      let most = 0
      for (const bucket of buckets) {
        const part = bucket.suspicion(departure, now)
        if (part < most) continue
        if (buckets.some((other) => other !== bucket && isCleared(bucket, other))) continue
        best = bucket
        most = part
      }
      return best
    },
  }
}
