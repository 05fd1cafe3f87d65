import { defer, tap } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { judge, type Limits } from '../../bench/scheduler/judge.ts'
import { networks } from '../../bench/scheduler/network.ts'
import { seeded } from '../../bench/scheduler/random.ts'
import { type SchedulerState, schedule } from '../../src/scheduler/index.js'
import { refused, world } from './world.js'

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

/** So many wait all the time. */
const endless = (known: Limits, waiting: number) => {
  const w = world(known)
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

// The last windows of a queue are told from others.
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

  it.each([15, 18, 19])('has all used of the %d that it allows in place of 20', (allowed) => {
    const { w, over } = endless(limits, waiting)
    w.server = judge({ ...limits, endpoint: allowed })
    const { accepted, refused } = over(60)
    expect(accepted / allowed).toBeGreaterThan(0.96)
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

describe('one that is refused alone', () => {
  const random = seeded(2)
  const even = (): number => 10
  const uneven = (): number => networks.jittery?.processing(random) ?? 0

  /** Refused are these, by the number of their arrival, of batches of so many windows; how long each waits, ms. */
  const waits = (
    work: () => number,
    unlucky: ReadonlySet<number>,
    ...batches: ReadonlyArray<number>
  ) => {
    const w = world(limits)
    const { arrives } = w.server
    let arrived = 0
    w.server = {
      ...w.server,
      arrives: (key, now) => !unlucky.has(arrived++) && arrives(key, now),
    }
    const refusedAt = new Map<string, number>()
    const waited: Array<number> = []
    const ask = (request: string): void => {
      defer(() => {
        const since = refusedAt.get(request)
        if (since !== undefined) waited.push(w.timer.now() - since)
        return w.send(request, 'a', { up: 40, work: work(), down: 40 })
      })
        .pipe(
          tap(({ ok }) => ok || refusedAt.set(request, w.timer.now())),
          schedule(w.scheduler, 'a', { refused }),
        )
        .subscribe()
    }
    for (const windows of batches) {
      const asked = w.letIn.size
      for (let i = 0; i < windows * limits.endpoint; i++) ask(`${asked + i}`)
      w.timer.flush()
      expect(w.letIn.size).toBe(asked + windows * limits.endpoint)
    }
    return waited
  }

  it('goes again at once: its place is free, and a place that is lost costs a whole window at the end', () => {
    const waited = waits(uneven, new Set([45, 210, 477]), 30)
    expect(waited).toHaveLength(3)
    for (const wait of waited) expect(wait).toBeLessThan(20)
  })

  it('goes with its burst when many windows wait, or when the last of them has room, as one was lost', () => {
    const [early = 0, late = 0, next] = waits(uneven, new Set([45, 303, 1_250]), 60, 30)
    expect(early).toBeGreaterThan(500)
    expect(late).toBeGreaterThan(500)
    expect(next).toBeLessThan(20) // another batch
  })

  it('goes again at once, however many windows wait, where answers take even times, and so do several', () => {
    const several = Array.from({ length: 9 }, (_, i) => 805 + i)
    const waited = waits(even, new Set([45, ...several, 1_203]), 80)
    expect(waited).toHaveLength(11)
    for (const wait of waited) expect(wait).toBeLessThan(20)
  })
})
