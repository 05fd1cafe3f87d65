import { map, type Observable, type SchedulerLike } from 'rxjs'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import type { Timeout } from './Transport.js'

// model

/** Thrown by a time limit, so that it ends the request like any other fault of the line. */
export class TimeoutError extends Error {
  override readonly name = 'Late'
  readonly phase: keyof Timeout
  readonly limit: Millis

  constructor(phase: keyof Timeout, limit: Millis) {
    super(`no ${phase} within ${limit} ms`)
    this.phase = phase
    this.limit = limit
  }
}

// constructors

/** Fails as `Late` when so much time has passed; emits nothing. */
export const timeoutAfter = (
  phase: keyof Timeout,
  limit: Millis,
  timer: SchedulerLike,
): Observable<never> =>
  later(limit, timer).pipe(
    map((): never => {
      throw new TimeoutError(phase, limit)
    }),
  )
