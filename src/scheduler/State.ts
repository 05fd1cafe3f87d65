/**
 * ```ts
 * interface SchedulerState
 * ```
 *
 * What a scheduler shows of itself.
 */
import type { Millis } from './Clock.js'
import type { Flow } from './Flow.js'
import type { TierState } from './TierState.js'

/** How a tier stands, all its keys together. */
export interface TierSnapshot {
  /** The name of the tier, as it was given. */
  readonly name: string
  /** What it limits: how often, how many at once, or as a shared store says. */
  readonly kind: 'rate' | 'concurrency' | 'shared'
  /** What is configured, after the share. */
  readonly limit: number
  /** Keys that it remembers: those in use, and for a while those that were. */
  readonly keys: number
  /** Places taken, of all keys together. */
  readonly used: number
  /** Places taken under the fullest key. */
  readonly usedMost: number
  /** Sent, and not ended, of those that it counts. */
  readonly inFlight: number
  /** Queues, one for each lane and set of keys, whose next request waits for this tier. */
  readonly waiting: number
  /** The lowest limit in force for any key, when a request last asked: below `limit` after a burst of refusals. */
  readonly allowed: number
  /** Milliseconds a place stays taken after departure and window; `undefined` unless learned or given. */
  readonly guard: Millis | undefined
  /** Refusals that were put down to this tier. */
  readonly refused: number
  /** Places taken of those there are, for the fullest key: 0 to 1. */
  readonly share: number
}

/** How a scheduler stands: who waits, who is under way, and each tier. */
export interface SchedulerState {
  /** Requests that no limit has let through yet. */
  readonly waiting: number
  /** Sent, and not ended. */
  readonly inFlight: number
  /** Refused, and waiting for their backoff to end. */
  readonly backingOff: number
  /** Let through since the scheduler was made; those that were tried again count again. */
  readonly started: number
  /** Refusals that were put down to any tier. */
  readonly refused: number
  /** Each of them, in the order they were given. */
  readonly tiers: ReadonlyArray<TierSnapshot>
}

const KINDS = { Rate: 'rate', Concurrency: 'concurrency', Shared: 'shared' } as const

const beyondWindow = <R>({ spec, guard, learned }: TierState<R>): Millis | undefined =>
  spec._tag === 'Rate' && typeof guard === 'number' ? guard : learned?.value()

/** How a tier stands. `flying`: all that have requests under way. */
export const tierSnapshot = <R>(
  tier: TierState<R>,
  flying: ReadonlyArray<Flow>,
  now: Millis,
): TierSnapshot => {
  let [used, usedMost, inFlight, waiting, allowed] = [0, 0, 0, 0, tier.limit]
  for (const bucket of tier.buckets.values()) {
    const taken = bucket.used(now)
    used += taken
    usedMost = Math.max(usedMost, taken)
    waiting += bucket.park?.size() ?? 0
    allowed = Math.min(allowed, bucket.ceiling.last())
  }
  for (const flow of flying) {
    if (flow.buckets.some(({ counts }) => counts === tier.counts)) inFlight += flow.inFlight
  }
  const { spec } = tier
  return {
    name: spec.name,
    kind: KINDS[spec._tag],
    limit: tier.limit,
    keys: tier.buckets.size,
    used,
    usedMost,
    inFlight,
    waiting,
    allowed,
    guard: beyondWindow(tier),
    refused: tier.counts.refused,
    share: usedMost / tier.limit,
  }
}
