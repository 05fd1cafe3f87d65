/** A quota that several processes share, as a scheduler sees it. */
import type { Observable, SchedulerLike, Subject } from 'rxjs'
import type { IO } from '../fp.js'
import { InvalidOption, is } from '../options/index.js'
import type { Millis } from './Clock.js'
import type { Limiter } from './limiters/Limiter.js'
import type { LimitChanged, QuotaChanged, SchedulerState } from './State.js'
import { isLimiting, type Tier } from './Tier.js'
import type { TierLimiters } from './TierLimiters.js'

/** The scheduler of a process, as its quota sees it. */
export interface DividedScheduler {
  readonly timer: SchedulerLike
  /** Tiers to divide; `limit` is after the share. */
  readonly tiers: ReadonlyArray<{
    readonly name: string
    readonly limit: number
    readonly per: Millis | undefined
  }>
  /** Requests that wait, and permits held, by tier and key. */
  readonly state: IO<SchedulerState>
  readonly events: Observable<LimitChanged | QuotaChanged>
  /** Emits an event of the quota among those of the scheduler. */
  readonly emit: (event: QuotaChanged) => void
  /** Changes the part of a limit that this process may use. */
  readonly configure: (tier: string, key: string | undefined, part: number) => void
}

/** One process among those that share a quota. */
export interface QuotaMember {
  /** Returns the part of a limit; a key that was not asked for before starts at 0. */
  readonly part: (tier: string, key: string | undefined) => number
  /** Called before requests start: by then what is no longer granted must be taken back. */
  readonly check: IO<void>
  /** A request waits, until it calls `left`. */
  readonly joined: IO<void>
  readonly left: IO<void>
}

/** A quota that several processes share: says how large the part of each is. Made by `redisQuota`. */
export interface SharedQuota {
  /** Called once by each scheduler that is made with it. */
  readonly join: (scheduler: DividedScheduler) => QuotaMember
}

export const quotaRule = is.withMethods<SharedQuota>('a quota, made by redisQuota', 'join')

/** Returns whether a quota divides the limit of a tier. */
export const isDivided = <R>(tier: Tier<R>): boolean =>
  typeof tier.limit === 'number' && isLimiting(tier)

interface JoiningScheduler<R> extends Pick<DividedScheduler, 'timer' | 'state'> {
  readonly tiers: ReadonlyArray<TierLimiters<R>>
  readonly events: Subject<LimitChanged | QuotaChanged>
  /** Starts requests that wait for limiters whose limits were changed. */
  readonly changed: (limiters: ReadonlyArray<Limiter>) => void
}

/** Lets a scheduler take part in a quota. Throws an `InvalidOption` for tiers of the same name. */
export const joinQuota = <R>(
  quota: SharedQuota,
  { tiers, timer, state, events, changed }: JoiningScheduler<R>,
): QuotaMember => {
  const names = new Set(tiers.map(({ tier }) => tier.name))
  if (names.size < tiers.length) {
    throw new InvalidOption('tiers', 'tiers of different names, for a quota')
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
