import {
  timer as after,
  concatMap,
  firstValueFrom,
  type Observable,
  type SchedulerLike,
} from 'rxjs'
import type { Millis } from './Backoff.js'

/** Timers of the platform cannot wait for longer: they would be due at once. */
export const LONGEST: Millis = 2 ** 31 - 1

/** Emits once, after so many ms, however many; never after `Infinity`. */
export const later = (ms: Millis, timer: SchedulerLike): Observable<unknown> =>
  ms > LONGEST
    ? after(LONGEST, timer).pipe(concatMap(() => later(ms - LONGEST, timer)))
    : after(ms, timer)

/** Resolves after so many ms. */
export const pauseBy =
  (timer: SchedulerLike) =>
  async (ms: Millis): Promise<void> => {
    await firstValueFrom(later(ms, timer))
  }
