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
import { steadyTimer } from '../stream/steadyTimer.js'
import { Clock, type Millis } from './Clock.js'
import { Dispatcher } from './Dispatcher.js'
import { InFlight } from './InFlight.js'
import { JitterGuard } from './JitterGuard.js'
import { LimiterRegistry } from './LimiterRegistry.js'
import type { QueuedRequest } from './LimiterSet.js'
import { AdaptiveLimit } from './limiters/AdaptiveLimit.js'
import { guardRule, RollingWindow } from './limiters/RollingWindow.js'
import { Resources } from './Resources.js'
import {
  describeLimit,
  type LimitChanged,
  type QuotaChanged,
  type SchedulerState,
  stateFeed,
  tierSnapshot,
} from './State.js'
import { safeResources, withSafeKey } from './safeKey.js'
import { refusalDefaults, refusalsRule, type SchedulerCore } from './Task.js'
import { checkedTier, type Tier, tiersRule } from './Tier.js'
import { DynamicLimits, TierLimiters } from './TierLimiters.js'

/** A turn of a lane counts `1 / weight`: these are summed, so the smallest must not be lost in the sum. */
const weight: OptionRule<number> = {
  accepts: (u) => typeof u === 'number' && u >= 0.001 && u <= 1_000,
  expected: 'a weight from 0.001 to 1,000',
  type: 'number',
}

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
  readonly tell: (event: QuotaChanged) => void
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
   * resource that is refused while others are admitted is held back alone. If it throws, that is told once on stderr, and the
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
  const { guard, share, lanes, maxQueueAge, random = Math.random } = options
  const names = Object.keys(lanes)
  const usual = options.lane ?? names.at(-1)
  if (usual === undefined) throw new InvalidOption('lanes', 'at least one lane')
  const noLane = () => new InvalidOption('lane', is.oneOf(...names).expected)
  if (!names.includes(usual)) throw noLane()

  const timer = steadyTimer(options.timer)
  const clock = new Clock(timer)
  const events = new Subject<LimitChanged | QuotaChanged>()
  const guards = new Map<Millis, JitterGuard>()
  const guardOf = (window: Millis): JitterGuard => {
    const known = guards.get(window) ?? new JitterGuard(window)
    guards.set(window, known)
    return known
  }
  const resourcesOf = safeResources(options.resources ?? (() => []))
  const resources = new Resources(
    (request) => resourcesOf(request as R), // of a task of this scheduler
    (resource, { max, window }) => {
      const limit = new AdaptiveLimit(max, window, {
        random,
        afterBurst: Math.min,
        confirmed: () => {},
        isElsewhere: () => false,
      })
      return new RollingWindow(
        resource,
        limit,
        window,
        guard === 'learned' ? guardOf(window) : guard,
      )
    },
  )
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
        part: (name, key) => (divided.has(name) ? member?.part(name, key) : undefined),
      }),
  )
  const limiting = tiers.filter(({ tier }) => tier.limit !== Number.POSITIVE_INFINITY)
  const shared = limiting.filter(({ tier }) => tier.key === undefined)
  const registry = new LimiterRegistry(limiting, names.length, resources, clock)

  const state = (): SchedulerState => {
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
  const feed = stateFeed(timer, state)

  const dispatcher = new Dispatcher(clock, Object.values(lanes), maxQueueAge, () => member?.check())
  const inFlight = new InFlight(clock, dispatcher, resources, (now) => {
    feed.changed()
    registry.age(now)
  })
  const limits = new DynamicLimits(
    limiting,
    (tier) => dispatcher.changed([...tier.limiters.values()], clock.now()),
    (error) => {
      const waiting: Array<QueuedRequest> = [] // of this moment: one that fails may come again at once
      for (const { queues } of registry.all()) {
        for (const { first } of queues) {
          for (let request = first; request !== undefined; request = request.next) {
            waiting.push(request)
          }
        }
      }
      for (const request of waiting) request.fail(error)
    },
  )

  const divided = new Map(
    limiting.flatMap((tiers) =>
      typeof tiers.tier.limit === 'number' ? [[tiers.tier.name, tiers] as const] : [],
    ),
  )
  const tierNames = new Set(tiers.map(({ tier }) => tier.name))
  if (options.quota !== undefined && tierNames.size < tiers.length) {
    throw new InvalidOption('tiers', 'tiers of different names, for a quota')
  }
  const member: QuotaMember | undefined = options.quota?.join({
    timer,
    tiers: [...divided.values()].map(({ tier, limit }) => ({
      name: tier.name,
      limit,
      per: tier._tag === 'Rate' ? tier.per : undefined,
    })),
    state,
    events,
    tell: (event) => events.next(event),
    configure: (name, key, part) => {
      const limiter = divided.get(name)?.limiters.get(key)
      limiter?.limit.configure(part)
      if (limiter !== undefined) dispatcher.changed([limiter], clock.now())
    },
  })

  const core: SchedulerCore<R> = {
    lanes: names,
    isKeyed: tiers.some(({ tier }) => tier.key !== undefined),
    clock,
    random,
    refusals: { ...refusalDefaults, ...withoutUndefined({ ...options.refusals }) },
    dispatcher,
    inFlight,
    hasResources: () => resources.size > 0,
    queueOf: (request, lane = usual) => {
      const index = names.indexOf(lane)
      const queue = index < 0 ? undefined : registry.find(request).queues[index]
      if (queue === undefined) throw noLane()
      return queue
    },
    maxWaiting: (ahead) => {
      const least = Math.max(1, Math.min(...limiting.map(({ limit }) => limit)))
      if (shared.length === limiting.length || ahead <= least) return least
      const now = clock.now()
      return shared.every((tier) => tier.get(undefined).room(now) > 0) ? ahead : least
    },
    joined: () => {
      feed.changed()
      limits.joined()
      member?.joined()
    },
    watch: () => limits.watch(),
    left: () => {
      feed.changed()
      limits.left()
      member?.left()
    },
  }
  return { state: feed.states, events: events.asObservable(), core }
}
