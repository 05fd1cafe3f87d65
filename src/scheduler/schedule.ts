/**
 * ```ts
 * const schedule: <R, A>(scheduler: Scheduler<R>, request: R, options?: ScheduleOptions<A>) => MonoTypeOperatorFunction<A>
 * ```
 *
 * The operator that has a source wait for its turn.
 */
import { type MonoTypeOperatorFunction, Observable } from 'rxjs'
import type { ScheduleOptions } from './ScheduleOptions.js'
import type { Scheduler } from './Scheduler.js'
import { task } from './Task.js'

const DEFAULTS = {}

/**
 * Starts the source when every tier of the scheduler has room for `request`. Its places are taken
 * until it completes or fails, and in a rolling window for as long as the server counts it. After
 * unsubscribing under way they stay taken for as long as the server may be at work. Unsubscribing
 * while it waits leaves the queue: no place is taken, and nothing is sent.
 *
 *     source                  --a|
 *     schedule, room in 3     -----a|
 *     refused, room in 10     --r       then again, after backoff, through all tiers
 *
 * Fails with what a key function throws, and with an `InvalidOption` when there is no such lane, or `attempts`
 * is neither a whole number of at least 1 nor `Infinity`.
 */
export const schedule =
  <R, A>(
    scheduler: Scheduler<R>,
    request: R,
    options: ScheduleOptions<A> = DEFAULTS,
  ): MonoTypeOperatorFunction<A> =>
  (source) =>
    new Observable((subscriber) => task(scheduler.core, request, options, source, subscriber))
