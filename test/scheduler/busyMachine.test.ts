/** Machines that stall: batches that leave or arrive late, and turns of the event loop that take long. */
import { Observable, type SchedulerAction, Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Limits } from '../../bench/simulated/judge.js'
import { networks } from '../../bench/simulated/network.js'
import { seeded, uniform } from '../../bench/simulated/random.js'
import { mean } from '../../bench/simulated/refusing.js'
import { stallsUntil } from '../../bench/simulated/stalls.js'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { type Answer, refused, world } from './world.js'

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 1_000 }
const WEIGHTS = [180, 180, 140, 120, 120, 100, 80, 80]
const one = Array.from({ length: 400 }, () => 'a')
const eight = Array.from({ length: 180 }, (_, turn) =>
  WEIGHTS.flatMap((weight, i) => (turn < weight ? [`${i}`] : [])),
).flat()

/** A machine that stalls eight times a second, for 20 ms on average. */
const stalls = (seed: number) => stallsUntil(60_000, { perSecond: 8, ms: 20 }, seeded(seed))

/** Sends through a steady network, 90 ms. `shared`: the server runs on the machine that stalls, too. */
const onStalls = (
  requests: ReadonlyArray<string>,
  windows: number,
  shared: boolean,
  seed: number,
) => {
  const here = stalls(seed)
  const w = world(limits, {}, { here, there: shared ? here : [] })
  const random = seeded(seed)
  const { uplink = () => 0, processing = () => 0, downlink = () => 0 } = networks.steady ?? {}
  let done = 0
  requests.forEach((endpoint, i) => {
    const delays = {
      up: () => uplink(random),
      work: () => processing(random),
      down: () => downlink(random),
    }
    w.send(`${i}`, endpoint, delays)
      .pipe(schedule(w.scheduler, endpoint, { refused, attempts: 100 }))
      .subscribe(() => done++)
  })
  w.timer.flush()
  const { first, last } = w.server.arrivals()
  expect(done).toBe(requests.length)
  return { share: (windows * 1_000) / (last - first), refused: w.server.refused() }
}

/** The shares of many runs, and all refusals. */
const many = (
  count: number,
  ...load: Parameters<typeof onStalls> extends [...infer L, number] ? L : never
) => {
  const results = Array.from({ length: count }, (_, seed) => onStalls(...load, seed + 1))
  return {
    mean: mean(results.map(({ share }) => share)),
    worst: Math.min(...results.map(({ share }) => share)),
    refused: results.reduce((sum, result) => sum + result.refused, 0),
  }
}

describe('on a busy machine', () => {
  it('a limit is used up, and not taken for a lower one when batches are late', () => {
    const { mean, worst, refused } = many(30, one, 19, true)
    expect(mean).toBeGreaterThan(0.94)
    expect(worst).toBeGreaterThan(0.85) // two windows more at the end are 0.1
    expect(refused).toBeLessThan(0.02 * 30 * one.length)
  })

  it('several limits are used up, and nothing is refused, when the client alone is busy', () => {
    const { worst, refused } = many(60, eight, 9, false)
    expect(worst).toBeGreaterThan(0.96) // a request that misses its window is a whole one late
    expect(refused).toBe(0)
  })
})

/** Two hundred requests, 80 ms away, of which every twentieth is cancelled on its way; one batch is 30 ms late. */
const cancelling = () => {
  const w = world(limits)
  const random = seeded(3)
  for (let i = 0; i < 200; i++) {
    const delays = {
      up: () => {
        const isLate = w.timer.now() > 4_500 && w.timer.now() < 5_300
        return 40 + 2 * random() + (isLate ? 30 : 0)
      },
      work: 0,
      down: 40,
    }
    const sent = new Observable<Answer>((subscriber) => {
      if (i % 20 === 19) w.timer.schedule(() => waiting.unsubscribe(), 10)
      return w.send(`${i}`, 'a', delays).subscribe(subscriber)
    })
    const waiting = new Subscription()
    waiting.add(sent.pipe(schedule(w.scheduler, 'a', { refused })).subscribe())
  }
  w.timer.flush()
  return w.server.refused()
}

it('a late batch is noticed also when some of its requests were cancelled', () => {
  expect(cancelling()).toBe(0)
})

