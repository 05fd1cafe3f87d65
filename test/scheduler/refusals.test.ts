import { defer, tap } from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  type Guard,
  type SchedulerOptions,
  type SchedulerState,
  schedule,
} from '../../src/scheduler/index.js'
import { judge, type Limits } from '../support/simulated/judge.js'
import { networks } from '../support/simulated/network.js'
import { lognormal, seeded } from '../support/simulated/random.js'
import { refused, world } from './world.js'

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

/** So many wait all the time. */
const endless = (known: Limits, waiting: number, guard: Guard = 'learned') => {
  const w = world(known, { guard })
  const random = seeded(3)
  const network = networks.steady
  let asked = 0
  const ask = (): void => {
    const i = asked++
    w.send(`${i}`, 'a', {
      up: network?.uplink(random) ?? 0,
      work: network?.processing(random) ?? 0,
      down: network?.downlink(random) ?? 0,
    })
      .pipe(schedule(w.scheduler, 'a', { refused, attempts: 1_000 }))
      .subscribe(ask)
  }
  for (let i = 0; i < waiting; i++) ask()
  let state: SchedulerState | undefined
  w.scheduler.state.subscribe((now) => {
    state = now
  })
  const allowed = () => state?.tiers.find(({ name }) => name === 'endpoint')?.allowed
  /** Answers and refusals a second, over so many seconds. */
  const over = (seconds: number) => {
    const before = [w.server.arrivals().accepted, w.server.refused()] as const
    w.timer.flush(w.timer.now() + seconds * 1_000)
    return {
      accepted: (w.server.arrivals().accepted - before[0]) / seconds,
      refused: (w.server.refused() - before[1]) / seconds,
    }
  }
  return { w, over, allowed }
}

// A place that is lost costs a window at the end when fewer than 1,000 wait: other rules hold there.
describe.each([60, 3_000])('a server that allows less than it says, while %d wait,', (waiting) => {
  it('is found out, kept to, and forgotten when it allows more again', () => {
    const { w, over, allowed } = endless(limits, waiting)
    over(5)
    expect(allowed()).toBe(20)

    w.server = judge({ ...limits, endpoint: 10 })
    over(10)
    expect(allowed()).toBeGreaterThanOrEqual(9)
    expect(allowed()).toBeLessThanOrEqual(12)
    const kept = over(120)
    expect(kept.accepted).toBeGreaterThan(8.5)
    expect(kept.refused).toBeLessThan(0.5)

    w.server = judge(limits)
    over(90)
    expect(allowed()).toBe(20)
    expect(over(20).accepted).toBeGreaterThan(18.5)
  })

  it('is found out when it is only a little less', () => {
    const { w, over, allowed } = endless(limits, waiting)
    w.server = judge({ ...limits, endpoint: 18 })
    over(30)
    expect(allowed()).toBeLessThan(20)
    expect(over(100).refused).toBeLessThan(0.6)
  })

  it.each([15, 18, 19])('and lets in %d in place of 20, has these used up', (allowed) => {
    const { w, over } = endless(limits, waiting)
    w.server = judge({ ...limits, endpoint: allowed })
    const { accepted, refused } = over(60)
    expect(accepted / allowed).toBeGreaterThan(0.94)
    expect(refused).toBeLessThan(1.2)
  })

  it('that lets nobody in is asked rarely, and used again when it does', () => {
    const { w, over } = endless(limits, waiting)
    over(5)
    w.server = judge({ ...limits, endpoint: 0 })
    over(60)
    expect(over(60).refused).toBeLessThan(1)
    w.server = judge(limits)
    over(150)
    expect(over(20).accepted).toBeGreaterThan(18)
  })

  it('counts what it refuses: nothing is lost by that', () => {
    const { w, over } = endless(limits, waiting)
    w.server = judge({ ...limits, countsRefused: true })
    expect(over(60).accepted).toBeGreaterThan(18.5)
  })
})

it.each([
  [100, 98],
  [50, 49],
])('a guard that leaves nothing to chance finds out that %d are %d', (limit, real) => {
  const known = { ...limits, endpoint: limit, concurrent: 100 }
  const { w, over, allowed } = endless(known, 3_000, 'safe')
  w.server = judge({ ...known, endpoint: real })
  over(15)
  expect(allowed()).toBe(real)
  expect(over(60).refused).toBeLessThan(0.2)
})

