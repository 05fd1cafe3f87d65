import { asyncScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs'

/** In ms since 1970: after all rows of the servers of tests. */
const HASTY_START = Date.UTC(2024, 3, 1)

/**
 * Time that runs `speed` times as fast: over a real socket, a backoff of seconds takes milliseconds.
 * Time limits shrink as well, so tests that use it set wide ones. One clock for a process: a server tells it, too.
 */
export const hasty = (speed = 200): SchedulerLike => {
  return {
    now: () => HASTY_START + performance.now() * speed,
    schedule: <T>(work: (this: SchedulerAction<T>, state: T) => void, delay = 0, state?: T) =>
      asyncScheduler.schedule<T>(work as (state?: T) => void, delay / speed, state),
  }
}

/** For clients on hasty time: a minute of real time, so that none is ever passed. */
export const PATIENT = {
  connect: 12_000_000,
  headers: 12_000_000,
  body: 12_000_000,
  whole: 12_000_000,
} as const
