import { defer, tap } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { schedule } from '../../src/scheduler/index.js'
import { lognormal, seeded } from '../support/simulated/random.js'
import { refused, world } from './world.js'

const limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

/** Two thousand requests over a network that is uneven enough for some to be refused: by when they left, which were let in. */
const run = (seed: number): ReadonlyMap<number, ReadonlyArray<boolean>> => {
  const w = world(limits, { random: seeded(seed) })
  const random = seeded(seed)
  const way = lognormal(50, 150)
  const bursts = new Map<number, Array<boolean>>()
  for (let i = 0; i < 2_000; i++) {
    defer(() => {
      const at = w.timer.now()
      const burst = bursts.get(at) ?? []
      bursts.set(at, burst)
      const delays = { up: way(random), work: 40, down: way(random) }
      return w.send(`${i}`, 'a', delays).pipe(tap(({ ok }) => burst.push(ok)))
    })
      .pipe(schedule(w.scheduler, 'a', { refused }))
      .subscribe()
  }
  w.timer.flush()
  return bursts
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

describe('a burst of which one was refused', () => {
  it('is followed sooner than others, since the server has counted one less', () => {
    const after: Array<number> = []
    const otherwise: Array<number> = []
    for (let seed = 1; seed <= 10; seed++) {
      const all = [...run(seed)].slice(5, -20)
      for (const [i, [at, oks]] of all.entries()) {
        const next = all[i + 1]?.[0]
        if (next === undefined || oks.length !== 20) continue
        if (oks.every((ok) => ok)) otherwise.push(next - at)
        else after.push(next - at)
      }
    }
    expect(after.length).toBeGreaterThan(30)
    expect(mean(otherwise) - mean(after)).toBeGreaterThan(10)
  })
})
