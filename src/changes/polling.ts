/** Runs polls one after another, for streams of changes and for tables that are kept current. */
import { firstValueFrom, map, merge, NEVER, type Observable, type SchedulerLike } from 'rxjs'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'
import { PollInterrupted } from './Asking.js'
import type { ChangesFailure } from './ChangesOptions.js'

export interface Polling<A> {
  readonly every: Millis
  readonly timer: SchedulerLike
  /** Stops waiting for the next poll when this emits. */
  readonly stop: Observable<unknown>
  readonly poll: () => AsyncIterable<A>
  /** Returns the event for a failure after which polling continues. */
  readonly outage: (failure: ChangesFailure) => A
  /** Returns the failure for an error after which polling continues. Default: failures of the service. */
  readonly outageOf?: (error: unknown) => ChangesFailure | undefined
  /** Replaces the wait until a time. */
  readonly pause?: (until: Millis) => AsyncIterable<A>
}

/** Polls without end. Rejects with `PollInterrupted` once stopped, or with an error that is not an outage. */
export async function* polling<A>(options: Polling<A>): AsyncGenerator<A, never, undefined> {
  const { every, timer, stop, poll, outage, outageOf = failureOf, pause } = options
  for (;;) {
    const until = timer.now() + every
    try {
      yield* poll()
    } catch (error) {
      const failure = outageOf(error)
      if (failure === undefined) throw error
      yield outage(failure)
    }
    if (pause === undefined) await paused({ timer, stop }, until)
    else yield* pause(until)
  }
}

/** Returns the failure of the service by which a poll was interrupted. */
const failureOf = (error: unknown): ChangesFailure | undefined =>
  error instanceof PollInterrupted ? error.failure : undefined

/** Waits until a time, or until `sooner` emits. Rejects with `PollInterrupted` if stopped. */
export const paused = async (
  { timer, stop }: Pick<Polling<unknown>, 'timer' | 'stop'>,
  until: Millis,
  sooner: Observable<unknown> = NEVER,
): Promise<void> => {
  const goOn = merge(later(Math.max(0, until - timer.now()), timer), sooner)
  const ended = merge(stop.pipe(map(() => true)), goOn.pipe(map(() => false)))
  if (await firstValueFrom(ended)) throw new PollInterrupted(undefined)
}
