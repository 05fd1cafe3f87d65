import { type Observable, type SchedulerLike, Subject } from 'rxjs'
import { type IO, withoutPrototype, withoutUndefined } from '../fp.js'
import {
  checkOptions,
  defaultsOf,
  InvalidOption,
  is,
  type OptionsOf,
  type OptionsTable,
  required,
  withDefault,
} from '../options/index.js'
import { GuardedEvents } from '../stream/guardedEvents.js'
import { steadyTimer } from '../stream/steadyTimer.js'
import { warnOnce } from '../stream/warnOnce.js'
import { Clock, type Millis } from './Clock.js'
import { Dispatcher } from './Dispatcher.js'
import { InFlight } from './InFlight.js'
import { JitterGuard } from './JitterGuard.js'
import { LimiterRegistry } from './LimiterRegistry.js'
import { AdaptiveLimit } from './limiters/AdaptiveLimit.js'
import type { Limiter } from './limiters/Limiter.js'
import { type Guard, guardRule, RollingWindow } from './limiters/RollingWindow.js'
import { Resources } from './Resources.js'
import { isDivided, joinQuota, quotaRule } from './SharedQuota.js'
import {
  describeLimit,
  type LimitChanged,
  type QuotaChanged,
  type SchedulerState,
  schedulerState,
  stateFeed,
} from './State.js'
import {
  type FairOptions,
  fairRule,
  safeFairness,
  safeResources,
  weightRule,
  withSafeKey,
} from './safeKey.js'
import { refusalDefaults, refusalsRule, type SchedulerCore } from './Task.js'
import { checkedTier, isLimiting, type Tier, tiersRule } from './Tier.js'
import { DynamicLimits, TierLimiters } from './TierLimiters.js'

const table = {
  /**
   * Time for which a permit (the place of a request in a rate limit) is held after its window, to allow for network jitter.
   * Default `'learned'`.
   */
  guard: withDefault(guardRule, 'learned'),
  /** Share of every limit to use, above 0 and at most 1. Default 1. */
  share: withDefault(is.fraction, 1),
  /**
   * Weight of each lane when several lanes have waiting requests, from 0.001 to 1,000. Default `{ interactive: 8, bulk: 1 }`.
   */
  lanes: withDefault(is.recordOf(weightRule, 'an object of weights by lane name'), {
    interactive: 8,
    bulk: 1,
  }),
  /** The lane of requests that do not name one. Default: the last of `lanes`. */
  lane: is.string,
  /** The longest queue goes first, unless another queue has not been served for this long, in ms. Default 10,000. */
  maxQueueAge: withDefault(is.millis, 10_000),
  /** Handling of requests that the server refuses because of its limits, for example with HTTP 429. */
  refusals: refusalsRule,
  /** Timers and clock. Default: those of the runtime, with a monotonic clock. */
  timer: is.rxScheduler<SchedulerLike>(),
  /** Random number from 0 (inclusive) to 1 (exclusive). Default `Math.random`. */
  random: is.fn<IO<number>>(),
  /**
   * Divides each limit between the processes of an account, for example `redisQuota` of `payments-rx/quota`. Does not divide
   * tiers without a limit, or whose limit is an `Observable`. Nothing is sent until the quota has replied for the first time.
   */
  quota: quotaRule,
}

const rules: OptionsTable<SchedulerOptions<never>> & typeof table = {
  tiers: required(tiersRule),
  resources: is.fn(),
  fair: fairRule,
  ...table,
}

/** Options of `createScheduler`. */
export interface SchedulerOptions<R> extends OptionsOf<typeof table> {
  /** The limits. All of them apply at the same time. */
  readonly tiers: ReadonlyArray<Tier<R>>
  /**
   * Returns the resources of a request that the server may limit separately, narrowest first, such as a path and an account. A
   * resource that is refused while others are admitted is slowed down alone. If the function throws, its error is reported once
   * on stderr, and the request counts as having no resources. Default: none.
   */
  readonly resources?: ((request: R) => ReadonlyArray<string>) | undefined
  /** Lets keys take turns within a lane, among requests queued for the same limits. Default `false`: first in, first out. */
  readonly fair?: FairOptions<R> | false | undefined
}

/** Returned by `createScheduler`; pass it to `schedule` and `scheduleMap`. `R`: the request that tiers take their keys from. */
export interface Scheduler<in R> {
  /** Emits immediately, and then at most every 250 ms while something changes. */
  readonly state: Observable<SchedulerState>
  /** Emits when the server admits less than a configured limit, and when that changes. */
  readonly events: Observable<LimitChanged | QuotaChanged>
  /** Internal: used by `schedule` and `scheduleMap`. */
  readonly core: SchedulerCore<R>
}

