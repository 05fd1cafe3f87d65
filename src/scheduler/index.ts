/**
 * Keeps many limits at once, as the server counts them. Serves any API. What each key of a limit that is kept here
 * and each task have of their own is a class: there may be thousands, and a method that is a closure takes 64 bytes
 * of each of them.
 */
export { InvalidOption } from '../options/index.js'
export type { Millis } from './Clock.js'
export type { Guard } from './Guard.js'
export { type RefusalOptions, refusalDefaults } from './Refusals.js'
export type { ScheduleOptions } from './ScheduleOptions.js'
export { createScheduler, type Scheduler } from './Scheduler.js'
export type { SchedulerOptions } from './SchedulerOptions.js'
export type { SchedulerState, TierSnapshot } from './State.js'
export { schedule } from './schedule.js'
export {
  type Concurrency,
  concurrency,
  type Lent,
  type Rate,
  rate,
  type Shared,
  shared,
  type Tier,
} from './Tier.js'
