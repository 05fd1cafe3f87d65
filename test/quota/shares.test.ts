/** Parts of the limits that processes get, in virtual time: a Redis that follows the rule, and a server that counts. */
import { describe, expect, it } from 'vitest'
import { sample } from '../support/runs.js'
import { type Arrival, type FleetOptions, fleet, mostInWindow } from './fleet.js'

const LIMIT = 20
const LEASE = 10_000
/** By then a new account's first lease, in which nobody gets anything, is over. */
const STARTED = 14_000

const shared = (options: Partial<FleetOptions> = {}) =>
  fleet({ processes: 4, limit: LIMIT, lease: LEASE, ...options })

const countIn = (
  arrivals: ReadonlyArray<Arrival>,
  from: number,
  to: number,
  counts: (one: Arrival) => boolean = () => true,
): number => arrivals.filter((one) => one.at >= from && one.at < to && counts(one)).length

/** Arrivals of each process. */
const byProcess = (
  arrivals: ReadonlyArray<Arrival>,
  processes: number,
  from: number,
  to: number,
): ReadonlyArray<number> =>
  Array.from({ length: processes }, (_, process) =>
    countIn(arrivals, from, to, (one) => one.process === process),
  )

/** 1 if all have the same, 1 / n if one has everything. */
const jain = (counts: ReadonlyArray<number>): number => {
  const sum = counts.reduce((a, b) => a + b, 0)
  return sum ** 2 / (counts.length * counts.reduce((all, one) => all + one ** 2, 0))
}

/** The fewest in five windows running, as a part of the limit: permits leave every 1,050 ms. */
const fewest = (arrivals: ReadonlyArray<Arrival>, from: number, to: number): number => {
  const counts: Array<number> = []
  for (let at = from; at + 5_250 <= to; at += 500) counts.push(countIn(arrivals, at, at + 5_250))
  return Math.min(...counts) / (5 * LIMIT)
}

describe('processes that have always something to do', () => {
  it.each(sample(2, [1, 2, 4, 8]))('use as much as one, in equal parts: %i', async (processes) => {
    const { run, arrivals, commands } = shared({ processes })
    await run(STARTED + 64_000)
    const alone = LIMIT / 1.05 // each permit is held 50 ms longer than its window
    const seconds = 64
    expect(countIn(arrivals, STARTED, STARTED + 64_000)).toBeGreaterThan(0.97 * alone * seconds)
    expect(jain(byProcess(arrivals, processes, STARTED, STARTED + 64_000))).toBeGreaterThanOrEqual(
      0.99,
    )
    expect(commands()).toBeLessThan(4.1 * processes * (STARTED / 1_000 + seconds))
  })

  it('have equal parts after two turns already, where a limit does not divide evenly', async () => {
    const { run, arrivals } = shared({ processes: 8 })
    await run(STARTED + 20_000)
    const counts = byProcess(arrivals, 8, STARTED, STARTED + 20_000)
    expect(jain(counts)).toBeGreaterThanOrEqual(0.99)
  })

  it('take turns when there are fewer permits than processes', async () => {
    const { run, arrivals } = shared({ limit: 2 })
    await run(STARTED + 128_000)
    const counts = byProcess(arrivals, 4, STARTED, STARTED + 128_000)
    expect(jain(counts)).toBeGreaterThan(0.98)
    expect(mostInWindow(arrivals)).toBe(2)
  })
})

describe('a process that has little to do', () => {
  it('leaves the rest to the others', async () => {
    const { run, arrivals } = shared({
      processes: 2,
      pause: (process) => (process === 0 ? 0 : 500),
    })
    await run(STARTED + 20_000)
    const [busy = 0] = byProcess(arrivals, 2, STARTED, STARTED + 20_000)
    expect(busy / 20).toBeGreaterThan(15)
  })

  it('leaves no timer behind', async () => {
    const { run, timer } = shared({
      pause: (_, now) => (now < 20_000 ? 0 : Number.POSITIVE_INFINITY),
    })
    await run(23_000)
    const before = timer.pending()
    await run(60_000)
    expect(timer.pending()).toBeLessThanOrEqual(before)
    expect(timer.pending()).toBeLessThanOrEqual(4) // the look of each for something to do
  })
})

