import { merge, type Observable, Subscription, tap } from 'rxjs'
import type { IO } from '../fp.js'
import { InvalidOption, is } from '../options/index.js'
import type { Millis } from './Clock.js'
import type { JitterGuard } from './JitterGuard.js'
import { AdaptiveLimit, type AdaptiveLimitOptions } from './limiters/AdaptiveLimit.js'
import { ConcurrencyLimit } from './limiters/ConcurrencyLimit.js'
import type { Limiter } from './limiters/Limiter.js'
import { type Guard, type RateGuard, RollingWindow } from './limiters/RollingWindow.js'
import type { Tier } from './Tier.js'

/** Period over which refusals of a concurrency limit are judged, in ms, because such limits have no window. */
const CONCURRENCY_WINDOW: Millis = 1_000
/** Tolerance for floating-point errors: 100 * 0.29 is slightly less than 29. */
const ROUNDING = 1e-9
/** Time after which an unused limiter is forgotten, together with a lower limit that it has found. */
export const FORGET_AFTER: Millis = 60_000

export interface TierLimitersOptions {
  /** Guard of tiers without one of their own, like `share`. */
  readonly guard: Guard
  readonly share: number
  readonly random: IO<number>
  /** Returns the learned guard that all rates with this window share. */
  readonly guardOf: (window: Millis) => JitterGuard
  /** Called when a limiter has admitted a whole window at a different level than before. */
  readonly confirmed: (tier: string, key: string | undefined, level: number, max: number) => void
  readonly isElsewhere: AdaptiveLimitOptions['isElsewhere']
  /** Returns the part of a limit that a quota grants this process; `undefined` if the limit is not divided. */
  readonly part: (tier: string, key: string | undefined) => number | undefined
}

/** A tier with its limiters, one for each key. */
export class TierLimiters<in R> {
  readonly tier: Tier<R>
  /** The guard of a rate. It is learned from its requests unless it was given. */
  readonly guard: RateGuard | undefined
  readonly limiters = new Map<string | undefined, Limiter>()
  /** The configured limit times the share; 0 before an `Observable` limit has emitted. */
  limit: number
  /** Period over which refusals are judged: the window, for a rate. */
  window: Millis = CONCURRENCY_WINDOW
  readonly #options: TierLimitersOptions
  readonly #share: number
  #forgottenRefusals = 0

  constructor(tier: Tier<R>, options: TierLimitersOptions) {
    this.tier = tier
    this.#options = options
    this.#share = tier.share ?? options.share
    const limit = typeof tier.limit === 'number' ? tier.limit : 0
    this.limit = this.#shareOf(limit)
    this.window = this.#windowOf(limit)
    if (tier._tag === 'Concurrency') return
    const { guard = options.guard } = tier
    this.guard = guard === 'learned' ? options.guardOf(this.window) : guard
  }

  configure(limit: number): void {
    this.limit = this.#shareOf(limit)
    this.window = this.#windowOf(limit)
    for (const limiter of this.limiters.values()) limiter.configure(this.limit, this.window)
  }

  get(key: string | undefined): Limiter {
    const limiter = this.limiters.get(key) ?? this.#create(key)
    this.limiters.set(key, limiter)
    return limiter
  }

  refusals(): number {
    let sum = this.#forgottenRefusals
    for (const { refusals } of this.limiters.values()) sum += refusals
    return sum
  }

  /** Forgets limiters that belong to no set, hold no permit, and have learned nothing. */
  forgetUnused(now: Millis): void {
    for (const [key, limiter] of this.limiters) {
      const isKnown = limiter.limit.isLowered() && now - limiter.acquiredAt <= FORGET_AFTER
      if (limiter.sharedBy > 0 || limiter.permitsHeld(now) > 0 || isKnown) continue
      this.#forgottenRefusals += limiter.refusals
      this.limiters.delete(key)
    }
  }

  #shareOf(limit: number): number {
    return limit === 0 ? 0 : Math.max(1, Math.floor(limit * this.#share + ROUNDING))
  }

  /** Returns the window of a limit. A limit of less than one request per window becomes one request in a longer window. */
  #windowOf(limit: number): Millis {
    const { tier } = this
    const share = this.#share
    return tier._tag === 'Rate' ? tier.per / Math.min(1, limit * share || 1) : CONCURRENCY_WINDOW
  }

  #create(key: string | undefined): Limiter {
    const { guard, window } = this
    const options = this.#options
    const { name } = this.tier
    const limit = new AdaptiveLimit(options.part(name, key) ?? this.limit, window, {
      random: options.random,
      confirmed: (level, max) => options.confirmed(name, key, level, max),
      isElsewhere: options.isElsewhere,
      // A concurrency limit has no window, so its level is halved.
      afterBurst: guard === undefined ? (_, level) => Math.max(1, Math.floor(level / 2)) : Math.min,
    })
    if (guard === undefined) return new ConcurrencyLimit(key, limit)
    return new RollingWindow(key, limit, window, guard)
  }
}

/** Keeps `Observable` limits of tiers up to date while any request waits or is in flight. */
export class DynamicLimits<R> {
  readonly #changes: Observable<unknown> | undefined
  readonly #failed: (error: unknown) => void
  #requests = 0
  #isSubscribed = false
  #subscription = Subscription.EMPTY

  /** `failed` is called with the error of a limit; all waiting requests then fail with it. */
  constructor(
    tiers: ReadonlyArray<TierLimiters<R>>,
    changed: (tier: TierLimiters<R>) => void,
    failed: (error: unknown) => void,
  ) {
    this.#failed = failed
    const changes = tiers.flatMap((tiers) => changesOf(tiers, changed))
    if (changes.length > 0) this.#changes = merge(...changes)
  }

  joined(): void {
    this.#requests++
  }

  left(): void {
    if (--this.#requests > 0 || !this.#isSubscribed) return
    this.#isSubscribed = false
    this.#subscription.unsubscribe()
  }

  /**
   * Called before a request waits. Subscribes for the first request, and again for the first one after a failure. Throws the
   * error of a limit that fails immediately.
   */
  watch(): void {
    if (this.#changes === undefined || this.#isSubscribed) return
    this.#isSubscribed = true
    const failures: Array<{ readonly error: unknown }> = []
    let failed = (error: unknown): void => {
      failures.push({ error })
    }
    const error = (reason: unknown): void => {
      this.#isSubscribed = false
      failed(reason)
    }
    this.#subscription = this.#changes.subscribe({ error })
    failed = this.#failed
    const [failure] = failures
    if (failure === undefined) return
    this.#failed(failure.error)
    throw failure.error
  }
}

/** Returns the values of a tier's `Observable` limit. Fails if it ends before its first value. */
const changesOf = <R>(
  tiers: TierLimiters<R>,
  changed: (tier: TierLimiters<R>) => void,
): ReadonlyArray<Observable<number>> => {
  const { limit, name } = tiers.tier
  if (typeof limit === 'number') return []
  const invalid = (expected: string) => new InvalidOption('limit', expected, `'${name}': `)
  let isKnown = false
  const next = (value: number): void => {
    const { accepts, expected } = is.positiveIntOrInfinity
    if (value !== 0 && !accepts(value)) throw invalid(`0 or ${expected}`)
    isKnown = true
    tiers.configure(value)
    changed(tiers)
  }
  const complete = (): void => {
    if (!isKnown) throw invalid('an Observable that emits a limit before it completes')
  }
  return [limit.pipe(tap({ next, complete }))]
}