/** 250 per second, over loopback; twice, all that leave within half a second arrive at its end. */
const heldUp = () => {
  const w = world({ global: 250, endpoint: 250, per: 1_000, concurrent: 1_000 })
  const random = seeded(3)
  for (let i = 0; i < 3_000; i++) {
    const delays = {
      up: () => {
        const now = w.timer.now()
        const held = [4_800, 8_200].find((end) => now >= end - 500 && now < end)
        return 0.2 + 0.3 * random() + (held === undefined ? 0 : held - now)
      },
      work: () => 0.2 + 0.4 * random(),
      down: 0.2,
    }
    w.send(`${i}`, 'a', delays)
      .pipe(schedule(w.scheduler, 'a', { refused }))
      .subscribe()
  }
  w.timer.flush()
  return w.server.refused()
}

it('a batch of hundreds, whose answers come in order, is not judged by the first of them', () => {
  expect(heldUp()).toBe(0)
})

/** Time for which the `nth` request waits before it is under way, in ms, if it starts at `now`. */
type Held = (nth: number, now: number) => number

/** A thousand requests to eight endpoints at 100/s, over a fast network that holds some of them up. */
const near = (held: Held) => {
  const w = world({ ...limits, concurrent: 50 })
  const random = seeded(5)
  const fast = uniform(0.3, 2)
  const requests = Array.from({ length: 180 }, (_, turn) =>
    WEIGHTS.flatMap((weight, i) => (turn < weight ? [`${i}`] : [])),
  ).flat()
  let [started, done] = [0, 0]
  requests.forEach((endpoint, i) => {
    const delays = {
      up: () => held(started++, w.timer.now()) + fast(random),
      work: 0,
      down: () => fast(random),
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

/** Two hundred requests to one endpoint, 80 ms away, some of which are held up. */
const far = (held: Held) => {
  const w = world({ ...limits, concurrent: 50 })
  const random = seeded(7)
  const way = uniform(39, 41)
  let [started, done] = [0, 0]
  for (let i = 0; i < 200; i++) {
    const delays = {
      up: () => held(started++, w.timer.now()) + way(random),
      work: 0,
      down: () => way(random),
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

/** Fifty connections are opened one after the other, for the first requests. */
const connecting: Held = (nth) => (nth < 50 ? 25 + nth : 0)

/** A process that stalls for 60 ms now and then: what it sends meanwhile leaves afterwards. */
const stalling: Held = (_, now) => Math.max(0, 60 - ((now + 55) % 1_730))

describe('requests that are held up before they are under way', () => {
  it('get nothing refused when connections are slow to open', () => {
    const { done, share, refused } = near(connecting)
    expect(done).toBe(1_000)
    expect(refused).toBe(0)
    expect(share).toBeGreaterThan(0.97)
  })

  it('do not lower the limit when the process stalls', () => {
    const { done, share, refused } = near(stalling)
    expect(done).toBe(1_000)
    expect(refused).toBeLessThan(10)
    expect(share).toBeGreaterThan(0.97)
  })

  it('do not lower the limit when both come together', () => {
    const { done, share, refused } = near((nth, now) => connecting(nth, now) + stalling(nth, now))
    expect(done).toBe(1_000)
    expect(refused).toBeLessThan(10)
    expect(share).toBeGreaterThan(0.97)
  })

  it('are noticed soon after the first ones, that had to open connections', () => {
    const opening: Held = (nth) => (nth < 20 ? 80 : 0)
    const third: Held = (nth) => (nth >= 60 && nth < 80 ? 15 : 0)
    expect(far((nth, now) => opening(nth, now) + third(nth, now))).toEqual({
      done: 200,
      refused: 0,
    })
  })
})

describe('a turn of the event loop that takes long', () => {
  /** A timer on which work takes time: whatever is due meanwhile runs afterwards. */
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
   * Returns when each request started, of two windows of `limit` with a guard of 10 ms. `cost`: time that the first ones
   * take to start and to read, in ms; `cached`: those that answer at once.
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
        concurrency({ name: 'at once', limit: atOnce }),
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

  it('because answers are slow to read: a request that one of them starts has left when the next one is read', () => {
    const started = starts(6, 3, { start: 0, answer: 40 })
    expect(started.slice(0, 6)).toEqual([0, 0, 0, 140, 180, 220])
    const left = [0, 0, 0, 180, 220, 220] // the last one when the turn is over
    expect(started.slice(6)).toEqual(left.map((at) => at + 1_010))
  })

  it('because many requests start in it: all leave when it is over, and not before', () => {
    const started = starts(4, 100, { start: 20, answer: 0 })
    expect(started.slice(0, 4)).toEqual([0, 20, 40, 60])
    expect(started.slice(4)).toEqual([1_090, 1_090, 1_090, 1_090])
  })

  it('because many requests start in it, also when some of them answer at once', () => {
    const started = starts(4, 100, { start: 20, answer: 0 }, [0, 2])
    expect(started.slice(4)).toEqual([1_090, 1_090, 1_090, 1_090])
  })
})
