import { type Observable, type SchedulerLike, Subject } from 'rxjs'
import { type IO, withoutPrototype, withoutUndefined } from '../fp.js'
import {
  checkOptions,
  defaultsOf,
  InvalidOption,
  is,
  type OptionRule,
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
import { safeResources, withSafeKey } from './safeKey.js'
import { refusalDefaults, refusalsRule, type SchedulerCore } from './Task.js'
import { checkedTier, isLimiting, type Tier, tiersRule } from './Tier.js'
import { DynamicLimits, TierLimiters } from './TierLimiters.js'

/** A turn of a lane counts `1 / weight`: these are summed, so the smallest must not be lost in the sum. */
const weight: OptionRule<number> = {
  accepts: (u) => typeof u === 'number' && u >= 0.001 && u <= 1_000,
  expected: 'a weight from 0.001 to 1,000',
  type: 'number',
}

const table = {
  /** How long a permit is held beyond its window. Default `'learned'`. */
  guard: withDefault(guardRule, 'learned'),
  /** Part of every limit that is ours: above 0, at most 1. Default 1. */
  share: withDefault(is.fraction, 1),
  /** Turns that each lane has while several wait, from 0.001 to 1,000. Default `{ interactive: 8, bulk: 1 }`. */
  lanes: withDefault(is.recordOf(weight, 'an object of weights by the names of lanes'), {
    interactive: 8,
    bulk: 1,
  }),
  /** Lane of requests that name none. Default: the last of `lanes`. */
  lane: is.string,
  /** The longest queue goes first, but none before a queue that was not served for so long, in ms. Default 10,000. */
  maxQueueAge: withDefault(is.millis, 10_000),
  /** Treatment of requests that the server refuses for its limits, such as with HTTP 429. */
  refusals: refusalsRule,
  /** Default: the timers of the platform, and a clock that is not affected when the system time is set. */
  timer: is.rxScheduler<SchedulerLike>(),
  /** Chance, from 0 to below 1. Default `Math.random`. */
  random: is.fn<IO<number>>(),
  /**
   * Divides each limit between the processes of an account, such as `redisQuota` of `payments-rx/quota`. Tiers without
   * a limit, or with one that is an `Observable`, are not divided. Nothing is sent before its first answer.
   */
  quota: quotaRule,
}

const rules: OptionsTable<SchedulerOptions<never>> & typeof table = {
  tiers: required(tiersRule),
  resources: is.fn(),
  ...table,
}

/** Options of `createScheduler`. */
export interface SchedulerOptions<R> extends OptionsOf<typeof table> {
  /** Limits; all of them are kept at once. */
  readonly tiers: ReadonlyArray<Tier<R>>
  /**
   * Returns what may have a limit of its own that no tier names, the narrowest first, such as a path and an account. A
   * resource that is refused while others are admitted is held back alone. If it throws, that is reported once on stderr, and the
   * request has none. Default: nothing.
   */
  readonly resources?: ((request: R) => ReadonlyArray<string>) | undefined
}

/** Made by `createScheduler`, given to `schedule` and `scheduleMap`. `R`: what its tiers take their keys from. */
export interface Scheduler<in R> {
  /** Emits at once, and then at most every 250 ms while something happens. */
  readonly state: Observable<SchedulerState>
  /** Emits when less of a limit is admitted than is configured, and when that changes. */
  readonly events: Observable<LimitChanged | QuotaChanged>
  /** For `schedule` and `scheduleMap`. */
  readonly core: SchedulerCore<R>
}

/** Makes a scheduler: it keeps limits, and holds nothing back without need. Throws an `InvalidOption`. */
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

  const state = (): SchedulerState => schedulerState(tiers, registry, inFlight, dispatcher, clock)
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
    state: new GuardedEvents(feed.states, warnOnce('a subscriber of the state of a scheduler')),
    events: new GuardedEvents(events, warnOnce('a subscriber of the events of a scheduler')),
    core,
  }
}

const unknownLane = (lanes: ReadonlyArray<string>): InvalidOption =>
  new InvalidOption('lane', is.oneOf(...lanes).expected)

/** Returns the learned guard of a window, which all limits with this window share. */
const learnedGuards = (): ((window: Millis) => JitterGuard) => {
  const guards = new Map<Millis, JitterGuard>()
  return (window) => {
    const guard = guards.get(window) ?? new JitterGuard(window)
    guards.set(window, guard)
    return guard
  }
}

/** Makes the resources of a scheduler, each of which gets a limiter when it is refused alone. */
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
