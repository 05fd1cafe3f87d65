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
