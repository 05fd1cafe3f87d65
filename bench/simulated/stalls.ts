/** A machine that stalls now and then because others use its processors. */
import type { SchedulerAction, SchedulerLike } from 'rxjs'

/** How often it stalls, and for how long on average, in ms. */
export interface Stalls {
  readonly perSecond: number
  readonly ms: number
}

/** Start and end of each stall, in order. */
type Span = readonly [from: number, to: number]

/** Random intervals and durations; most are short, and some are long. */
export const stallsUntil = (
  end: number,
  { perSecond, ms }: Stalls,
  random: () => number,
): ReadonlyArray<Span> => {
  const drawn = (mean: number): number => -Math.log(1 - random()) * mean
  const spans: Array<Span> = []
  for (let at = drawn(1_000 / perSecond); at < end; at += drawn(1_000 / perSecond)) {
    const to = at + drawn(ms)
    spans.push([at, to])
    at = to
  }
  return spans
}

/** Work that falls due during a stall runs after it. */
export const stalling = (timer: SchedulerLike, spans: ReadonlyArray<Span>): SchedulerLike => {
  let next = 0
  const awake = (now: number): number => {
    while ((spans[next]?.[1] ?? Number.POSITIVE_INFINITY) <= now) next++
    const [from, to] = spans[next] ?? [Number.POSITIVE_INFINITY, 0]
    return from <= now ? to : now
  }
  return {
    now: () => timer.now(),
    schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T) => {
      const run = (): void => Reflect.apply(work, undefined, [state])
      const scheduled = timer.schedule(() => {
        const wait = awake(timer.now()) - timer.now()
        if (wait > 0) scheduled.add(timer.schedule(run, wait))
        else run()
      }, delay)
      return scheduled
    },
  }
}
