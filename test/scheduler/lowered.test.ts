/** A server that has less than it says: somebody else uses the same quota, or the limit is another one. */
import { describe, expect, it } from 'vitest'
import { schedule } from '../../src/scheduler/index.js'
import { judge, type Limits } from '../support/simulated/judge.js'
import { networks } from '../support/simulated/network.js'
import { seeded } from '../support/simulated/random.js'
import { refused, stateOf, type World, world } from './world.js'

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

/** Sends over a network. */
const sending = (w: World, network: string, seed: number) => {
  const random = seeded(seed)
  const { uplink = () => 0, processing = () => 0, downlink = () => 0 } = networks[network] ?? {}
  return (request: string, endpoint: string) => {
    const delays = { up: uplink(random), work: processing(random), down: downlink(random) }
    const options = { refused, attempts: 100 }
    return w.send(request, endpoint, delays).pipe(schedule(w.scheduler, endpoint, options))
  }
}

/** After a window that somebody else has used: when all are through, and how many were refused. */
const after = (network: string, count: number, seed: number) => {
  const w = world({ ...limits, global: 1_000, concurrent: 1_000 })
  for (let i = 0; i < limits.endpoint; i++) w.server.arrives('a', 0)
  const ask = sending(w, network, seed)
  let done = 0
  for (let i = 0; i < count; i++) ask(`${i}`, 'a').subscribe(({ ok }) => (done += ok ? 1 : 0))
  w.timer.flush()
  expect(done).toBe(count)
  return { ended: w.timer.now(), refused: w.server.refused() }
}

describe('a window that somebody else has used', () => {
  it.each(['loopback', 'steady', 'wan', 'jittery'])('is waited for, and no more: %s', (network) => {
    for (let seed = 1; seed <= 12; seed++) {
      const { ended, refused } = after(network, 200, seed)
      expect(ended).toBeLessThan(12_000)
      expect(refused).toBeLessThan(2 * limits.endpoint + 20)
    }
  })
})

/** One endpoint that never rests, of so many a second. */
const busy = (network: string, endpoint: number) => {
  const mine = { global: 1_000, endpoint, per: 1_000, concurrent: 1_000 }
  const w = world(mine)
  const ask = sending(w, network, 1)
  let sent = 0
  const feed = (): void => {
    ask(`${sent++}`, 'a').subscribe({ complete: feed })
  }
  for (let i = 0; i < 40; i++) feed()
  const over = (seconds: number) => {
    const [letIn, refusals] = [w.letIn.size, w.server.refused()]
    w.timer.flush(w.timer.now() + seconds * 1_000)
    return { letIn: w.letIn.size - letIn, refused: w.server.refused() - refusals }
  }
  /** From now on the server has these limits; those that it says, without any. */
  const become = (limits: Partial<Limits> = {}): void => {
    w.server = judge({ ...mine, ...limits })
  }
  return { w, over, become }
}

describe('a limit that is less than one in a window', () => {
  it.each([
    ['loopback', 1, 1_100],
    ['loopback', 1, 1_500],
    ['loopback', 20, 2_000],
    ['steady', 1, 1_200],
    ['steady', 2, 10_000],
    ['wan', 20, 3_000],
    ['jittery', 1, 1_500],
    ['jittery', 20, 2_000],
  ])(
    'is found, and forgotten when it lifts: %s, %d a second, one in %d ms',
    (network, limit, real) => {
      const { over, become } = busy(network, limit)
      become({ endpoint: 1, per: real })
      over(180)
      const { letIn, refused } = over(600)
      expect(letIn).toBeGreaterThan((0.92 * 600_000) / real)
      expect(refused).toBeLessThan(40)
      become()
      over(300)
      expect(over(60).letIn).toBeGreaterThan(0.85 * 60 * limit)
    },
  )
})

describe('a limit that is what it says', () => {
  it.each([
    ['steady', 1],
    ['jittery', 1],
    ['wan', 20],
  ])('is not taken for a longer window after an outage: %s, %d a second', (network, limit) => {
    const { over, become } = busy(network, limit)
    for (let outage = 0; outage < 2; outage++) {
      over(60)
      become({ endpoint: 0 })
      over(60)
      become()
      over(90)
      expect(over(60).letIn).toBeGreaterThan(0.85 * 60 * limit)
    }
  })

  it.each(['steady', 'jittery'])('nor while somebody else uses it now and then: %s', (network) => {
    const { w, over, become } = busy(network, 1)
    const random = seeded(7)
    let letIn = 0
    for (let second = 0; second < 600; second++) {
      if (random() < 0.3) w.server.arrives('a', w.timer.now())
      letIn += over(1).letIn
    }
    expect(letIn).toBeGreaterThan(420)
    become()
    over(30)
    expect(over(300).letIn).toBeGreaterThan(260)
  })
})

/** Eight endpoints that never rest. */
const endless = (network: string, seed: number) => {
  const w = world(limits)
  const ask = sending(w, network, seed)
  let sent = 0
  const feed = (endpoint: string): void => {
    ask(`${sent++}`, endpoint).subscribe({ complete: () => feed(endpoint) })
  }
  for (let i = 0; i < 400; i++) feed(`${i % 8}`)
  /** What is let in of so many in each second. */
  const over = (seconds: number): number => {
    const before = w.letIn.size
    w.timer.flush(w.timer.now() + seconds * 1_000)
    return (w.letIn.size - before) / seconds
  }
  const guard = (): number => stateOf(w.scheduler)?.tiers[0]?.guard ?? Number.NaN
  return { w, over, guard }
}

const mean = (counts: ReadonlyArray<number>): number =>
  counts.reduce((sum, count) => sum + count, 0) / counts.length

describe('a limit for all that is lower for a while', () => {
  it.each([
    ['steady', 60, 58, 97],
    ['wan', 60, 55, 90],
    ['jittery', 60, 48, 92],
    ['wan', 80, 75, 94],
    ['jittery', 80, 72, 92],
  ])(
    'is found at once, kept to, and forgotten, with what was learned of it: %s, %i',
    (network, real, found, again) => {
      const runs = [1, 2, 3].map((seed) => {
        const { w, over, guard } = endless(network, seed)
        over(20)
        w.server = judge({ ...limits, global: real })
        over(10)
        const lower = over(60)
        expect(guard()).toBeLessThan(150)
        w.server = judge(limits)
        over(30)
        return { lower, full: over(30) }
      })
      expect(mean(runs.map(({ lower }) => lower))).toBeGreaterThan(found)
      expect(mean(runs.map(({ full }) => full))).toBeGreaterThan(again)
    },
  )
})
