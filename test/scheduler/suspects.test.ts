/** Which of several limits is found to be lower than it says, when a refusal does not say. */

import {
  concat,
  delay,
  ignoreElements,
  mergeMap,
  type Observable,
  of,
  tap,
  timer as timerOf,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  concurrency,
  createScheduler,
  type Guard,
  rate,
  type SchedulerState,
  schedule,
  shared,
  type Tier,
} from '../../src/scheduler/index.js'
import { type Judge, judge, type Limits } from '../support/simulated/judge.js'
import { networks } from '../support/simulated/network.js'
import { seeded } from '../support/simulated/random.js'
import type { VirtualTimer } from '../support/simulated/virtualTimer.js'
import { type Answer, refused, stateOf, world } from './world.js'

const production: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

interface Load {
  readonly known: Limits
  readonly endpoints: number
  /** Answers take so much longer, in ms. */
  readonly work?: number
  readonly guard?: Guard
}

/** Some wait all the time, for each endpoint. */
const endless = ({ known, endpoints, work = 0, guard = 'learned' }: Load) => {
  const w = world(known, { guard })
  const random = seeded(3)
  const network = networks.steady
  const accepted = new Map<string, number>()
  let asked = 0
  const ask = (endpoint: string): void => {
    w.send(`${asked++}`, endpoint, {
      up: network?.uplink(random) ?? 0,
      work: work + (network?.processing(random) ?? 0),
      down: network?.downlink(random) ?? 0,
    })
      .pipe(schedule(w.scheduler, endpoint, { refused, attempts: 1_000 }))
      .subscribe(({ ok }) => {
        if (ok) accepted.set(endpoint, (accepted.get(endpoint) ?? 0) + 1)
        ask(endpoint)
      })
  }
  for (let i = 0; i < 100 * endpoints; i++) ask(`e${i % endpoints}`)
  let state: SchedulerState | undefined
  w.scheduler.state.subscribe((now) => {
    state = now
  })
  const total = (): number => [...accepted.values()].reduce((sum, n) => sum + n, 0)
  return {
    w,
    allowed: (tier: string) => state?.tiers.find(({ name }) => name === tier)?.allowed,
    /** A second, over so many seconds: all that were let in, those of one endpoint, and refusals. */
    over: (seconds: number, endpoint = 'e0') => {
      const before = [total(), accepted.get(endpoint) ?? 0, w.server.refused()] as const
      w.timer.flush(w.timer.now() + seconds * 1_000)
      return {
        all: (total() - before[0]) / seconds,
        one: ((accepted.get(endpoint) ?? 0) - before[1]) / seconds,
        refused: (w.server.refused() - before[2]) / seconds,
      }
    },
  }
}

/** A server that allows one endpoint less than the others. */
const stricter = (limits: Limits, one: string, endpoint: number): Judge => {
  const all = judge(limits)
  const own = judge({ ...limits, endpoint, concurrent: Number.POSITIVE_INFINITY })
  let refused = 0
  return {
    ...all,
    arrives: (name, now) => {
      const ok = name !== one || own.arrives(name, now)
      if (ok) return all.arrives(name, now)
      refused++
      return false
    },
    refused: () => all.refused() + refused,
  }
}

describe('a rate that is lower than it says', () => {
  it.each([
    [1, 20, 5],
    [2, 100, 5],
    [3, 100, 10],
    [5, 100, 10],
  ])('is found behind %d at once, which are under way all the time', (concurrent, rate, real) => {
    const known = { ...production, concurrent, global: 1_000, endpoint: rate }
    const { w, over, allowed } = endless({ known, endpoints: 1 })
    w.server = judge({ ...known, endpoint: real })
    over(60)
    const { all, refused } = over(60)
    expect(all).toBeGreaterThan(0.93 * real)
    expect(refused).toBeLessThan(0.05 * real)
    expect(allowed('places')).toBe(concurrent)
    const found = Array.from({ length: 10 }, () => {
      over(1)
      return allowed('endpoint') ?? Number.NaN
    })
    expect(found.filter((limit) => limit === real).length).toBeGreaterThan(5)
    for (const limit of found) expect([real, real + 1]).toContain(limit) // a step upward is tried now and then
  })

  it.each([
    [50, 100, 30],
    [10, 20, 5],
  ])(
    'is found for all endpoints: %d at once, %d a second, and really %d',
    (concurrent, global, real) => {
      const known = { ...production, concurrent, global }
      const { w, over, allowed } = endless({ known, endpoints: 4, work: 100 })
      w.server = judge({ ...known, global: real })
      over(60)
      const { all, refused } = over(60)
      expect(all).toBeGreaterThan(0.93 * real)
      expect(refused).toBeLessThan(0.05 * real)
      expect(allowed('places')).toBe(concurrent)
    },
  )

  it.each<Guard>(['learned', 'safe', 20])(
    'of one endpoint takes nothing from the others, whose limit is full (%s)',
    (guard) => {
      const { w, over, allowed } = endless({ known: production, endpoints: 8, guard })
      over(10)
      const before = over(60)
      w.server = stricter(production, 'e0', 2)
      over(60)
      const { all, one, refused } = over(60)
      expect(one).toBeGreaterThan(1.5)
      expect(all).toBeGreaterThan(0.98 * before.all)
      expect(refused).toBeLessThan(1)
      expect([allowed('places'), allowed('global')]).toEqual([50, 100])
      expect(allowed('endpoint')).toBeLessThan(4)
    },
  )
})

