/** A quota shared by several processes, as seen by a scheduler. */
import type { Observable, SchedulerLike, Subject } from 'rxjs'
import type { IO } from '../fp.js'
import { InvalidOption, is } from '../options/index.js'
import type { Millis } from './Clock.js'
import type { Limiter } from './limiters/Limiter.js'
import type { LimitChanged, QuotaChanged, SchedulerState } from './State.js'
import { isLimiting, type Tier } from './Tier.js'
import type { TierLimiters } from './TierLimiters.js'

/** A process's scheduler, as seen by its quota. */
export interface DividedScheduler {
  readonly timer: SchedulerLike
  /** Tiers to divide; `limit` includes the share. */
  readonly tiers: ReadonlyArray<{
    readonly name: string
    readonly limit: number
    readonly per: Millis | undefined
  }>
  /** Waiting requests and held permits, by tier and key. */
  readonly state: IO<SchedulerState>
  readonly events: Observable<LimitChanged | QuotaChanged>
  /** Emits a quota event among the scheduler's events. */
  readonly emit: (event: QuotaChanged) => void
  /** Changes the part of a limit that this process may use. */
  readonly configure: (tier: string, key: string | undefined, part: number) => void
}

/** One of the processes that share a quota. */
export interface QuotaMember {
  /** Returns this process's part of a limit. A new key starts at 0. */
  readonly part: (tier: string, key: string | undefined) => number
  /** Called before requests start, so that permits that are no longer granted are withdrawn first. */
  readonly check: IO<void>
  /** Called when a request starts to wait. The returned function is called when the request leaves. */
  readonly joined: IO<void>
  readonly left: IO<void>
}

/** A quota that several processes share, which decides the part of each. Created by `redisQuota`. */
export interface SharedQuota {
  /** Called once by each scheduler created with it. */
  readonly join: (scheduler: DividedScheduler) => QuotaMember
}

export const quotaRule = is.withMethods<SharedQuota>('a quota from redisQuota', 'join')

/** Returns true if a shared quota divides this tier's limit among the processes. */
export const isDivided = <R>(tier: Tier<R>): boolean =>
  typeof tier.limit === 'number' && isLimiting(tier)

interface JoiningScheduler<R> extends Pick<DividedScheduler, 'timer' | 'state'> {
  readonly tiers: ReadonlyArray<TierLimiters<R>>
  readonly events: Subject<LimitChanged | QuotaChanged>
  /** Starts requests that wait for limiters whose limits were changed. */
  readonly changed: (limiters: ReadonlyArray<Limiter>) => void
}

/** Connects a scheduler to a quota. Throws an `InvalidOption` if tiers have the same name. */
export const joinQuota = <R>(
  quota: SharedQuota,
  { tiers, timer, state, events, changed }: JoiningScheduler<R>,
): QuotaMember => {
  const names = new Set(tiers.map(({ tier }) => tier.name))
  if (names.size < tiers.length) {
    throw new InvalidOption(
      'tiers',
      'tiers with different names, because the quota tells them apart by name',
    )
  }
  const divided = new Map(
    tiers.flatMap((one) => (isDivided(one.tier) ? [[one.tier.name, one] as const] : [])),
  )
  return quota.join({
    timer,
    tiers: [...divided.values()].map(({ tier, limit }) => ({
      name: tier.name,
      limit,
      per: tier._tag === 'Rate' ? tier.per : undefined,
    })),
    state,
    events,
    emit: (event) => events.next(event),
    configure: (name, key, part) => {
      const limiter = divided.get(name)?.limiters.get(key)
      if (limiter === undefined) return
      limiter.limit.configure(part)
      changed([limiter])
    },
  })
}
