import { Observable, Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { ceiling } from '../../src/scheduler/ceiling/Ceiling.js'
import { departure } from '../../src/scheduler/Departure.js'
import { schedule } from '../../src/scheduler/index.js'
import { bursts, late } from '../../src/scheduler/slack/Bursts.js'
import type { Limits } from '../support/simulated/judge.js'
import { networks } from '../support/simulated/network.js'
import { seeded } from '../support/simulated/random.js'
import { stallsUntil } from '../support/simulated/stalls.js'
import { type Answer, refused, world } from './world.js'

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 1_000 }
const WEIGHTS = [180, 180, 140, 120, 120, 100, 80, 80]
const one = Array.from({ length: 400 }, () => 'a')
const eight = Array.from({ length: 180 }, (_, turn) =>
  WEIGHTS.flatMap((weight, i) => (turn < weight ? [`${i}`] : [])),
).flat()

/** Eight times a second, for 20 ms on average. */
const stalls = (seed: number) => stallsUntil(60_000, { perSecond: 8, ms: 20 }, seeded(seed))

/** On a steady network, 90 ms away. `shared`: the server runs on the machine that stalls, too. */
const run = (requests: ReadonlyArray<string>, windows: number, shared: boolean, seed: number) => {
  const here = stalls(seed)
  const w = world(limits, {}, { here, there: shared ? here : [] })
  const random = seeded(seed)
  const { uplink = () => 0, processing = () => 0, downlink = () => 0 } = networks.steady ?? {}
  let done = 0
  requests.forEach((endpoint, i) => {
    const delays = {
      get up() {
        return uplink(random)
      },
      get work() {
        return processing(random)
      },
      get down() {
        return downlink(random)
      },
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

/** The worst of many runs, and how many were refused of all. */
const many = (
  count: number,
  ...load: Parameters<typeof run> extends [...infer L, number] ? L : never
) => {
  const results = Array.from({ length: count }, (_, seed) => run(...load, seed + 1))
  return {
    worst: Math.min(...results.map(({ share }) => share)),
    refused: results.reduce((sum, result) => sum + result.refused, 0),
  }
}

describe('on a busy machine', () => {
  it('a limit is used up, and not taken for a lower one when bursts are late', () => {
    const { worst, refused } = many(30, one, 19, true)
    expect(worst).toBeGreaterThan(0.965)
    expect(refused).toBeLessThan(0.02 * 30 * one.length)
  })

  it('all is used of several limits, and nothing refused, when the client alone is busy', () => {
    const { worst, refused } = many(60, eight, 9, false)
    expect(worst).toBeGreaterThan(0.96) // whoever misses its turn is a whole window late
    expect(refused).toBe(0)
  })
})

/** Two hundred requests, 80 ms away, of which every twentieth is left on its way; one burst is 30 ms late. */
const leaving = () => {
  const w = world(limits)
  const random = seeded(3)
  for (let i = 0; i < 200; i++) {
    const delays = {
      get up() {
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

it('a burst of which somebody left tells of the others', () => {
  expect(leaving()).toBe(0)
})

/** A thousand every second, over loopback; twice, those that leave within half a second arrive at its end. */
const heldUp = () => {
  const w = world({ global: 1_000, endpoint: 1_000, per: 1_000, concurrent: 10_000 })
  const random = seeded(3)
  for (let i = 0; i < 12_000; i++) {
    const delays = {
      get up() {
        const now = w.timer.now()
        const held = [4_800, 8_200].find((end) => now >= end - 500 && now < end)
        return 0.2 + 0.3 * random() + (held === undefined ? 0 : held - now)
      },
      get work() {
        return 0.2 + 0.4 * random()
      },
      down: 0.2,
    }
    w.send(`${i}`, 'a', delays)
      .pipe(schedule(w.scheduler, 'a', { refused }))
      .subscribe()
  }
  w.timer.flush()
  return w.server.refused()
}

it('a part of a burst of many hundreds, whose answers come in order, is not taken for all of it', () => {
  expect(heldUp()).toBe(0)
})

describe('a burst', () => {
  const PER = 1_000

  /** One that left at a moment, and whose answers took so much longer than the shortest. */
  const burst = (at: number, excesses: ReadonlyArray<number>) => {
    const made = departure(at, false)
    made.count = excesses.length
    for (const excess of excesses) {
      made.answers++
      made.took += 80 + excess
      made.squares += (80 + excess) ** 2
      made.excess += excess
    }
    return made
  }
  const usually = [0, 1, 2, 3, 4]

  it('is late by as much as its answers are, beyond chance', () => {
    const all = bursts()
    all.settled(burst(0, usually))
    const lateness = late(
      burst(
        1_000,
        usually.map((ms) => ms + 30),
      ),
      all.look(2),
    )
    expect(lateness).toBeGreaterThan(25)
    expect(lateness).toBeLessThan(30)
    expect(late(burst(1_000, usually), all.look(2))).toBeLessThan(0)
  })

  it('is not late by what chance makes of it', () => {
    const all = bursts()
    all.settled(burst(0, usually))
    const later = usually.map((ms) => ms + 1.5) // two standard errors of such a mean, or so
    expect(late(burst(1_000, later), all.look(2))).toBeLessThan(0)
  })

  it('is late also when those before it were', () => {
    const all = bursts()
    all.settled(burst(0, usually))
    for (let i = 1; i < 6; i++)
      all.settled(
        burst(
          i * PER,
          usually.map((ms) => ms + 30),
        ),
      )
    const next = burst(
      6 * PER,
      usually.map((ms) => ms + 30),
    )
    expect(late(next, all.look(15))).toBeGreaterThan(25)
  })

  it('is not late when the network has been slower for a while', () => {
    const all = bursts()
    all.settled(burst(0, usually))
    for (let i = 1; i < 10; i++)
      all.settled(
        burst(
          i * PER,
          usually.map((ms) => ms + 30),
        ),
      )
    const next = burst(
      10 * PER,
      usually.map((ms) => ms + 30),
    )
    expect(late(next, all.look(2))).toBeLessThan(0)
  })

  it('that trickles out is one', () => {
    const all = bursts()
    all.settled(burst(0, usually))
    for (let i = 0; i < 50; i++) all.settled(burst(PER + i, [30]))
    expect(late(burst(PER + 50, [30, 30]), all.look(2))).toBeGreaterThan(20)
  })

  it('that opened its connections in turn tells nothing of the scatter', () => {
    const all = bursts()
    all.settled({ ...burst(0, [0, 20, 40, 60, 80]), cold: true })
    all.settled(burst(PER, usually))
    expect(
      late(
        burst(
          2 * PER,
          usually.map((ms) => ms + 15),
        ),
        all.look(2),
      ),
    ).toBeGreaterThan(9)
  })

  it('is nothing to compare with before another one is answered', () => {
    expect(late(burst(0, [500, 510]), bursts().look(2))).toBe(Number.NEGATIVE_INFINITY)
  })
})

describe('refusals now and then', () => {
  /** The limit after so many windows with three of twenty refused, and in between so many without. */
  const limitAfter = (windows: number, whole: number): number => {
    const found = ceiling(20, 1_000)
    for (let i = 0; i <= (windows - 1) * (1 + whole); i++) {
      const at = i * 1_010
      const few = i % (1 + whole) === 0 ? 3 : 0
      for (let n = 0; n < 20 - few; n++) found.accepted(at)
      for (let n = 0; n < few; n++) found.refused(at, at + 1, 0)
    }
    return found.limit((windows - 1) * (1 + whole) * 1_010 + 2)
  }

  it.each([
    [19, 1],
    [12, 12],
  ])('are one accident when %d and %d left together, over the end of a window', (some, others) => {
    const found = ceiling(20, 1_000)
    found.accepted(0)
    for (let n = 0; n < some; n++) expect(found.refused(900, 999, 0)).toBe('chance')
    for (let n = 0; n < others; n++) expect(found.refused(900, 1_001, 0)).toBe('chance')
    found.accepted(1_100)
    expect(found.refused(1_050, 1_140, 0)).toBe('chance') // one of the next ones, alone
    expect(found.wait(2_100)).toBe(0)
    expect(found.limit(2_100)).toBe(20)
  })

  it('tell of a lower limit', () => expect(limitAfter(3, 0)).toBe(17))
  it('tell nothing when all was let in since', () => expect(limitAfter(3, 1)).toBe(20))
})
