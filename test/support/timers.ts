import { asyncScheduler, type SchedulerAction, type SchedulerLike } from 'rxjs'

/**
 * Time that runs `speed` times as fast: over a real socket, a backoff of seconds takes milliseconds.
 * Time limits shrink as well, so tests that use it set wide ones.
 */
export const hasty = (speed = 200): SchedulerLike => {
  const began = Date.UTC(2024, 3, 1) // after all that the servers of tests have
  const start = performance.now()
  return {
    now: () => began + (performance.now() - start) * speed,
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
