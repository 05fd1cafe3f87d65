/**
 * One run of one limiter in virtual time, with a client, a network and a server that judges arrivals. It needs nothing from
 * Node, because the playground of the site runs it in a browser.
 */

import * as O from 'fp-ts/lib/Option.js'
import { concurrency, createScheduler, type Guard, rate, schedule } from 'payments-rx/scheduler'
import { type MonoTypeOperatorFunction, Observable, type SchedulerLike } from 'rxjs'
import { judge, type Limits } from './judge.ts'
import type { Network } from './network.ts'
import { seeded } from './random.ts'
import { type Stalls, stalling, stallsUntil } from './stalls.ts'
import type { VirtualTimer } from './virtualTimer.ts'

export interface Answer {
  readonly ok: boolean
}

/** Holds back requests to an endpoint. */
export type Hold = (endpoint: string) => MonoTypeOperatorFunction<Answer>

/** One attempt, with its times in ms. */
export interface Attempt {
  /** Index of its request among all requests. */
  readonly request: number
  readonly departed: number
  arrived: number
  answered: number
  ok: boolean
}

export interface Situation {
  readonly network: Network
  readonly seed: number
  /** The endpoint of every request, in the order of the requests. */
  readonly requests: ReadonlyArray<string>
  /** Number of requests started per second; all at once if omitted. */
  readonly perSecond?: number
  /** The limits that the server enforces. */
  readonly limits: Limits
  /** Milliseconds from the first to the last arrival if nothing is wasted. */
  readonly best: number
  /** How the client's machine stalls; also the server's, if they share it. */
  readonly busy?: Stalls & { readonly shared: boolean }
}

/** A time longer than any run, in ms. */
const LONGEST = 900_000

export interface Result {
  readonly share: number
  /** Share without the last two windows, in which a run waits for its last requests. */
  readonly before: number
  readonly toAnswer: number
  readonly refusedPer1000: number
  readonly finished: number
}

export interface Simulation {
  readonly attempts: ReadonlyArray<Attempt>
  readonly result: () => Result
}

/** The scheduler with these limits, whatever the limits of the server are. */
export const scheduled =
  (guard: Guard, { global, endpoint: limit, per, concurrent }: Limits) =>
  (timer: SchedulerLike, seed: number): Hold => {
    const scheduler = createScheduler<string>({
      tiers: [
        rate({ name: 'global', limit: global, per }),
        rate({ name: 'endpoint', limit, per, key: (endpoint) => endpoint }),
        concurrency({ name: 'concurrency', limit: concurrent }),
      ],
      guard,
      random: seeded(seed),
      timer,
    })
    return (endpoint) =>
      schedule(scheduler, endpoint, {
        attempts: 50,
        refused: ({ ok }) => (ok ? O.none : O.some({})),
      })
  }

/**
 * Starts all requests. Each is held back by the function that `holdOf` creates. The run is over once `timer` has been flushed.
 */
export const simulation = (
  { network, seed, requests, perSecond, limits, best, busy }: Situation,
  holdOf: (timer: SchedulerLike, seed: number) => Hold,
  timer: VirtualTimer,
): Simulation => {
  const random = seeded(seed)
  const here =
    busy === undefined ? timer : stalling(timer, stallsUntil(LONGEST, busy, seeded(seed + 2_000)))
  const there = busy?.shared === true ? here : timer
  const server = judge(limits)
  const hold = holdOf(here, seed + 1_000)
  const attempts: Array<Attempt> = []
  const letIn: Array<number> = []
  let [finished, end] = [0, 0]

  const send = (endpoint: string, request: number): Observable<Answer> =>
    new Observable((subscriber) => {
      const attempt: Attempt = {
        request,
        departed: timer.now(),
        arrived: Number.NaN,
        answered: Number.NaN,
        ok: false,
      }
      attempts.push(attempt)
      there.schedule(() => {
        const ok = server.arrives(endpoint, timer.now())
        if (ok) letIn.push(timer.now())
        attempt.ok = ok
        attempt.arrived = timer.now()
        const back = (): void => {
          attempt.answered = timer.now()
          subscriber.next({ ok })
          subscriber.complete()
        }
        const work = ok ? network.processing(random) : 0.1
        there.schedule(() => {
          if (ok) server.leaves()
          here.schedule(back, network.downlink(random))
        }, work)
      }, network.uplink(random))
    })

  const ask = (endpoint: string, request: number): void => {
    send(endpoint, request)
      .pipe(hold(endpoint))
      .subscribe(() => {
        finished++
        end = timer.now()
      })
  }
  requests.forEach((endpoint, request) => {
    if (perSecond === undefined) ask(endpoint, request)
    else here.schedule(() => ask(endpoint, request), (request * 1_000) / perSecond)
  })

  const result = (): Result => {
    const { first, last } = server.arrivals()
    const window = Math.min(limits.global, limits.endpoint * new Set(requests).size)
    const most = requests.length - 2 * window
    return {
      share: best / (last - first),
      before: ((most / window) * limits.per) / ((letIn[most] ?? Number.NaN) - first),
      toAnswer: best / end,
      refusedPer1000: (server.refused() * 1_000) / requests.length,
      finished,
    }
  }
  return { attempts, result }
}
