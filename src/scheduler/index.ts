/** A scheduler enforces several limits at once, counting as the server does. It works with any API. */
export { InvalidOption } from '../options/index.js'
export type { Millis } from './Clock.js'
export type { Guard } from './limiters/RollingWindow.js'
export { type ItemSource, type ScheduleMapOptions, schedule, scheduleMap } from './operators.js'
export { createScheduler, type Scheduler, type SchedulerOptions } from './Scheduler.js'
export type { SharedQuota } from './SharedQuota.js'
export type {
  KeySnapshot,
  LimitChanged,
  QuotaChanged,
  SchedulerState,
  TierSnapshot,
  WaitingKey,
} from './State.js'
export type { FairOptions } from './safeKey.js'
export type { RefusalOptions, ScheduleOptions } from './Task.js'
export { type Concurrency, concurrency, type Rate, rate, type Tier } from './Tier.js'
