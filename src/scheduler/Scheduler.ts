/**
 * ```ts
 * const createScheduler: <R>(options: SchedulerOptions<R>) => Scheduler<R>
 * ```
 *
 * What `schedule` asks when something may start.
 */
import { asyncScheduler, type Observable, type SchedulerLike, Subscription } from 'rxjs'
import type { IO } from '../fp.js'
import { checked, is, type Rules } from '../options/index.js'
import { admission } from './Admission.js'
import type { Bucket } from './bucket/Bucket.js'
import { type Clock, clock, type Millis } from './Clock.js'
import { type Flights, flights } from './Flights.js'
import type { Flow } from './Flow.js'
import { type Guard, guardRule } from './Guard.js'
import { type LaneOptions, laneRules, lanesOf } from './lanes.js'
import { type RefusalOptions, refusalDefaults, refusalsRule } from './Refusals.js'
import { routes } from './Routes.js'
import { type SchedulerState, tierSnapshot } from './State.js'
import type { Strand, Ticket } from './Strand.js'
import { type Slack, slack } from './slack/Slack.js'
import { checkedTier, type Tier, tiersRule } from './Tier.js'
import { tierState } from './TierState.js'
import { watched } from './watched.js'

// model

/** Of `createScheduler`. Spans are milliseconds. */
export interface SchedulerOptions<R> extends LaneOptions {
  /** All are held at once. */
  readonly tiers: ReadonlyArray<Tier<R>>
  /** Default `'learned'`. */
  readonly guard?: Guard
  /** The part of every limit that is ours: above 0, at most 1. Default 1. */
  readonly share?: number
  /** From 0 to below 1. Default `Math.random`. */
  readonly random?: IO<number>
  /** Default `asyncScheduler`. */
  readonly timer?: SchedulerLike
  /** The longest queue goes first, but none that was not served for so long. Default 10,000 ms. */
  readonly patience?: Millis
  /** What is done about those that a server refuses for its limits (429). */
  readonly refusals?: RefusalOptions
}

/** Made by `createScheduler`, given to `schedule`. `R` is what its tiers take their keys from. */
export interface Scheduler<in R> {
  /** At once, and then at most every 250 ms while something happens. */
  readonly state: Observable<SchedulerState>
  /** What `schedule` is made of. */
  readonly core: Core<R>
}

export interface Core<in R> {
  /** The names of its lanes. */
  readonly lanes: ReadonlyArray<string>
  readonly refusals: Required<RefusalOptions>
  readonly random: IO<number>
  readonly clock: Clock
  readonly flights: Flights
  /** Throws what a key function throws, and an `InvalidOption` when there is no such lane. */
  readonly strand: (request: R, lane: string | undefined) => Strand
  /** `again`: it had been let through before, and comes back. */
  readonly join: (ticket: Ticket, again: boolean) => void
  readonly quit: (ticket: Ticket) => void
  /** Waits, unless unsubscribed. */
  readonly backOff: (flow: Flow, wait: Millis, then: () => void) => Subscription
}

// constructors

const PATIENCE: Millis = 10_000

const rules: Rules<SchedulerOptions<never>> = {
  tiers: is.needed(tiersRule),
  guard: guardRule,
  share: is.fraction,
  ...laneRules,
  patience: is.millis,
  refusals: refusalsRule,
  timer: is.timer,
  random: is.work,
}

/** Holds back what would exceed a limit, and nothing else. Throws an `InvalidOption` for one that cannot work. */
export const createScheduler = <R>(given: SchedulerOptions<R>): Scheduler<R> => {
  const options = checked(given, rules)
  const { guard = 'learned', share = 1, patience = PATIENCE } = options
  const { timer = asyncScheduler, random = Math.random } = options
  const lanes = lanesOf(options)
  const slacks = new Map<Millis, Slack>()
  const slackFor = (per: Millis): Slack => {
    const known = slacks.get(per) ?? slack(per, () => admitted.refresh())
    slacks.set(per, known)
    return known
  }
  const time = clock(timer)
  const common = {
    guard,
    share,
    clock: time,
    slack: slackFor,
    changed: (bucket: Bucket, now: Millis) => admitted.changed([bucket], now),
  }
  const tiers = options.tiers.map((tier) => tierState(checkedTier(tier), common))
  const limited = tiers.filter(
    ({ spec, limit }) => spec._tag === 'Shared' || limit < Number.POSITIVE_INFINITY,
  )
  const found = routes(limited, lanes.weights.length)

  const counts = { waiting: 0, backingOff: 0, started: 0 }
  const { states, tell } = watched(timer, (): SchedulerState => {
    const flying = found.flying()
    const now = time.peek()
    return {
      ...counts,
      inFlight: flown.inFlight(),
      refused: tiers.reduce((sum, tier) => sum + tier.counts.refused, 0),
      tiers: tiers.map((tier) => tierSnapshot(tier, flying, now)),
    }
  })

  const admitted = admission({
    clock: time,
    weights: lanes.weights,
    patience,
    start: (ticket, now) => {
      counts.waiting--
      counts.started++
      tell()
      ticket.start(now)
    },
  })

  const flown = flights({
    clock: time,
    stamps: limited.some((tier) => tier.spec._tag === 'Rate' && tier.guard !== 'safe'),
    waiting: () => counts.waiting,
    sooner: admitted.sooner,
    changed: (buckets, now) => {
      tell()
      admitted.changed(buckets, now)
    },
  })

  return {
    state: states,
    core: {
      lanes: lanes.names,
      refusals: { ...refusalDefaults, ...options.refusals },
      random,
      clock: time,
      flights: flown,
      strand: (request, lane) => lanes.pick(found.find(request, time).strands, lane),
      join: (ticket, again) => {
        counts.waiting++
        tell()
        admitted.join(ticket, again)
      },
      quit: (ticket) => {
        if (!ticket.waiting) return
        counts.waiting--
        tell()
        admitted.quit(ticket)
      },
      backOff: (flow, wait, then) => {
        flow.backingOff++
        counts.backingOff++
        tell()
        const over = new Subscription(() => {
          flow.backingOff--
          counts.backingOff--
          tell()
        })
        const timer = time.after(wait, () => {
          over.unsubscribe()
          then()
        })
        over.add(timer)
        return over
      },
    },
  }
}
