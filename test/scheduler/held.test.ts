import { Observable, type SchedulerAction } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Limits } from '../../bench/scheduler/judge.ts'
import { seeded, uniform } from '../../bench/scheduler/random.ts'
import { virtualTimer } from '../../bench/scheduler/timer.ts'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
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

describe('answers that are read one after the other in a turn that takes long', () => {
  /** Time that work takes: what is due meanwhile is done afterwards, and timers after what was due before them. */
  const laborious = () => {
    const timer = virtualTimer()
    let busyUntil = 0
    const now = (): number => Math.max(timer.now(), busyUntil)
    return {
      flush: timer.flush,
      work: (ms: number): void => {
        busyUntil = now() + ms
      },
      now,
      schedule: <T>(work: (this: SchedulerAction<T>, state?: T) => void, delay = 0, state?: T) =>
        timer.schedule(work, now() - timer.now() + delay, state),
    }
  }

  it('let others go that leave one after the other, too, and keep their places for as long', () => {
    const timer = laborious()
    const scheduler = createScheduler({
      tiers: [
        rate({ name: 'all', limit: 6, per: 1_000 }),
        concurrency({ name: 'places', limit: 3 }),
      ],
      guard: 10,
      timer,
    })
    const left: Array<number> = []
    for (let i = 0; i < 12; i++) {
      new Observable<number>((subscriber) => {
        left.push(timer.now())
        timer.schedule(() => {
          if (i < 3) timer.work(40) // the first answers are slow to read
          subscriber.next(i)
          subscriber.complete()
        }, 100)
      })
        .pipe(schedule(scheduler, undefined))
        .subscribe()
    }
    timer.flush()
    const first = [0, 0, 0]
    expect(left.slice(0, 6)).toEqual([...first, 140, 180, 220])
    const over = [180, 220, 220] // it has surely left when the next one does, or when the turn is over
    expect(left.slice(6)).toEqual([...first, ...over].map((at) => at + 1_010))
  })
})
