import { concatMap, type Observable, type SchedulerLike, timer } from 'rxjs'
import type { Millis } from './Backoff.js'

/** Timers of the platform cannot wait for longer: they would be due at once. */
const LONGEST: Millis = 2 ** 31 - 1

/** Emits once, after so many ms, however many; never after `Infinity`. */
export const later = (ms: Millis, scheduler: SchedulerLike): Observable<unknown> =>
  ms > LONGEST
    ? timer(LONGEST, scheduler).pipe(concatMap(() => later(ms - LONGEST, scheduler)))
    : timer(ms, scheduler)
