import { type Observable, type SchedulerLike, Subject } from 'rxjs'
import { bare, defined, type IO } from '../fp.js'
import {
  checkOptions,
  defaultsOf,
  InvalidOption,
  is,
  type OptionsOf,
  type OptionsTable,
  type Rule,
  required,
  withDefault,
} from '../options/index.js'
import { steadyTimer } from '../stream/steadyTimer.js'
import { Clock, type Millis } from './Clock.js'
import { Dispatcher } from './Dispatcher.js'
import { InFlight } from './InFlight.js'
import { JitterGuard } from './JitterGuard.js'
import { LimiterRegistry } from './LimiterRegistry.js'
import { guardRule } from './limiters/RollingWindow.js'
import {
  describeLimit,
  type LimitChanged,
  type SchedulerState,
  stateFeed,
  tierSnapshot,
} from './State.js'
import { refusalDefaults, refusalsRule, type SchedulerCore } from './Task.js'
import { checkedTier, type Tier, tiersRule } from './Tier.js'
import { DynamicLimits, TierLimiters } from './TierLimiters.js'

/** A turn of a lane counts `1 / weight`: these are summed, so the smallest must not be lost in the sum. */
const weight: Rule<number> = {
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
}

const rules: OptionsTable<SchedulerOptions<never>> & typeof table = {
  tiers: required(tiersRule),
  ...table,
}

/** Options of `createScheduler`. */
export interface SchedulerOptions<R> extends OptionsOf<typeof table> {
  /** Limits; all of them are kept at once. */
  readonly tiers: ReadonlyArray<Tier<R>>
}

/** Made by `createScheduler`, given to `schedule` and `scheduleMap`. `R`: what its tiers take their keys from. */
export interface Scheduler<in R> {
  /** Emits at once, and then at most every 250 ms while something happens. */
  readonly state: Observable<SchedulerState>
  /** Emits when less of a limit is let in than is configured, and when that changes. */
  readonly events: Observable<LimitChanged>
  /** For `schedule` and `scheduleMap`. */
  readonly core: SchedulerCore<R>
}

/** Makes a scheduler: it keeps limits, and holds nothing back without need. Throws an `InvalidOption`. */
export const createScheduler = <R>(given: SchedulerOptions<R>): Scheduler<R> => {
  const options = bare({ ...defaultsOf(table), ...checkOptions(given, rules) })
  const { guard, share, lanes, maxQueueAge, random = Math.random } = options
  const names = Object.keys(lanes)
  const usual = options.lane ?? names.at(-1)
  if (usual === undefined) throw new InvalidOption('lanes', 'at least one lane')
  const noLane = () => new InvalidOption('lane', is.oneOf(...names).expected)
  if (!names.includes(usual)) throw noLane()

  const timer = steadyTimer(options.timer)
  const clock = new Clock(timer)
  const events = new Subject<LimitChanged>()
  const guards = new Map<Millis, JitterGuard>()
  const tiers = options.tiers.map(
    (tier) =>
      new TierLimiters<R>(checkedTier(tier), {
        guard,
        share,
        random,
        guardOf: (window) => {
          const known = guards.get(window) ?? new JitterGuard(window)
          guards.set(window, known)
          return known
        },
        confirmed: ({ tier, limit }, key, allowed) => {
          const message = describeLimit(tier, limit, allowed)
          events.next({ _tag: 'LimitChanged', tier: tier.name, key, limit, allowed, message })
        },
      }),
  )
  const limiting = tiers.filter(({ tier }) => tier.limit !== Number.POSITIVE_INFINITY)
  const registry = new LimiterRegistry(limiting, names.length, clock)

  const feed = stateFeed(timer, (): SchedulerState => {
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
  })

  const dispatcher = new Dispatcher(clock, Object.values(lanes), maxQueueAge)
  const inFlight = new InFlight(clock, dispatcher, (now) => {
    feed.changed()
    registry.age(now)
  })
  const limits = new DynamicLimits(
    limiting,
    (tier) => dispatcher.changed([...tier.limiters.values()], clock.now()),
    (error) => {
      for (const { queues } of [...registry.all()]) {
        for (const queue of queues) while (queue.first !== undefined) queue.first.fail(error)
      }
    },
  )

  const core: SchedulerCore<R> = {
    lanes: names,
    clock,
    random,
    refusals: { ...refusalDefaults, ...defined({ ...options.refusals }) },
    dispatcher,
    inFlight,
    queueOf: (request, lane = usual) => {
      const index = names.indexOf(lane)
      const queue = index < 0 ? undefined : registry.find(request).queues[index]
      if (queue === undefined) throw noLane()
      return queue
    },
    maxWaiting: () => Math.max(1, Math.min(...limiting.map(({ limit }) => limit))),
    joined: () => {
      feed.changed()
      limits.joined()
    },
    left: () => {
      feed.changed()
      limits.left()
    },
  }
  return { state: feed.states, events: events.asObservable(), core }
}
