import { describe, expect, it } from 'vitest'
import type { Limits } from '../../bench/scheduler/judge.ts'
import { seeded, uniform } from '../../bench/scheduler/random.ts'
import { schedule } from '../../src/scheduler/index.js'
import { refused, world } from './world.js'

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }
const WEIGHTS = [180, 180, 140, 120, 120, 100, 80, 80]

/** Milliseconds that a request waits before it is on its way: the `nth`, that starts at `now`. */
type Held = (nth: number, now: number) => number

/** A thousand requests to eight endpoints at 100/s, over a fast network behind what holds them up. */
const run = (held: Held) => {
  const w = world(limits)
  const random = seeded(5)
  const fast = uniform(0.3, 2)
  const requests = Array.from({ length: 180 }, (_, turn) =>
    WEIGHTS.flatMap((weight, i) => (turn < weight ? [`${i}`] : [])),
  ).flat()
  let [started, done] = [0, 0]
  requests.forEach((endpoint, i) => {
    const delays = {
      get up() {
        return held(started++, w.timer.now()) + fast(random)
      },
      work: 0,
      get down() {
        return fast(random)
      },
    }
    w.send(`${i}`, endpoint, delays)
      .pipe(schedule(w.scheduler, endpoint, { refused }))
      .subscribe(({ ok }) => {
        if (ok) done++
      })
  })
  w.timer.flush()
  const { first, last } = w.server.arrivals()
  return { done, share: 9_000 / (last - first), refused: w.server.refused() }
}

/** Two hundred requests to one endpoint, 80 ms away, that stay together but for what holds them up. */
const far = (held: Held) => {
  const w = world(limits)
  const random = seeded(7)
  const way = uniform(39, 41)
  let [started, done] = [0, 0]
  for (let i = 0; i < 200; i++) {
    const delays = {
      get up() {
        return held(started++, w.timer.now()) + way(random)
      },
      work: 0,
      get down() {
        return way(random)
      },
    }
    w.send(`${i}`, 'one', delays)
      .pipe(schedule(w.scheduler, 'one', { refused }))
      .subscribe(({ ok }) => {
        if (ok) done++
      })
  }
  w.timer.flush()
  return { done, refused: w.server.refused() }
}

/** As on a real machine: fifty connections are opened one after the other, for the first requests. */
const connecting: Held = (nth) => (nth < 50 ? 25 + nth : 0)

/** A process that does nothing for 60 ms now and then: what it wants to send leaves afterwards. */
const stalling: Held = (_, now) => Math.max(0, 60 - ((now + 55) % 1_730))

describe('requests that are held up before they are on their way', () => {
  it('have nothing refused when connections are slow to open', () => {
    const { done, share, refused } = run(connecting)
    expect(done).toBe(1_000)
    expect(refused).toBe(0)
    expect(share).toBeGreaterThan(0.97)
  })

  it('are taken for no foreign user of the quota when the process stalls', () => {
    const { done, share, refused } = run(stalling)
    expect(done).toBe(1_000)
    expect(refused).toBeLessThan(10)
    expect(share).toBeGreaterThan(0.97)
  })

  it('are not, when both come together', () => {
    const { done, share, refused } = run((nth, now) => connecting(nth, now) + stalling(nth, now))
    expect(done).toBe(1_000)
    expect(refused).toBeLessThan(10)
    expect(share).toBeGreaterThan(0.97)
  })

  it('are known for it soon after the first ones, that had to open connections', () => {
    const opening: Held = (nth) => (nth < 20 ? 80 : 0)
    const third: Held = (nth) => (nth >= 60 && nth < 80 ? 15 : 0)
    expect(far((nth, now) => opening(nth, now) + third(nth, now))).toEqual({
      done: 200,
      refused: 0,
    })
  })
})
