/** Limits that are lower at the server than configured, refusals by chance, and outages: what they cost. */
import { describe, expect, it } from 'vitest'
import { judge } from '../../bench/simulated/judge.js'
import {
  type Limiting,
  overSeeds,
  plainLoop,
  type RefusingServer,
  roundTripOf,
  withOutages,
} from '../../bench/simulated/refusing.js'
import { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  type LimitChanged,
  rate,
  schedule,
} from '../../src/scheduler/index.js'
import { stateOf, world } from './world.js'

const configured = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

const ours: Limiting = (timer, random) => {
  const { global, endpoint: limit, per, concurrent } = configured
  const scheduler = createScheduler<string>({
    tiers: [
      rate({ name: 'global', limit: global, per }),
      rate({ name: 'endpoint', limit, per, key: (endpoint) => endpoint }),
      concurrency({ name: 'concurrency', limit: concurrent }),
    ],
    random,
    timer,
  })
  const refused = ({ ok }: { readonly ok: boolean }) => (ok ? O.none : O.some({}))
  return (endpoint) => schedule(scheduler, endpoint, { refused, attempts: 50 })
}

const serverOf = (limits: Partial<RefusingServer['limits']>, roundTrip: number) => ({
  limits: { ...configured, concurrent: 1_000, ...limits },
  ...roundTripOf(roundTrip),
})
const toOne = (count: number) => ({ requests: Array.from({ length: count }, () => 'a') })
const toEight = (count: number) => ({
  requests: Array.from({ length: count }, (_, i) => `${i % 8}`),
})

describe('100 requests to an endpoint, configured with 20 per second', () => {
  const cases = [15, 10, 8, 1].flatMap((real) =>
    [false, true].flatMap((countsRefused) =>
      [0, 80].map((roundTrip) => [real, countsRefused, roundTrip] as const),
    ),
  )

  it.each(cases)(
    'that allows %d (counts refused requests: %s, round trip %d ms) take little longer than needed',
    (real, countsRefused, roundTrip) => {
      const server = serverOf({ endpoint: real, countsRefused }, roundTrip)
      const { done, seconds, refused, busiest } = overSeeds(ours, server, toOne(100))
      expect(done).toBe(100)
      expect(seconds).toBeLessThan(1.3 * (100 / real - 1))
      expect(refused).toBeLessThanOrEqual(real === 1 ? 60 : 30)
      expect(busiest).toBeLessThanOrEqual(20)
    },
  )
})

describe('2,000 requests to eight endpoints, configured with 100 per second for all', () => {
  const cases = [80, 50].flatMap((real) =>
    [false, true].map((countsRefused) => [real, countsRefused] as const),
  )

  it.each(cases)(
    'and %d allowed (counts refused requests: %s) take little longer than needed',
    (real, countsRefused) => {
      const server = serverOf({ global: real, countsRefused }, 40)
      const result = overSeeds(ours, server, toEight(2_000))
      expect(result.done).toBe(2_000)
      expect(result.seconds).toBeLessThan(1.3 * (2_000 / real - 1))
      expect(result.busiest).toBeLessThanOrEqual(20)
      expect(result.busiestOfAll).toBeLessThanOrEqual(100)
    },
  )
})

it('takes 5 % of refusals by mere chance for no lower limit', () => {
  const server = { ...serverOf({}, 40), chance: 0.05 }
  const { done, seconds } = overSeeds(ours, server, toOne(2_000))
  expect(done).toBe(2_000)
  expect(seconds).toBeLessThan(1.15 * (2_000 / 0.95 / 20 - 1))
})

describe('300 pages from a server that refuses everything for 2 s', () => {
  it.each([23, 60])('once in %d requests take little longer than with a plain loop', (every) => {
    const load = { ...toOne(300), workers: 8 }
    const plain = overSeeds(plainLoop(), withOutages(every), load)
    const { done, seconds, busiest } = overSeeds(ours, withOutages(every), load)
    expect([plain.done, done]).toEqual([300, 300])
    expect(seconds).toBeLessThan(1.2 * plain.seconds)
    expect(busiest).toBeLessThanOrEqual(20)
  })
})

describe('a limit that is found to be lower', () => {
  /** Sixty requests wait or are under way all the time, for a server that really allows one endpoint `real`. */
  const found = (real: number) => {
    const w = world(configured)
    w.server = judge({ ...configured, endpoint: real })
    const events: Array<LimitChanged> = []
    w.scheduler.events.subscribe((event) => {
      if (event._tag === 'LimitChanged') events.push(event)
    })
    const ask = (request: number): void => {
      w.send(`${request}`, 'charges', { up: 20, work: 5, down: 20 })
        .pipe(
          schedule(w.scheduler, 'charges', {
            refused: ({ ok }) => (ok ? O.none : O.some({})),
            attempts: 1_000,
          }),
        )
        .subscribe(() => ask(request + 60))
    }
    for (let i = 0; i < 60; i++) ask(i)
    return { w, events }
  }

  it('is told in words by an event and by the state, and told again when it is gone', () => {
    const { w, events } = found(10)
    w.timer.flush(4_500)
    expect(events).toEqual([
      {
        _tag: 'LimitChanged',
        tier: 'endpoint',
        key: 'charges',
        limit: 20,
        allowed: 10,
        message: '10 of 20 requests per second are admitted',
      },
    ])
    expect(stateOf(w.scheduler)?.tiers).toMatchObject([
      { name: 'global', lowered: undefined },
      { name: 'endpoint', lowered: '10 of 20 requests per second are admitted' },
      { lowered: undefined },
    ])
    w.server = judge(configured)
    w.timer.flush(120_000)
    expect(events.at(-1)).toMatchObject({ limit: 20, allowed: 20 })
    expect(stateOf(w.scheduler)?.tiers[1]).toMatchObject({ lowered: undefined, allowed: 20 })
  })

  it('for one key is shown for that key', () => {
    const { w } = found(10)
    w.send('other', 'refunds', { up: 20, work: 5, down: 20 })
      .pipe(schedule(w.scheduler, 'refunds'))
      .subscribe()
    w.timer.flush(4_500)
    expect(stateOf(w.scheduler)?.tiers[1]?.perKey).toEqual([
      { key: 'charges', waiting: 60, used: 10, allowed: 10 },
    ])
  })
})
