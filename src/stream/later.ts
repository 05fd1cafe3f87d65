import {
  timer as after,
  concatMap,
  firstValueFrom,
  type Observable,
  type SchedulerLike,
} from 'rxjs'
import type { Millis } from './Backoff.js'

/** Longest delay of platform timers. A timer with a longer delay would fire at once. */
export const LONGEST: Millis = 2 ** 31 - 1

/** Emits once after this number of ms; never for `Infinity`. */
export const later = (ms: Millis, timer: SchedulerLike): Observable<unknown> =>
  ms > LONGEST
    ? after(LONGEST, timer).pipe(concatMap(() => later(ms - LONGEST, timer)))
    : after(ms, timer)

/** Resolves after this number of ms. */
export const pauseBy =
  (timer: SchedulerLike) =>
  async (ms: Millis): Promise<void> => {
    await firstValueFrom(later(ms, timer))
  }
