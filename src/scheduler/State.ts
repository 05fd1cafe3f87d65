import { defer, map, type SchedulerLike, Subject, share, startWith, throttleTime } from 'rxjs'
import type { IO } from '../fp.js'
import type { Clock, Millis } from './Clock.js'
import type { Dispatcher } from './Dispatcher.js'
import type { InFlight } from './InFlight.js'
import type { LimiterRegistry } from './LimiterRegistry.js'
import type { LimiterSet } from './LimiterSet.js'
import type { AdaptiveLimit } from './limiters/AdaptiveLimit.js'
import type { Limiter } from './limiters/Limiter.js'
import type { Tier } from './Tier.js'
import type { TierLimiters } from './TierLimiters.js'

/** State of the requests that one key of a tier counts. */
export interface KeySnapshot {
  /** `undefined` when the tier has no key. */
  readonly key: string | undefined
  /** Requests that wait for a permit, of this limit or of another one that they are counted in. */
  readonly waiting: number
  /** Permits held. */
  readonly used: number
  /** Requests allowed now; below the limit after refusals. */
  readonly allowed: number
}

/** State of a tier, all its keys together. */
export interface TierSnapshot {
  readonly name: string
  /** `rate` limits requests within a window, `concurrency` requests under way. */
  readonly kind: 'rate' | 'concurrency'
  /** Configured limit after the share; 0 before an `Observable` has emitted one. */
  readonly limit: number
  /**
   * Window in ms that a rate counts in, longer than configured where its share is less than one request; `undefined` for
   * a concurrency limit.
   */
  readonly per: Millis | undefined
  /** Keys that are remembered: those in use, and for a while those that were. */
  readonly keys: number
  /** Permits held, of all keys together. */
  readonly used: number
  /** Permits held of the fullest key. */
  readonly usedMost: number
  /** Requests sent, and not ended, of those that it counts. */
  readonly inFlight: number
  /** Queues, one for each lane and set of keys, whose next request waits for this tier. */
  readonly waiting: number
  /** Lowest limit in force for any key: below `limit` after a burst of refusals. */
  readonly allowed: number
  /** Less than the limit is admitted: in words, such as `10 of 20 a second are admitted`. */
  readonly lowered: string | undefined
  /** Time that a permit is held beyond departure and window, in ms; `undefined` unless learned or given. */
  readonly guard: Millis | undefined
  /** Refusals that were put down to this tier. */
  readonly refused: number
  /** Part of the limit that the fullest key uses: 0 to 1. */
  readonly share: number
  /** Each key in use. */
  readonly perKey: ReadonlyArray<KeySnapshot>
}

/** State of a scheduler. */
export interface SchedulerState {
  /** Requests that no limit has let through yet. */
  readonly waiting: number
  /** Requests sent, and not ended. */
  readonly inFlight: number
  /** Requests that were refused, and wait for their backoff to end. */
  readonly backingOff: number
  /** Requests sent since the scheduler was made, retries included. */
  readonly started: number
  /** Refusals that were put down to any tier. */
  readonly refused: number
  /** In the order in which they were given. */
  readonly tiers: ReadonlyArray<TierSnapshot>
}

/** More or less of a limit is admitted: a whole window at another level than before was. */
export interface LimitChanged {
  readonly _tag: 'LimitChanged'
  /** Name of the tier. */
  readonly tier: string
  /** Key of the requests; `undefined` when the tier has no key. */
  readonly key: string | undefined
  /** Configured limit after the share. */
  readonly limit: number
  /** Part of it that is admitted. */
  readonly allowed: number
  /** In words, such as `10 of 20 a second are admitted`. */
  readonly message: string
}

/** The place that divides a shared quota does not answer or refuses, or answers again. */
export interface QuotaChanged {
  readonly _tag: 'QuotaChanged'
  /** True when it answers again. */
  readonly isAvailable: boolean
  /** In words, with the reason as the place gave it. */
  readonly message: string
}

const WINDOWS: ReadonlyMap<Millis, string> = new Map([
  [1_000, 'a second'],
  [60_000, 'a minute'],
])