it('a guard that leaves nothing to chance takes a few refusals that it did not cause for no lower limit', () => {
  const known = { ...limits, endpoint: 100, concurrent: 100 }
  const { w, over, allowed } = endless(known, 3_000, 'safe')
  const random = seeded(5)
  const honest = w.server
  w.server = {
    ...honest,
    arrives: (name, now) => random() > 0.01 && honest.arrives(name, now),
  }
  expect(over(300).accepted).toBeGreaterThan(85)
  expect(allowed()).toBeGreaterThan(90)
})

describe('one that is refused alone', () => {
  interface Played {
    /** By the number of their arrival. */
    readonly unlucky: ReadonlyArray<number>
    /** How many windows are asked for at once, one batch after the other. */
    readonly windows: ReadonlyArray<number>
    readonly even: boolean
    readonly options?: Partial<SchedulerOptions<string>>
  }

  /** How long each that is refused waits before it goes again, ms. */
  const waits = ({ unlucky, windows, even, options }: Played) => {
    const w = world(limits, options)
    const random = seeded(2)
    const uneven = lognormal(40, 250)
    const { arrives } = w.server
    let arrived = 0
    w.server = {
      ...w.server,
      arrives: (key, now) => !unlucky.includes(arrived++) && arrives(key, now),
    }
    const refusedAt = new Map<string, number>()
    const waited: Array<number> = []
    const ask = (request: string): void => {
      defer(() => {
        const since = refusedAt.get(request)
        if (since !== undefined) waited.push(w.timer.now() - since)
        return w.send(request, 'a', { up: 40, work: even ? 10 : uneven(random), down: 40 })
      })
        .pipe(
          tap(({ ok }) => ok || refusedAt.set(request, w.timer.now())),
          schedule(w.scheduler, 'a', { refused }),
        )
        .subscribe()
    }
    for (const count of windows) {
      const asked = w.letIn.size
      for (let i = 0; i < count * limits.endpoint; i++) ask(`${asked + i}`)
      w.timer.flush()
      expect(w.letIn.size).toBe(asked + count * limits.endpoint)
    }
    return waited
  }
  const soon = (wait: number): boolean => wait < 20
  /** With the next burst, which left a round trip before. */
  const next = (wait: number): boolean => wait > 750 && wait < 1_000

  it('goes again at once: its place is free, and a place that is lost costs a whole window at the end', () => {
    const waited = waits({ unlucky: [45, 210, 477], windows: [30], even: false })
    expect(waited).toHaveLength(3)
    expect(waited.filter(soon)).toEqual(waited)
  })

  it('goes with its burst when many windows wait, or when the last of them has room, as one was lost', () => {
    const waited = waits({ unlucky: [45, 303, 1_250], windows: [60, 30], even: false })
    const [early = 0, late = 0, other = 0] = waited
    expect(waited).toHaveLength(3)
    expect([next(early), next(late), soon(other)]).toEqual([true, true, true])
  })

  describe('where round trips are even, however many windows wait,', () => {
    const windows = [80]
    const even = true

    it('goes again at once, and so do several', () => {
      const several = Array.from({ length: 9 }, (_, i) => 205 + i)
      const waited = waits({ unlucky: [45, ...several, 363], windows, even })
      expect(waited).toHaveLength(11)
      expect(waited.filter(soon)).toEqual(waited)
    })

    it('goes with the next burst if it is refused once more', () => {
      const waited = waits({ unlucky: [45, 60], windows, even })
      expect(waited.map(soon)).toEqual([true, false])
      expect(waited.map(next)).toEqual([false, true])
    })

    it('goes at once as long as it is one of half a window', () => {
      const waited = waits({
        unlucky: Array.from({ length: 20 }, (_, i) => 200 + i),
        windows,
        even,
      })
      expect(waited.filter(soon)).toHaveLength(10)
      expect(waited.filter(next)).toHaveLength(10)
    })

    it('backs off if that is wished', () => {
      const refusals = { lone: 'backoff' } as const
      const [wait] = waits({ unlucky: [45], windows, even, options: { refusals } })
      expect(wait).toBeGreaterThanOrEqual(1_000)
    })

    it('goes with its burst when the guard was not learned', () => {
      expect(waits({ unlucky: [45], windows, even, options: { guard: 10 } }).map(next)).toEqual([
        true,
      ])
    })
  })
})
