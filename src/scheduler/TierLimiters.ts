import { Subscription, tap } from 'rxjs'
import type { IO } from '../fp.js'
import { InvalidOption, is } from '../options/index.js'
import type { Millis } from './Clock.js'
import type { JitterGuard } from './JitterGuard.js'
import { AdaptiveLimit } from './limiters/AdaptiveLimit.js'
import { ConcurrencyLimit } from './limiters/ConcurrencyLimit.js'
import type { Limiter } from './limiters/Limiter.js'
import { type Guard, RollingWindow } from './limiters/RollingWindow.js'
import type { Tier } from './Tier.js'

/** Refusals of a concurrency limit are judged over so many ms, as those of a rate are over its window. */
const CONCURRENCY_WINDOW: Millis = 1_000
/** 0.29 of 100 is a little less than 29. */
const ROUNDING = 1e-9
/** What a limiter has learned of a lower limit is forgotten when it was not used for so long, in ms. */
const REMEMBERED: Millis = 60_000

export interface TierLimitersOptions {
  /** Guard and share of the scheduler, for tiers that have none. */
  readonly guard: Guard
  readonly share: number
  readonly random: IO<number>
  /** Returns the learned guard of all rates with this window. */
  readonly guardOf: (window: Millis) => JitterGuard
  /** A limiter lets a whole window through at another level than before. */
  readonly confirmed: (tier: TierLimiters<never>, key: string | undefined, level: number) => void
}

/** A tier with its limiters, one for each key. */
export class TierLimiters<in R> {
  readonly tier: Tier<R>
  readonly guard: Guard
  /** Guard that its requests teach. */
  readonly learned: JitterGuard | undefined
  readonly limiters = new Map<string | undefined, Limiter>()
  /** Configured limit after the share; 0 before an `Observable` has emitted one. */
  limit: number
  private readonly options: TierLimitersOptions
  private readonly window: Millis
  private readonly share: number
  private forgottenRefusals = 0

  constructor(tier: Tier<R>, options: TierLimitersOptions) {
    this.tier = tier
    this.options = options
    this.share = tier.share ?? options.share
    const rate = tier._tag === 'Rate' ? tier : undefined
    this.guard = rate?.guard ?? options.guard
    const part = typeof tier.limit === 'number' ? tier.limit * this.share : 1
    // Less than one request in a window is one in a longer window.
    this.window = rate === undefined ? CONCURRENCY_WINDOW : rate.per / Math.min(1, part)
    const isLearned = rate !== undefined && this.guard === 'learned'
    this.learned = isLearned ? options.guardOf(this.window) : undefined
    this.limit = typeof tier.limit === 'number' ? this.shareOf(tier.limit) : 0
  }

  /** Changes the limit of all keys. */
  configure(limit: number): void {
    this.limit = this.shareOf(limit)
    for (const limiter of this.limiters.values()) limiter.limit.configure(this.limit)
  }

  get(key: string | undefined): Limiter {
    const limiter = this.limiters.get(key) ?? this.create(key)
    this.limiters.set(key, limiter)
    return limiter
  }

  /** Refusals that its limiters were blamed for. */
  refusals(): number {
    let sum = this.forgottenRefusals
    for (const { refusals } of this.limiters.values()) sum += refusals
    return sum
  }

  /** Forgets limiters that belong to no set, hold no permit, and know nothing of use. */
  forgetUnused(now: Millis): void {
    for (const [key, limiter] of this.limiters) {
      const isKnown = limiter.limit.isLowered() && now - limiter.acquiredAt <= REMEMBERED
      if (limiter.sharedBy > 0 || limiter.held(now) > 0 || isKnown) continue
      this.forgottenRefusals += limiter.refusals
      this.limiters.delete(key)
    }
  }

  private shareOf(limit: number): number {
    return limit === 0 ? 0 : Math.max(1, Math.floor(limit * this.share + ROUNDING))
  }

  private create(key: string | undefined): Limiter {
    const { random, confirmed } = this.options
    const isRate = this.tier._tag === 'Rate'
    const limit = new AdaptiveLimit(this.limit, this.window, {
      random,
      confirmed: (level) => confirmed(this, key, level),
      // A concurrency limit has no window to count in, so it is halved.
      afterBurst: isRate ? Math.min : (_, level) => Math.max(1, Math.floor(level / 2)),
    })
    if (!isRate) return new ConcurrencyLimit(key, limit)
    const guard = this.guard === 'learned' ? this.options.guardOf(this.window) : this.guard
    return new RollingWindow(key, limit, this.window, guard)
  }
}

/** Keeps the limits of tiers up to date that are Observables, while any request waits or is under way. */
export class DynamicLimits<R> {
  private readonly tiers: ReadonlyArray<TierLimiters<R>>
  private readonly changed: (tier: TierLimiters<R>) => void
  private readonly failed: (error: unknown) => void
  private requests = 0
  private subscription = new Subscription()
  private failure: { readonly error: unknown } | undefined

  /** `failed` is called with the error of a limit: all requests that wait fail with it. */
  constructor(
    tiers: ReadonlyArray<TierLimiters<R>>,
    changed: (tier: TierLimiters<R>) => void,
    failed: (error: unknown) => void,
  ) {
    this.tiers = tiers.filter(({ tier }) => typeof tier.limit !== 'number')
    this.changed = changed
    this.failed = failed
  }

  /** A request is there. Throws the error of a limit that has failed. */
  joined(): void {
    if (this.tiers.length === 0) return
    if (this.requests++ === 0) this.subscribe()
    if (this.failure === undefined) return
    this.left()
    throw this.failure.error
  }

  /** A request has ended or was cancelled. */
  left(): void {
    if (this.tiers.length > 0 && --this.requests === 0) this.subscription.unsubscribe()
  }

  private subscribe(): void {
    this.failure = undefined
    const subscription = new Subscription()
    this.subscription = subscription
    for (const tiers of this.tiers) {
      const { limit, name } = tiers.tier
      if (typeof limit === 'number' || this.failure !== undefined) continue
      const next = (value: number): void => {
        const { accepts, expected } = is.positiveIntOrInfinity
        if (value !== 0 && !accepts(value)) {
          throw new InvalidOption('limit', `0 or ${expected}`, `'${name}': `)
        }
        tiers.configure(value)
        this.changed(tiers)
      }
      const error = (reason: unknown): void => {
        this.failure = { error: reason }
        subscription.unsubscribe()
        this.failed(reason)
      }
      subscription.add(limit.pipe(tap(next)).subscribe({ error }))
    }
  }
}