/** Returns in words how much of a limit is admitted. */
export const describeLimit = <R>(tier: Tier<R>, limit: number, allowed: number): string => {
  const window = tier._tag === 'Rate' ? (WINDOWS.get(tier.per) ?? `in ${tier.per} ms`) : 'at once'
  return `${allowed} of ${limit} ${window} ${allowed === 1 ? 'is' : 'are'} admitted`
}

/** Returns the state of a tier. `sets`: all sets of limiters; `parkedAt`: queues that wait for a limiter. */
const tierSnapshot = <R>(
  tiers: TierLimiters<R>,
  sets: ReadonlyArray<LimiterSet>,
  parkedAt: (limiter: Limiter) => number,
  now: Millis,
): TierSnapshot => {
  const { tier, limit, window, guard, limiters } = tiers
  const waitingBy = new Map<Limiter, number>()
  for (const limiter of limiters.values()) waitingBy.set(limiter, 0)
  let inFlight = 0
  for (const set of sets) {
    const limiter = set.limiters.find((one) => waitingBy.has(one))
    if (limiter === undefined) continue
    inFlight += set.inFlight
    waitingBy.set(limiter, (waitingBy.get(limiter) ?? 0) + set.waiting())
  }

  let [used, usedMost, parked, allowed] = [0, 0, 0, limit]
  let lowered: AdaptiveLimit | undefined
  const perKey: Array<KeySnapshot> = []
  for (const [limiter, waiting] of waitingBy) {
    const permits = limiter.used(now)
    const { level } = limiter.limit
    if (waiting + permits > 0)
      perKey.push({ key: limiter.key, waiting, used: permits, allowed: level })
    used += permits
    usedMost = Math.max(usedMost, permits)
    parked += parkedAt(limiter)
    allowed = Math.min(allowed, level)
    const { confirmed, max } = limiter.limit
    if (confirmed < Math.min(max, lowered?.confirmed ?? max)) lowered = limiter.limit
  }

  return {
    name: tier.name,
    kind: tier._tag === 'Rate' ? 'rate' : 'concurrency',
    limit,
    per: tier._tag === 'Rate' ? window : undefined,
    keys: limiters.size,
    used,
    usedMost,
    inFlight,
    waiting: parked,
    allowed,
    lowered: lowered && describeLimit(tier, lowered.max, lowered.confirmed),
    guard: typeof guard === 'object' ? guard.value : guard === 'safe' ? undefined : guard,
    refused: tiers.refusals(),
    share: limit === 0 ? 0 : usedMost / limit,
    perKey,
  }
}

/** Returns the state of a scheduler. */
export const schedulerState = <R>(
  tiers: ReadonlyArray<TierLimiters<R>>,
  registry: LimiterRegistry<R>,
  inFlight: InFlight,
  dispatcher: Dispatcher,
  clock: Clock,
): SchedulerState => {
  const sets = [...registry.all()]
  const now = clock.now()
  const snapshots = tiers.map((tier) =>
    tierSnapshot(tier, sets, (limiter) => dispatcher.parkedAt(limiter), now),
  )
  return {
    waiting: sets.reduce((sum, set) => sum + set.waiting(), 0),
    inFlight: inFlight.count,
    backingOff: sets.reduce((sum, set) => sum + set.backingOff, 0),
    started: inFlight.sent,
    refused: snapshots.reduce((sum, tier) => sum + tier.refused, 0),
    tiers: snapshots,
  }
}

/** Shortest time between two states. */
const EVERY: Millis = 250

/** Returns states, the first at once, and then at most every 250 ms while `changed` is called. */
export const stateFeed = <S>(timer: SchedulerLike, state: IO<S>) => {
  const changes = new Subject<void>()
  const throttled = throttleTime<void>(EVERY, timer, { leading: false, trailing: true })
  const later = changes.pipe(throttled, map(state), share())
  return {
    states: defer(() => later.pipe(startWith(state()))),
    changed: (): void => {
      if (changes.observed) changes.next()
    },
  }
}
