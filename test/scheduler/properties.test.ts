/** Properties of all schedules: over random requests, limits, networks and cancellations. */
import fc from 'fast-check'
import type { Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { judge, type Limits } from '../../bench/simulated/judge.js'
import { networks } from '../../bench/simulated/network.js'
import { seeded } from '../../bench/simulated/random.js'
import {
  concurrency,
  type Guard,
  rate,
  type SchedulerOptions,
  schedule,
} from '../../src/scheduler/index.js'
import { runs } from '../support/runs.js'
import { type Answer, refused, world } from './world.js'

const delays = fc.record({
  up: fc.double({ min: 0, max: 300, noNaN: true }),
  work: fc.double({ min: 0, max: 400, noNaN: true }),
  down: fc.double({ min: 0, max: 300, noNaN: true }),
})

const request = fc.record({
  at: fc.integer({ min: 0, max: 3_000 }),
  endpoint: fc.constantFrom('a', 'b', 'c'),
  lane: fc.constantFrom('interactive', 'bulk'),
  delays,
  /** Cancelled after so long, in ms, if at all. */
  cancel: fc.option(fc.integer({ min: 0, max: 5_000 }), { freq: 4 }),
})

const limits = fc.record({
  global: fc.integer({ min: 1, max: 8 }),
  endpoint: fc.integer({ min: 1, max: 5 }),
  per: fc.integer({ min: 50, max: 1_500 }),
  concurrent: fc.integer({ min: 1, max: 6 }),
})

type Request = typeof request extends fc.Arbitrary<infer T> ? T : never
type Drawn = typeof limits extends fc.Arbitrary<infer T> ? T : never

/** Runs to the end. `real`: limits of the server, if they are not the configured ones. */
const run = (known: Drawn, requests: ReadonlyArray<Request>, guard: Guard, real = known) => {
  const w = world(known, { guard })
  w.server = world(real).server
  const seen: Array<Answer> = []
  const cancelled = new Set<string>()
  requests.forEach(({ at, endpoint, lane, delays, cancel }, i) => {
    w.timer.schedule(() => {
      const subscription: Subscription = w
        .send(`${i}`, endpoint, delays)
        .pipe(schedule(w.scheduler, endpoint, { lane, refused, attempts: 1_000 }))
        .subscribe((answer) => seen.push(answer))
      if (cancel === null) return
      w.timer.schedule(() => {
        if (!subscription.closed) cancelled.add(`${i}`)
        subscription.unsubscribe()
      }, cancel)
    }, at)
  })
  w.timer.flush()
  return { w, seen, cancelled }
}

const requests = fc.array(request, { minLength: 1, maxLength: 60 })

describe('over random requests, limits, delays and cancellations', () => {
  it('nothing is ever refused with the safe guard', () => {
    fc.assert(
      fc.property(limits, requests, (known, asked) => {
        expect(run(known, asked, 'safe').w.server.refused()).toBe(0)
      }),
      { numRuns: runs(300) },
    )
  })

  it.each<Guard>(['safe', 'learned', 20])(
    'nothing is lost, nothing is let in twice, and all requests end (guard %s)',
    (guard) => {
      fc.assert(
        fc.property(limits, requests, (known, asked) => {
          const { w, seen, cancelled } = run(known, asked, guard)
          const expected = asked.map((_, i) => `${i}`).filter((i) => !cancelled.has(i))
          expect(seen.map(({ request }) => request).sort()).toEqual(expected.sort())
          expect(seen.every(({ ok }) => ok)).toBe(true)
          expect([...w.letIn.values()].every((times) => times === 1)).toBe(true)
          expect(w.timer.pending()).toBe(0)
        }),
        { numRuns: runs(150) },
      )
    },
  )

  it('all requests end when the server allows less than is configured', () => {
    fc.assert(
      fc.property(limits, limits, requests, (known, real, asked) => {
        const least = {
          global: Math.min(known.global, real.global),
          endpoint: Math.min(known.endpoint, real.endpoint),
          per: known.per,
          concurrent: Math.min(known.concurrent, real.concurrent),
        }
        const { w, seen, cancelled } = run(known, asked, 'learned', least)
        expect(seen.length + cancelled.size).toBe(asked.length)
        expect(seen.every(({ ok }) => ok)).toBe(true)
        expect(w.timer.pending()).toBe(0)
      }),
      { numRuns: runs(150) },
    )
  })

  it('the state is empty afterwards', () => {
    fc.assert(
      fc.property(limits, requests, (known, asked) => {
        const { w } = run(known, asked, 'learned')
        w.timer.flush(w.timer.now() + 10_000)
        w.scheduler.state
          .subscribe((state) => {
            expect(state).toMatchObject({ waiting: 0, inFlight: 0, backingOff: 0 })
            expect(state.tiers.map(({ used }) => used)).toEqual([0, 0, 0])
          })
          .unsubscribe()
      }),
      { numRuns: runs(100) },
    )
  })
})

const production: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

const tiers: SchedulerOptions<string>['tiers'] = [
  rate({ name: 'global', limit: production.global, per: production.per }),
  rate({ name: 'endpoint', limit: production.endpoint, per: production.per, key: (e) => e }),
  concurrency({ name: 'concurrency', limit: production.concurrent }),
]

interface Load {
  readonly seed: number
  readonly network: string
  readonly guard: 'learned' | 'safe' | number
  /** Limit of an endpoint at the server. */
  readonly real: number
  /** Endpoint of each request, and when it is asked for, in ms. */
  readonly asked: ReadonlyArray<readonly [endpoint: number, at: number]>
}

const load = fc.record<Load>({
  seed: fc.nat(),
  network: fc.constantFrom('steady', 'wan', 'jittery'),
  guard: fc.constantFrom<Load['guard']>('learned', 'safe', 20),
  real: fc.integer({ min: 10, max: 20 }),
  asked: fc.array(fc.tuple(fc.nat({ max: 4 }), fc.oneof(fc.constant(0), fc.nat({ max: 10_000 }))), {
    minLength: 1,
    maxLength: 300,
    size: 'max',
  }),
})

interface Change extends Pick<Partial<SchedulerOptions<string>>, 'tiers' | 'lanes' | 'share'> {
  readonly named?: (endpoint: number) => string
}

/** Returns which request had its answer when. */
const answersOf = (
  { seed, network, guard, real, asked }: Load,
  { named = String, ...options }: Change = {},
): ReadonlyArray<readonly [number, number]> => {
  const w = world(production, { tiers, guard, ...options })
  w.server = judge({ ...production, endpoint: real })
  const random = seeded(seed)
  const { uplink, processing, downlink } = networks[network] ?? {}
  const answered: Array<readonly [number, number]> = []
  for (const [i, [endpoint, at]] of asked.entries()) {
    const name = named(endpoint)
    const delays = {
      up: uplink?.(random) ?? 0,
      work: processing?.(random) ?? 0,
      down: downlink?.(random) ?? 0,
    }
    w.timer.schedule(() => {
      w.send(`${i}`, name, delays)
        .pipe(schedule(w.scheduler, name, { refused, attempts: 1_000 }))
        .subscribe(() => answered.push([i, w.timer.now()]))
    }, at)
  }
  w.timer.flush()
  expect(answered).toHaveLength(asked.length)
  return answered
}

describe('each request is sent at the same moment', () => {
  it.each<readonly [string, Change]>([
    [
      'beside a rate that is never used up',
      { tiers: [rate({ name: 'x', limit: 1e9, per: 1_000 }), ...tiers] },
    ],
    [
      'beside one for each key',
      { tiers: [...tiers, rate({ name: 'x', limit: 1e9, per: 1_000, key: (e) => e })] },
    ],
    [
      'beside a concurrency limit that is never used up',
      { tiers: [...tiers, concurrency({ name: 'x', limit: 1e9 })] },
    ],
    [
      'beside a limit of Infinity',
      { tiers: [...tiers, rate({ name: 'x', limit: Number.POSITIVE_INFINITY, per: 1_000 })] },
    ],
    [
      'with half of limits that are twice as high',
      {
        share: 0.5,
        tiers: [
          rate({ name: 'global', limit: 2 * production.global, per: production.per }),
          rate({
            name: 'endpoint',
            limit: 2 * production.endpoint,
            per: production.per,
            key: (e) => e,
          }),
          concurrency({ name: 'concurrency', limit: 2 * production.concurrent }),
        ],
      },
    ],
    [
      'with one key for all',
      {
        tiers: [
          rate({ name: 'global', limit: production.global, per: production.per, key: () => 'all' }),
          rate({
            name: 'endpoint',
            limit: production.endpoint,
            per: production.per,
            key: (e) => e,
          }),
          concurrency({ name: 'concurrency', limit: production.concurrent, key: () => 'all' }),
        ],
      },
    ],
    ['whatever its keys are named', { named: (endpoint) => `z${9 - endpoint}` }],
    ['whatever the weight of its only lane', { lanes: { only: 3 } }],
  ])('%s', (_, change) => {
    fc.assert(
      fc.property(load, (given) => {
        expect(answersOf(given, change)).toEqual(answersOf(given))
      }),
      { numRuns: runs(60) },
    )
  })
})