/** A server that lets fewer in at once, and counts only those that it lets in. */
const narrower = (limits: Limits, concurrent: number): Judge => {
  const all = judge({ ...limits, concurrent: Number.POSITIVE_INFINITY })
  let [inside, refused] = [0, 0]
  return {
    ...all,
    arrives: (name, now) => {
      const ok = inside < concurrent && all.arrives(name, now)
      if (ok) inside++
      else refused++
      return ok
    },
    leaves: () => {
      inside--
    },
    refused: () => refused,
  }
}

describe('fewer at once than a server says', () => {
  it.each([200, 500])('are found beside rates with room, with %d ms of work', (work) => {
    const { w, over, allowed } = endless({ known: production, endpoints: 8, work })
    w.server = narrower(production, 10)
    over(60)
    const { all, refused } = over(60)
    expect(all).toBeGreaterThan((0.9 * 10_000) / (work + 90))
    expect(refused).toBeLessThan(1)
    expect([allowed('places'), allowed('global'), allowed('endpoint')]).toEqual([10, 100, 20])
  })
})

/** A server that lets so many in at once, each of which tells at once, and is under way for `lasts` ms. */
const streaming = (
  timer: VirtualTimer,
  concurrent: number,
  lasts: number,
): { readonly accepted: () => number; readonly source: Observable<Answer> } => {
  let [inside, accepted] = [0, 0]
  const answer = (ok: boolean): Observable<Answer> => of({ ok, request: '' })
  const source = timerOf(10, timer).pipe(
    mergeMap(() => {
      if (inside >= concurrent) return answer(false).pipe(delay(10, timer))
      inside++
      accepted++
      const ended = timerOf(lasts, timer).pipe(
        tap(() => {
          inside--
        }),
        delay(10, timer),
        ignoreElements(),
      )
      return concat(answer(true).pipe(delay(10, timer)), ended)
    }),
  )
  return { accepted: () => accepted, source }
}

describe('fewer at once, of streams that last', () => {
  it.each([
    [10, 5_000],
    [25, 2_000],
    [40, 1_000],
  ])('are found: really %d, each for %d ms', (real, lasts) => {
    const { timer, scheduler } = world(production)
    const { accepted, source } = streaming(timer, real, lasts)
    const ask = (endpoint: string): void => {
      source
        .pipe(schedule(scheduler, endpoint, { refused, attempts: 1_000 }))
        .subscribe({ complete: () => ask(endpoint) })
    }
    for (let i = 0; i < 400; i++) ask(`e${i % 8}`)
    timer.flush(120_000)
    const before = accepted()
    timer.flush(240_000)
    expect((accepted() - before) / 120).toBeGreaterThan((0.85 * real * 1_000) / (lasts + 40))
    expect(
      stateOf(scheduler)
        ?.tiers.map(({ allowed }) => allowed)
        .slice(0, 2),
    ).toEqual([100, 20])
  })
})

describe('a limit that is lower than it says', () => {
  const lends = shared<string>({ name: 'store', take: () => of({ places: 1_000 }) })

  it('is found beside a shared store, which learns nothing', () => {
    const w = world({ ...production, concurrent: Number.POSITIVE_INFINITY })
    const scheduler = createScheduler<string>({
      tiers: [lends, rate({ name: 'rate', limit: 100, per: 1_000 })],
      timer: w.timer,
      random: seeded(3),
    })
    let asked = 0
    const ask = (): void => {
      w.send(`${asked++}`, 'a', { up: 40, work: 10, down: 40 })
        .pipe(schedule(scheduler, 'a', { refused, attempts: 1_000 }))
        .subscribe(ask)
    }
    for (let i = 0; i < 10; i++) ask()
    w.timer.flush(60_000)
    const before = w.server.arrivals().accepted
    w.timer.flush(180_000)
    expect((w.server.arrivals().accepted - before) / 120).toBeGreaterThan(18)
  })
})

describe('a shared store that lends more than the server allows', () => {
  const lends = shared<string>({ name: 'store', take: () => of({ places: 1_000 }) })

  it.each<[string, Tier<string>]>([
    ['places with room', concurrency({ name: 'room', limit: 50 })],
    ['a rate with room', rate({ name: 'room', limit: 1_000, per: 1_000 })],
  ])('makes all wait, beside %s', (_, room) => {
    const w = world(production)
    const scheduler = createScheduler<string>({ tiers: [lends, room], timer: w.timer })
    let sent = 0
    const ask = (): void => {
      sent++
      of({ ok: false, request: '' })
        .pipe(schedule(scheduler, '', { refused, attempts: 1 }))
        .subscribe()
    }
    for (let ms = 0; ms < 1_000; ms += 10) w.timer.schedule(ask, ms)
    let state: SchedulerState | undefined
    scheduler.state.subscribe((now) => {
      state = now
    })
    w.timer.flush(1_000)
    expect(sent).toBe(100)
    expect(state?.started).toBe(3)
    expect(state?.tiers.map(({ name, refused, allowed }) => [name, refused, allowed])).toEqual([
      ['store', 3, Number.POSITIVE_INFINITY],
      ['room', 0, room._tag === 'Shared' ? Number.NaN : room.limit],
    ])
  })
})
