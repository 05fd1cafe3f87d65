import type { Clock, Millis } from './Clock.js'
import type { JitterGuard } from './JitterGuard.js'
import { LimiterSet } from './LimiterSet.js'
import type { Limiter } from './limiters/Limiter.js'
import type { Resources } from './Resources.js'
import { FORGET_AFTER, type TierLimiters } from './TierLimiters.js'

/** Number of limiter sets that are never forgotten. */
const FEW = 256

type Key = string | undefined

/** All limiters of a scheduler, looked up by request. Keys that are no longer used are forgotten. */
export class LimiterRegistry<in R> {
  readonly #tiers: ReadonlyArray<TierLimiters<R>>
  readonly #keyed: ReadonlyArray<(request: R) => Key>
  readonly #lanes: number
  readonly #resources: Resources
  readonly #clock: Clock
  readonly #sets = new Map<Key, LimiterSet>()
  #forgetAtSize = FEW
  /** Number of limiters that the last cleanup left. */
  #kept = 0
  #forgetAt: Millis = FORGET_AFTER

  constructor(
    tiers: ReadonlyArray<TierLimiters<R>>,
    lanes: number,
    resources: Resources,
    clock: Clock,
  ) {
    this.#tiers = tiers
    this.#resources = resources
    this.#keyed = tiers.flatMap(({ tier }) => (tier.key === undefined ? [] : [tier.key]))
    this.#lanes = lanes
    this.#clock = clock
  }

  find(request: R): LimiterSet {
    const ofResources = this.#resources.limitersOf(request)
    if (this.#keyed.length < 2 && ofResources.length === 0) {
      const key = this.#keyed[0]?.(request)
      return this.#sets.get(key) ?? this.#create(key, [key])
    }
    let id = ''
    const keys: Array<Key> = []
    for (const keyOf of this.#keyed) {
      const key = keyOf(request)
      keys.push(key)
      id += idOf(key)
    }
    for (const { key } of ofResources) id += idOf(key)
    return this.#sets.get(id) ?? this.#create(id, keys, ofResources)
  }

  all(): Iterable<LimiterSet> {
    return this.#sets.values()
  }

  /** Ends all waiting requests with an error. A request that is repeated immediately is not affected. */
  failWaiting(error: unknown): void {
    const waiting = [...this.#sets.values()].flatMap(({ queues }) =>
      queues.flatMap((queue) => queue.requests()),
    )
    for (const request of waiting) request.fail(error)
  }

  /** Forgets unused keys, at most once a minute. Must be called regularly. */
  age(now: Millis): void {
    const isMuch = this.#resources.size > 0 || Math.max(this.#sets.size, this.#kept) > FEW
    if (now >= this.#forgetAt && isMuch) this.#forgetUnused(now)
  }

  #create(id: Key, keys: ReadonlyArray<Key>, ofResources: ReadonlyArray<Limiter> = []): LimiterSet {
    if (this.#sets.size >= this.#forgetAtSize) this.#forgetUnused(this.#clock.now())
    const left = keys.values()
    const guards = new Set<JitterGuard>()
    const shared = this.#tiers.flatMap((tier) => {
      const isKeyed = tier.tier.key !== undefined
      const key = isKeyed ? left.next().value : undefined
      if (isKeyed && key === undefined) return [] // not counted
      if (typeof tier.guard === 'object') guards.add(tier.guard)
      return [tier.get(key)]
    })
    const limiters = [...shared, ...ofResources]
    const set = new LimiterSet(limiters, [...guards], this.#lanes, ofResources.length > 0)
    for (const limiter of limiters) limiter.sharedBy++
    this.#sets.set(id, set)
    return set
  }

  #forgetUnused(now: Millis): void {
    for (const [id, set] of this.#sets) {
      if (!set.isIdle()) continue
      this.#sets.delete(id)
      for (const limiter of set.limiters) limiter.sharedBy--
    }
    this.#resources.forgetUnused(now, FORGET_AFTER)
    this.#kept = 0
    for (const tier of this.#tiers) {
      tier.forgetUnused(now)
      this.#kept += tier.limiters.size
    }
    this.#forgetAtSize = this.#sets.size + Math.max(FEW, this.#sets.size, this.#kept)
    this.#forgetAt = now + FORGET_AFTER
  }
}

/** The length distinguishes keys that would be equal when joined, such as 'a', 'bc' and 'ab', 'c'. */
const idOf = (key: Key): string => (key === undefined ? '-' : `${key.length}:${key}`)
