/**
 * ```ts
 * const tierState: <R>(tier: Tier<R>, common: Common) => TierState<R>
 * ```
 *
 * A tier at work: its buckets by key, what it has learned of the network, and what it has seen.
 */
import type { Bucket } from './bucket/Bucket.js'
import { loan } from './bucket/Loan.js'
import { places } from './bucket/Places.js'
import { window } from './bucket/Window.js'
import type { Clock, Millis } from './Clock.js'
import type { Guard } from './Guard.js'
import type { Slack } from './slack/Slack.js'
import type { Tier } from './Tier.js'

export interface TierState<in R> {
  readonly spec: Tier<R>
  /** What is left of the limit after the share. */
  readonly limit: number
  readonly guard: Guard
  /** What its requests have taught, if its guard is learned. */
  readonly learned: Slack | undefined
  readonly buckets: ReadonlyMap<string, Bucket>
  readonly bucket: (key: string) => Bucket
  /** Forgets all other buckets that are empty and have learned nothing. */
  readonly keep: (used: ReadonlySet<Bucket>, now: Millis) => void
  readonly counts: { refused: number }
}

/** What all tiers of a scheduler have in common. */
export interface Common {
  /** For tiers that name none. */
  readonly guard: Guard
  /** The same. */
  readonly share: number
  readonly clock: Clock
  /** A bucket may have room. */
  readonly changed: (bucket: Bucket, now: Millis) => void
  /** One network, one slack: by the length of the window. */
  readonly slack: (per: Millis) => Slack
}

/** 0.29 of 100 is a little less than 29. */
const ROUNDED = 1e-9

export const tierState = <R>(spec: Tier<R>, common: Common): TierState<R> => {
  const buckets = new Map<string, Bucket>()
  const part =
    spec._tag === 'Shared' ? Number.POSITIVE_INFINITY : spec.limit * (spec.share ?? common.share)
  const limit = Math.max(1, Math.floor(part + ROUNDED))
  const rate = spec._tag === 'Rate' ? spec : undefined
  const guard = rate?.guard ?? common.guard
  // Less than one in a window is one in a longer window.
  const per = (rate?.per ?? 0) / Math.min(1, part)
  const slack = common.slack(per)
  const counts = { refused: 0 }

  const create = (key: string): Bucket => {
    switch (spec._tag) {
      case 'Rate':
        return window({ limit, per, guard, slack, counts })
      case 'Concurrency':
        return places({ limit, counts })
      case 'Shared':
        return loan({ ...common, ...spec, batch: spec.batch ?? 1, key, counts })
    }
  }

  return {
    spec,
    limit,
    guard,
    learned: rate !== undefined && guard === 'learned' ? slack : undefined,
    buckets,
    counts,
    bucket: (key) => {
      const known = buckets.get(key)
      if (known !== undefined) return known
      const created = create(key)
      buckets.set(key, created)
      return created
    },
    keep: (used, now) => {
      for (const [key, bucket] of buckets) {
        if (bucket.idle(now) && !used.has(bucket)) buckets.delete(key)
      }
    },
  }
}
