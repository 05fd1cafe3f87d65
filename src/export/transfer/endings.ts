/** Ends a transfer early. It ends soon after it is stopped, whatever its destination does. */
import {
  asyncScheduler,
  concat,
  defer,
  delay,
  EMPTY,
  map,
  merge,
  NEVER,
  type Observable,
  of,
  type SchedulerLike,
  takeUntil,
  tap,
} from 'rxjs'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import { NO_PROGRESS } from '../source/exportList.js'
import { type CutShort, deadlinePassed, type TransferEvent } from './TransferEvent.js'

/** Reasons to end a transfer early. */
export interface Endings {
  /** Ends the transfer when this emits. */
  readonly stop?: Observable<unknown> | undefined
  /** Ends the transfer this many ms after it was requested. */
  readonly deadline?: Millis | undefined
  readonly timer?: SchedulerLike | undefined
  /** Time limit for the final commit, in ms. Default `GRACE`. */
  readonly grace?: Millis | undefined
}

/** Default grace period. With start and exit of the process, below the ten seconds after which containers are killed. */
const GRACE: Millis = 5_000

/** Emits the reason to end a transfer. `asked`: the time at which the transfer was requested, by the timer. Default: now. */
export const cutsOf = (
  { stop = NEVER, deadline = Number.POSITIVE_INFINITY, timer = asyncScheduler }: Endings,
  asked: Millis = timer.now(),
): Observable<CutShort> =>
  merge(
    stop.pipe(map((): CutShort => 'stopped')),
    deadline === Number.POSITIVE_INFINITY
      ? NEVER
      : later(Math.min(deadline, Math.max(0, asked + deadline - timer.now())), timer).pipe(
          map((): CutShort => deadlinePassed(deadline)),
        ),
  )

/**
 * Abandons a transfer that does not end within the grace period because its destination is unresponsive, slow, locked, or
 * refuses. Committed rows are kept, and the lease expires.
 */
export const endingSoon = (
  events: Observable<TransferEvent>,
  endings: Endings,
): Observable<TransferEvent> =>
  defer(() => {
    const { timer = asyncScheduler, grace = GRACE } = endings
    let last: TransferEvent = NO_PROGRESS
    let left: CutShort | undefined
    const late = cutsOf(endings).pipe(
      delay(grace, timer),
      tap((cut) => {
        left = cut
      }),
    )
    return concat(
      events.pipe(
        tap((event) => {
          last = event
        }),
        takeUntil(late),
      ),
      defer(() =>
        left === undefined || last.ended || last.cut !== undefined
          ? EMPTY
          : of({ ...last, cut: left }),
      ),
    )
  })
