/**
 * ```ts
 * const createScheduler: <R>(options: SchedulerOptions<R>) => Scheduler<R>
 * ```
 *
 * What `schedule` asks when something may start.
 */
import { asyncScheduler, type Observable, Subscription } from 'rxjs'
import { checkOptions } from '../options/index.js'
import { admission } from './Admission.js'
import type { Bucket } from './bucket/Bucket.js'
import { clock, type Millis } from './Clock.js'
import type { Core } from './Core.js'
import { flights } from './Flights.js'
import { lanesOf } from './lanes.js'
import { refusalDefaults } from './Refusals.js'
import { routes } from './Routes.js'
import { type SchedulerOptions, schedulerRules } from './SchedulerOptions.js'
import { type SchedulerState, tierSnapshot } from './State.js'
import { type Slack, slack } from './slack/Slack.js'
import { checkedTier } from './Tier.js'
import { tierState } from './TierState.js'
import { watched } from './watched.js'

// model

/** Made by `createScheduler`, given to `schedule`. `R` is what its tiers take their keys from. */
export interface Scheduler<in R> {
  /** At once, and then at most every 250 ms while something happens. */
  readonly state: Observable<SchedulerState>
  /** What `schedule` is made of. */
  readonly core: Core<R>
}

// constructors

const PATIENCE: Millis = 10_000

/** Holds back what would exceed a limit, and nothing else. Throws an `InvalidOption` for an option that cannot work. */
export const createScheduler = <R>(given: SchedulerOptions<R>): Scheduler<R> => {
  const options = checkOptions(given, schedulerRules)
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
  const found = routes(limited, lanes.weights.length, time)

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
      found.age(now)
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
      strand: (request, lane) => lanes.pick(found.find(request).strands, lane),
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
