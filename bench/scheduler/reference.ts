/**
 * The simplest policy that knows of two bounds for every permit, to be measured beside ours: a permit is
 * released at the earlier of
 *
 *     guaranteed   answer + window - shortest round trip: it cannot have arrived later
 *     tracked      departure + window + slack; the slack shrinks by a success and grows by a refusal
 *
 * The longest queue goes first, and a refused request goes again with the next free permit.
 */
import { type MonoTypeOperatorFunction, Observable, type SchedulerLike } from 'rxjs'
import type { Limits } from '../simulated/judge.ts'

/** Shrinks so much by a success, milliseconds; grows by that over `CHANCE` when one is refused. */
const STEP = 0.05
const CHANCE = 0.003
/** Margin added to both bounds, for the clock. */
const OWN = 1
/** The first answers tell how cautious to begin. */
const FEW = 20

interface Permit {
  until: number
}

interface Task {
  readonly run: (permit: Permit) => void
}

export const reference = <A>(
  limits: Limits,
  timer: SchedulerLike,
  refused: (value: A) => boolean,
): ((endpoint: string) => MonoTypeOperatorFunction<A>) => {
  const queues = new Map<string, Array<Task>>()
  const windows = new Map<string, Array<Permit>>()
  let all: Array<Permit> = []
  let inside = 0
  let [shortest, longest, answers, slack] = [Number.POSITIVE_INFINITY, 0, 0, limits.per]
  let alarm = Number.POSITIVE_INFINITY

  const taken = (permits: Array<Permit>): Array<Permit> =>
    permits.filter(({ until }) => until > timer.now())
  const soonest = (permits: ReadonlyArray<Permit>): number =>
    Math.min(...permits.map(({ until }) => until))

  const pump = (): void => {
    for (;;) {
      all = taken(all)
      let longestQueue: Array<Task> = []
      let from = ''
      let next = all.length < limits.global ? Number.POSITIVE_INFINITY : soonest(all)
      for (const [endpoint, queue] of queues) {
        if (queue.length === 0) continue
        const own = taken(windows.get(endpoint) ?? [])
        windows.set(endpoint, own)
        if (own.length >= limits.endpoint) next = Math.min(next, soonest(own))
        else if (queue.length > longestQueue.length) [longestQueue, from] = [queue, endpoint]
      }
      const task =
        all.length < limits.global && inside < limits.concurrent ? longestQueue.shift() : undefined
      if (task !== undefined) {
        inside++
        const permit = { until: Number.POSITIVE_INFINITY }
        all.push(permit)
        windows.get(from)?.push(permit)
        task.run(permit)
        continue
      }
      if (next < alarm) {
        alarm = next
        timer.schedule(
          () => {
            alarm = Number.POSITIVE_INFINITY
            pump()
          },
          Math.max(0, next - timer.now()),
        )
      }
      return
    }
  }
  const learn = (took: number): void => {
    answers++
    shortest = Math.min(shortest, took)
    longest = Math.max(longest, took)
    if (answers === FEW) slack = longest - shortest
    else if (answers > FEW) slack = Math.max(0, slack - STEP)
  }

  return (endpoint) => (source) =>
    new Observable((subscriber) => {
      const queue = queues.get(endpoint) ?? []
      queues.set(endpoint, queue)
      const run = (permit: Permit): void => {
        const departed = timer.now()
        permit.until = departed + limits.per + slack + OWN
        source.subscribe((value) => {
          inside--
          const now = timer.now()
          if (refused(value)) {
            slack = Math.min(limits.per / 2, slack + STEP / CHANCE)
            permit.until = now
            queue.unshift({ run })
          } else {
            learn(now - departed)
            permit.until = Math.min(permit.until, now + limits.per - shortest + OWN)
            subscriber.next(value)
            subscriber.complete()
          }
          pump()
        })
      }
      queue.push({ run })
      pump()
    })
}
