import type { SchedulerLike } from 'rxjs'
import type { IO } from '../fp.js'
import { is, type OptionsTable, required } from '../options/index.js'
import type { Millis } from './Clock.js'
import { type Guard, guardRule } from './Guard.js'
import { type LaneOptions, laneRules } from './lanes.js'
import { type RefusalOptions, refusalsRule } from './Refusals.js'
import { type Tier, tiersRule } from './Tier.js'

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
  /** The longest queue goes first, unless another one was not served for so long. Default 10,000 ms. */
  readonly patience?: Millis
  /** What is done about those that a server refuses for its limits (429). */
  readonly refusals?: RefusalOptions
}

/** What they may be. */
export const schedulerRules: OptionsTable<SchedulerOptions<never>> = {
  tiers: required(tiersRule),
  guard: guardRule,
  share: is.fraction,
  ...laneRules,
  patience: is.millis,
  refusals: refusalsRule,
  timer: is.rxScheduler(),
  random: is.fn(),
}
