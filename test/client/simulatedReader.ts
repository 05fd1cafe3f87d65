/** A reader of a list at the limits of production, beside a simulated service, in virtual time. */
import { type Observable, Observable as Source, Subject } from 'rxjs'
import type { Network } from '../../bench/simulated/network.js'
import { seeded } from '../../bench/simulated/random.js'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import type { ClientEvent } from '../../src/http/ClientEvent.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'

/** Answers: each takes `travel` ms, and its turn at one of `servers` for `work` ms. */
export interface Service {
  readonly travel: (random: () => number) => number
  readonly work: (random: () => number) => number
  readonly servers: number
}

export const overNetwork = ({ uplink, processing, downlink }: Network): Service => ({
  travel: (random) => uplink(random) + processing(random) + downlink(random),
  work: () => 0,
  servers: Number.POSITIVE_INFINITY,
})

export const LIMITS = { global: 100, endpoint: 20, concurrency: 50 }

export type WidthOf = (
  events: Observable<ClientEvent>,
  limits: () => typeof LIMITS,
  now: () => number,
) => Observable<number>

export interface Reading {
  /** Pages a second, from the answer `from` on. */
  readonly perSecond: number
  /** Requests under way from then on: at most, and on average. */
  readonly most: number
  readonly mean: number
  /** Widths, and the answers before each. */
  readonly widths: ReadonlyArray<readonly [number, number]>
}

/** Reads `pages` pages: the first alone, as a list is read. */
export const read = (
  { travel, work, servers }: Service,
  widthOf: WidthOf,
  { pages = 2_000, from = 60, seed = 1, perPage = 0 } = {},
): Reading => {
  const timer = virtualTimer()
  const random = seeded(seed)
  const scheduler = createScheduler<string>({
    tiers: [
      concurrency({ name: 'concurrency', limit: LIMITS.concurrency }),
      rate({ name: 'global', limit: LIMITS.global, per: 1_000 }),
      rate({ name: 'endpoint', limit: LIMITS.endpoint, per: 1_000, key: (key) => key }),
    ],
    random: seeded(seed + 1_000),
    timer,
  })
  const events = new Subject<ClientEvent>()
  const endpoint = 'GET /api/v1/charges'
  const free: Array<number> = []
  const served = (): number => {
    const cost = work(random)
    if (servers === Number.POSITIVE_INFINITY) return timer.now() + cost
    while (free.length < servers) free.push(0)
    const i = free.indexOf(Math.min(...free))
    free[i] = Math.max(timer.now(), free[i] ?? 0) + cost
    return free[i]
  }
  const widths: Array<readonly [number, number]> = []
  let [width, calls, answers, busy, sent] = [1, 0, 0, 0, 0]
  let [began, most, area, last, handled] = [0, 0, 0, 0, 0]

  const count = (change: number): void => {
    if (answers >= from) {
      area += sent * (timer.now() - last)
      most = Math.max(most, sent + change)
    }
    last = timer.now()
    sent += change
  }
  const answered = (call: number, took: number): void => {
    count(-1)
    if (++answers === from) began = timer.now()
    handled = Math.max(handled, timer.now()) + perPage
    timer.schedule(() => {
      busy--
      step()
    }, handled - timer.now())
    events.next({ _tag: 'Answered', call, endpoint, attempt: 1, status: 200, took })
  }
  const request = (call: number): void => {
    const asked = timer.now()
    const page = new Source<{ ok: true }>((subscriber) => {
      const left = timer.now()
      events.next({ _tag: 'Sent', call, endpoint, attempt: 1, waited: left - asked })
      count(1)
      const there = travel(random)
      timer.schedule(() => {
        timer.schedule(() => {
          answered(call, timer.now() - left)
          subscriber.next({ ok: true })
          subscriber.complete()
        }, served() - timer.now())
      }, there)
    })
    page.pipe(schedule(scheduler, 'charges', { refused: () => O.none })).subscribe()
  }
  const step = (): void => {
    const allowed = answers === 0 ? 1 : width
    while (busy < allowed && calls < pages) {
      busy++
      request(++calls)
    }
  }
  widthOf(
    events,
    () => LIMITS,
    () => timer.now(),
  ).subscribe((n) => {
    width = n
    widths.push([answers, n])
  })
  step()
  timer.flush()
  const ms = last - began
  return { perSecond: ((pages - from) * 1_000) / ms, most, mean: area / ms, widths }
}