describe('a process that joins', () => {
  it('has its share within two seconds', async () => {
    const joins = 30_000
    const { run, arrivals } = shared({
      pause: (process, now) => (process < 3 || now >= joins ? 0 : Number.POSITIVE_INFINITY),
    })
    await run(joins + 10_000)
    const own = (one: Arrival) => one.process === 3
    expect(countIn(arrivals, joins + 2_000, joins + 4_100, own)).toBeGreaterThanOrEqual(10)
    expect(mostInWindow(arrivals)).toBeLessThanOrEqual(LIMIT)
  })
})

describe('a process that is killed', () => {
  it('has its share used by the others after the lease', async () => {
    const { run, arrivals, processes, timer } = shared()
    timer.schedule(() => processes[0]?.kill(), 30_000)
    await run(60_000)
    expect(fewest(arrivals, 30_000 + LEASE + 4_000, 60_000)).toBeGreaterThanOrEqual(0.9)
    expect(mostInWindow(arrivals)).toBeLessThanOrEqual(LIMIT)
  })
})

describe('Redis', () => {
  it.each<[string, Partial<FleetOptions>]>([
    ['is frozen for a while', { frozen: [[30_000, 38_000]] }],
    ['is frozen for longer than the lease', { frozen: [[30_000, 60_000]] }],
    ['is gone for a while', { gone: [[30_000, 38_000]] }],
    ['is gone for longer than the lease', { gone: [[30_000, 60_000]] }],
    ['is killed, and empty', { gone: [[30_000, 38_000]], emptied: [31_000] }],
    ['is emptied', { emptied: [30_000] }],
    [
      'has its clock set back and forth',
      {
        clockSet: [
          [30_000, -90_000],
          [40_000, 90_000],
        ],
      },
    ],
  ])('%s: nobody waits', async (_, options) => {
    const { run, arrivals } = shared(options)
    await run(80_000)
    expect(fewest(arrivals, 29_000, 80_000)).toBeGreaterThanOrEqual(0.85)
    expect(mostInWindow(arrivals)).toBeLessThanOrEqual(LIMIT)
  })

  it('is late by a fifth of a second: nobody waits', async () => {
    const { run, arrivals } = shared({ delay: [200, 200] })
    await run(80_000)
    expect(countIn(arrivals, STARTED + 6_000, 80_000) / 60).toBeGreaterThan(17)
  })

  it('is gone for longer than the lease: stops all if told so, until it is back', async () => {
    const { run, arrivals } = shared({ gone: [[30_000, 60_000]], onLost: 'stop' })
    await run(80_000)
    expect(countIn(arrivals, 30_000, 30_000 + LEASE - 1_000)).toBeGreaterThan(150)
    expect(countIn(arrivals, 30_000 + LEASE + 100, 60_000)).toBe(0)
    expect(fewest(arrivals, 62_000, 80_000)).toBeGreaterThanOrEqual(0.9)
  })

  it('is gone for longer than the lease: one without a part has an equal part in the end', async () => {
    const late = 35_000
    const { run, arrivals } = shared({
      processes: 2,
      gone: [[30_000, 90_000]],
      // permits of the second are wanted rarely before
      pause: (process, now) => (process === 0 || now >= late ? 0 : 200),
    })
    await run(80_000)
    const [first = 0, second = 0] = byProcess(arrivals, 2, 60_000, 80_000)
    expect(second / 20).toBeGreaterThan(9)
    expect(first / 20).toBeGreaterThan(9)
    expect(mostInWindow(arrivals)).toBeLessThanOrEqual(LIMIT)
  })
})

describe('a lower real limit', () => {
  it('is used up by all together, with few refusals', async () => {
    const { run, arrivals } = shared({ processes: 2, real: 10 })
    await run(STARTED + 100_000)
    const refused = countIn(arrivals, STARTED, STARTED + 100_000, (one) => one.isRefused)
    const all = countIn(arrivals, STARTED, STARTED + 100_000)
    expect(all - refused).toBeGreaterThan(0.85 * 100 * 10)
    expect(refused / all).toBeLessThan(0.15)
  })
})

describe('a limit per minute', () => {
  it('serves those that replace processes that were all killed', async () => {
    const isFirst = (process: number): boolean => process < 4
    const { run, arrivals, processes } = shared({
      processes: 8,
      minute: 100,
      pause: (process, now) =>
        isFirst(process) || now >= STARTED + 10_000 ? 2_000 : Number.POSITIVE_INFINITY,
    })
    await run(STARTED + 10_000)
    for (const process of processes.slice(0, 4)) process.kill()
    const free = STARTED + 10_000 + LEASE + 4_000
    await run(free + 10_000)
    const counts = byProcess(arrivals, 8, free, free + 10_000).slice(4)
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4)
  })
})
