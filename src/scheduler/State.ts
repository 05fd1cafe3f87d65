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
  /** The key; `undefined` if the tier has none. */
  readonly key: string | undefined
  /** Requests waiting for a permit of this limit, or of another limit that counts them. */
  readonly waiting: number
  /** Number of permits held. */
  readonly used: number
  /** Number of requests allowed now; below the limit after refusals. */
  readonly allowed: number
}

/** State of a tier, for all its keys together. */
export interface TierSnapshot {
  readonly name: string
  /** `rate` limits requests within a time window, `concurrency` limits concurrent requests. */
  readonly kind: 'rate' | 'concurrency'
  /** The configured limit times the share; 0 before an `Observable` limit has emitted. */
  readonly limit: number
  /**
   * Length of a rate's window in ms, longer than configured if the share is less than one request; `undefined` for a concurrency
   * limit.
   */
  readonly per: Millis | undefined
  /** Number of remembered keys: those in use, and recently used ones. */
  readonly keys: number
  /** Number of permits held, for all keys together. */
  readonly used: number
  /** Number of permits held by the fullest key. */
  readonly usedMost: number
  /** Number of requests in flight that this tier counts. */
  readonly inFlight: number
  /** Number of queues, one for each lane and set of keys, whose next request waits for this tier. */
  readonly waiting: number
  /** Lowest limit in force for any key: below `limit` after a burst of refusals. */
  readonly allowed: number
  /** Present if the server admits less than the limit, such as `10 of 20 per second are admitted`. */
  readonly lowered: string | undefined
  /** Time for which a permit is held beyond its window, in ms, as learned or given; `undefined` if neither. */
  readonly guard: Millis | undefined
  /** Refusals attributed to this tier. */
  readonly refused: number
  /** Share of the limit that the fullest key uses, from 0 to 1. */
  readonly share: number
  /** State of each key in use. */
  readonly perKey: ReadonlyArray<KeySnapshot>
}

/** Waiting requests of a key of `fair`. */
export interface WaitingKey {
  /** The key; `undefined` if `by` returns that, for example for your own account. */
  readonly key: string | undefined
  /** Requests not yet admitted by the limits. */
  readonly waiting: number
}

/** State of a scheduler. */
export interface SchedulerState {
  /** Requests not yet admitted by the limits. */
  readonly waiting: number
  /** Requests in flight. */
  readonly inFlight: number
  /** Refused requests waiting for their backoff. */
  readonly backingOff: number
  /** Number of requests sent since the scheduler was created, including retries. */
  readonly started: number
  /** Refusals attributed to any tier. */
  readonly refused: number
  /** Number of `fair` keys with waiting requests; 0 without `fair`. */
  readonly waitingKeys: number
  /** Keys with the most waiting requests, at most 100. */
  readonly waitingByKey: ReadonlyArray<WaitingKey>
  /** State of each tier, in the given order. */
  readonly tiers: ReadonlyArray<TierSnapshot>
}

/** Event: the server admits more or less of a limit than before. */
export interface LimitChanged {
  readonly _tag: 'LimitChanged'
  /** Name of the tier. */
  readonly tier: string
  /** Key of the requests; `undefined` if the tier has none. */
  readonly key: string | undefined
  /** The configured limit times the share. */
  readonly limit: number
  /** The admitted part of the limit. */
  readonly allowed: number
  /** Description, such as `10 of 20 per second are admitted`. */
  readonly message: string
}

/** Event: the Redis of a shared quota refuses commands, stops responding, or responds again. */
export interface QuotaChanged {
  readonly _tag: 'QuotaChanged'
  /** True if it responds again. */
  readonly isAvailable: boolean
  /** Description, with the reason given by Redis. */
  readonly message: string
}

const WINDOWS: ReadonlyMap<Millis, string> = new Map([
  [1_000, 'per second'],
  [60_000, 'per minute'],
])

/** Describes how much of a limit is admitted. */
export const describeLimit = <R>(tier: Tier<R>, limit: number, allowed: number): string => {
  const window = tier._tag === 'Rate' ? (WINDOWS.get(tier.per) ?? `in ${tier.per} ms`) : 'at once'
  return `${allowed} of ${limit} requests ${window} ${allowed === 1 ? 'is' : 'are'} admitted`
}

/** Returns the state of a tier. `sets`: all sets of limiters; `parkedAt`: returns the queues that wait for a limiter. */
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

/** Maximum number of keys in a state. */
const MOST_KEYS = 100

/** Returns the number of waiting requests, in all sets, by key. */
const waitingKeys = (
  sets: ReadonlyArray<LimiterSet>,
): Pick<SchedulerState, 'waitingKeys' | 'waitingByKey'> => {
  const counts = new Map<string | undefined, number>()
  for (const { queues } of sets) for (const queue of queues) queue.countByKey(counts)
  const keys = [...counts].map(([key, waiting]) => ({ key, waiting }))
  const waitingByKey = keys.sort((a, b) => b.waiting - a.waiting).slice(0, MOST_KEYS)
  return { waitingKeys: keys.length, waitingByKey }
}

export const schedulerState = <R>(
  tiers: ReadonlyArray<TierLimiters<R>>,
  registry: LimiterRegistry<R>,
  inFlight: InFlight,
  dispatcher: Dispatcher,
  clock: Clock,
  isFair: boolean,
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
    ...waitingKeys(isFair ? sets : []),
    tiers: snapshots,
  }
}

/** Shortest time between two states. */
const EVERY: Millis = 250

/** Returns a stream of states: the first immediately, then at most one every 250 ms while `changed` is called. */
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
