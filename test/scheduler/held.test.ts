import { Observable, type SchedulerAction } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import type { Limits } from '../support/simulated/judge.js'
import { seeded, uniform } from '../support/simulated/random.js'
import { virtualTimer } from '../support/simulated/virtualTimer.js'
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

describe('a turn of the event loop that takes long', () => {
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

  /**
   * When each started, two windows of `limit`, with a guard of 10 ms; what the first ones cost, in ms, and
   * which of them answer at once.
   */
  const starts = (
    limit: number,
    atOnce: number,
    cost: { start: number; answer: number },
    cached: ReadonlyArray<number> = [],
  ) => {
    const timer = laborious()
    const scheduler = createScheduler({
      tiers: [
        rate({ name: 'all', limit, per: 1_000 }),
        concurrency({ name: 'places', limit: atOnce }),
      ],
      guard: 10,
      timer,
    })
    const started: Array<number> = []
    for (let i = 0; i < 2 * limit; i++) {
      new Observable<number>((subscriber) => {
        started.push(timer.now())
        if (i < limit) timer.work(cost.start)
        const answer = (): void => {
          if (i < atOnce) timer.work(cost.answer)
          subscriber.next(i)
          subscriber.complete()
        }
        if (cached.includes(i)) answer()
        else timer.schedule(answer, 100)
      })
        .pipe(schedule(scheduler, undefined))
        .subscribe()
    }
    timer.flush()
    return started
  }

  it('because of answers that are slow to read: whom each of them lets go has left when the next one does', () => {
    const started = starts(6, 3, { start: 0, answer: 40 })
    expect(started.slice(0, 6)).toEqual([0, 0, 0, 140, 180, 220])
    const left = [0, 0, 0, 180, 220, 220] // the last one when the turn is over
    expect(started.slice(6)).toEqual(left.map((at) => at + 1_010))
  })

  it('because many start in it: all have left when it is over, and not before', () => {
    const started = starts(4, 100, { start: 20, answer: 0 })
    expect(started.slice(0, 4)).toEqual([0, 20, 40, 60])
    expect(started.slice(4)).toEqual([1_090, 1_090, 1_090, 1_090])
  })

  it('because many start in it, also when some of them answer at once', () => {
    const started = starts(4, 100, { start: 20, answer: 0 }, [0, 2])
    expect(started.slice(4)).toEqual([1_090, 1_090, 1_090, 1_090])
  })
})
