import { Observable, of, type SchedulerLike } from 'rxjs'
import { type Judge, judge, type Limits } from '../../bench/simulated/judge.js'
import { seeded } from '../../bench/simulated/random.js'
import { stalling } from '../../bench/simulated/stalls.js'
import { type VirtualTimer, virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  rate,
  type Scheduler,
  type SchedulerOptions,
  type SchedulerState,
  schedule,
} from '../../src/scheduler/index.js'

export interface Answer {
  readonly ok: boolean
  readonly request: string
}

/** Limits that can be changed while it runs, by replacing the judge. */
export interface World {
  readonly timer: VirtualTimer
  readonly scheduler: Scheduler<string>
  server: Judge
  /** How often each request arrived and was let in. */
  readonly letIn: Map<string, number>
  readonly send: (request: string, endpoint: string, delays: Delays) => Observable<Answer>
}

/** In ms; a function is asked when the delay begins. */
type Delay = number | (() => number)

export interface Delays {
  readonly up: Delay
  readonly work: Delay
  readonly down: Delay
}

const msOf = (delay: Delay): number => (typeof delay === 'number' ? delay : delay())

export const refused = ({ ok }: Answer) => (ok ? O.none : O.some({}))

/** Returns the present state. */
export const stateOf = <R>(scheduler: Scheduler<R>): SchedulerState | undefined => {
  let state: SchedulerState | undefined
  scheduler.state
    .subscribe((now) => {
      state = now
    })
    .unsubscribe()
  return state
}

/** Schedules so many requests that end at once; returns when each did, a list that grows. */
export const sentAt = <R>(
  { now }: SchedulerLike,
  scheduler: Scheduler<R>,
  count: number,
  request: R,
): ReadonlyArray<number> => {
  const sent: Array<number> = []
  for (let i = 0; i < count; i++) {
    of(i)
      .pipe(schedule(scheduler, request))
      .subscribe(() => sent.push(now()))
  }
  return sent
}

/** When the machines of the client and of the server stall. */
export interface Busy {
  readonly here: Parameters<typeof stalling>[1]
  readonly there: Parameters<typeof stalling>[1]
}

/** A scheduler and a server of the same limits, in virtual time. */
export const world = (
  limits: Limits,
  options: Partial<SchedulerOptions<string>> = {},
  busy: Busy = { here: [], there: [] },
): World => {
  const timer = virtualTimer()
  const here = stalling(timer, busy.here)
  const there = stalling(timer, busy.there)
  const letIn = new Map<string, number>()
  const self: World = {
    timer,
    letIn,
    server: judge(limits),
    scheduler: createScheduler<string>({
      tiers: [
        rate({ name: 'global', limit: limits.global, per: limits.per }),
        rate({ name: 'endpoint', limit: limits.endpoint, per: limits.per, key: (e) => e }),
        concurrency({ name: 'concurrency', limit: limits.concurrent }),
      ],
      timer: here,
      random: seeded(7),
      ...options,
    }),
    send: (request, endpoint, delays) =>
      new Observable((subscriber) => {
        there.schedule(() => {
          const { server } = self
          const ok = server.arrives(endpoint, timer.now())
          if (ok) letIn.set(request, (letIn.get(request) ?? 0) + 1)
          there.schedule(() => {
            if (ok) server.leaves()
            here.schedule(() => {
              subscriber.next({ ok, request })
              subscriber.complete()
            }, msOf(delays.down))
          }, msOf(delays.work))
        }, msOf(delays.up))
      }),
  }
  return self
}