/** Creates a scheduler that uses the limits in full without exceeding them. Throws an `InvalidOption` for an invalid option. */
export const createScheduler = <R>(given: SchedulerOptions<R>): Scheduler<R> => {
  const options = withoutPrototype({ ...defaultsOf(table), ...checkOptions(given, rules) })
  const { guard, share, maxQueueAge, random = Math.random } = options
  const lanes = Object.keys(options.lanes)
  const defaultLane = options.lane ?? lanes.at(-1)
  if (defaultLane === undefined) throw new InvalidOption('lanes', 'at least one lane')
  if (!lanes.includes(defaultLane)) throw unknownLane(lanes)

  const timer = steadyTimer(options.timer)
  const clock = new Clock(timer)
  const events = new Subject<LimitChanged | QuotaChanged>()
  const guardOf = learnedGuards()
  const resources = resourcesOf(options, random, guardOf)
  const tiers: ReadonlyArray<TierLimiters<R>> = options.tiers.map(
    (tier) =>
      new TierLimiters<R>(withSafeKey(checkedTier(tier)), {
        guard,
        share,
        random,
        guardOf,
        isElsewhere: (window, limit, now) => resources.explain(window, limit, now),
        confirmed: (name, key, allowed, limit) => {
          const message = describeLimit(tier, limit, allowed)
          events.next({ _tag: 'LimitChanged', tier: name, key, limit, allowed, message })
        },
        part: (name, key) => (isDivided(tier) ? quota?.part(name, key) : undefined),
      }),
  )
  const limiting = tiers.filter(({ tier }) => isLimiting(tier))
  const registry = new LimiterRegistry(limiting, lanes.length, resources, clock)

  const state = (): SchedulerState =>
    schedulerState(tiers, registry, inFlight, dispatcher, clock, core.fair !== undefined)
  const feed = stateFeed(timer, state)
  const dispatcher = new Dispatcher(clock, Object.values(options.lanes), maxQueueAge, () =>
    quota?.check(),
  )
  const inFlight = new InFlight(clock, dispatcher, resources, (now) => {
    feed.changed()
    registry.age(now)
  })
  const changed = (limiters: Iterable<Limiter>): void =>
    dispatcher.changed([...limiters], clock.now())
  const limits = new DynamicLimits(
    limiting,
    ({ limiters }) => changed(limiters.values()),
    (error) => registry.failWaiting(error),
  )
  const quota = options.quota && joinQuota(options.quota, { tiers, timer, state, events, changed })

  const core: SchedulerCore<R> = {
    lanes,
    isKeyed: tiers.some(({ tier }) => tier.key !== undefined),
    clock,
    random,
    fair: options.fair ? safeFairness(options.fair) : undefined,
    refusals: { ...refusalDefaults, ...withoutUndefined({ ...options.refusals }) },
    dispatcher,
    inFlight,
    hasResources: () => resources.size > 0,
    queueOf: (request, lane = defaultLane) => {
      const index = lanes.indexOf(lane)
      const queue = index < 0 ? undefined : registry.find(request).queues[index]
      if (queue === undefined) throw unknownLane(lanes)
      return queue
    },
    maxWaiting: maxWaitingOf(limiting, clock),
    joined: () => {
      feed.changed()
      limits.joined()
      quota?.joined()
    },
    watch: () => limits.watch(),
    left: () => {
      feed.changed()
      limits.left()
      quota?.left()
    },
  }
  return {
    state: new GuardedEvents(feed.states, warnOnce("a subscriber of a scheduler's state")),
    events: new GuardedEvents(events, warnOnce("a subscriber of a scheduler's events")),
    core,
  }
}

const unknownLane = (lanes: ReadonlyArray<string>): InvalidOption =>
  new InvalidOption('lane', is.oneOf(...lanes).expected)

/** Returns the learned guard of a window. All limits with this window share it. */
const learnedGuards = (): ((window: Millis) => JitterGuard) => {
  const guards = new Map<Millis, JitterGuard>()
  return (window) => {
    const guard = guards.get(window) ?? new JitterGuard(window)
    guards.set(window, guard)
    return guard
  }
}

/** Creates the resources of a scheduler. Each of them gets a limiter if it alone is refused. */
const resourcesOf = <R>(
  {
    resources = () => [],
    guard,
  }: Pick<SchedulerOptions<R>, 'resources'> & { readonly guard: Guard },
  random: IO<number>,
  guardOf: (window: Millis) => JitterGuard,
): Resources => {
  const safe = safeResources(resources)
  return new Resources(
    (request) => safe(request as R), // of a task of this scheduler
    (resource, { max, window }) => {
      const limit = new AdaptiveLimit(max, window, {
        random,
        afterBurst: Math.min,
        confirmed: () => {},
        isElsewhere: () => false,
      })
      const ownGuard = guard === 'learned' ? guardOf(window) : guard
      return new RollingWindow(resource, limit, window, ownGuard)
    },
  )
}

/** See `SchedulerCore.maxWaiting`. */
const maxWaitingOf = <R>(
  limiting: ReadonlyArray<TierLimiters<R>>,
  clock: Clock,
): SchedulerCore<R>['maxWaiting'] => {
  const shared = limiting.filter(({ tier }) => tier.key === undefined)
  return (ahead) => {
    const least = Math.max(1, Math.min(...limiting.map(({ limit }) => limit)))
    if (shared.length === limiting.length || ahead <= least) return least
    const now = clock.now()
    return shared.every((tier) => tier.get(undefined).room(now) > 0) ? ahead : least
  }
}
