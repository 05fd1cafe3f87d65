/** Ends a transfer before its end: soon after it is stopped, whatever its destination does. */
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

// model

/** Reasons to end a transfer early. */
export interface Endings {
  /** Its first value ends it. */
  readonly stop?: Observable<unknown> | undefined
  /** Ends it so many ms after it was asked for. */
  readonly deadline?: Millis | undefined
  readonly timer?: SchedulerLike | undefined
  /** How long what was read may take to be committed then, in ms. Default `GRACE`. */
  readonly grace?: Millis | undefined
}

/** With the start and the end of a process, less than the ten seconds after which containers are killed. */
const GRACE: Millis = 5_000

// functions

/** Emits why a transfer is to end. `asked`: when it was asked for, by the timer; default: now. */
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
 * Leaves a transfer that does not end by itself within the grace: its destination is silent, slow, locked, or refuses. What
 * was committed stays, and the lease ends by itself.
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
