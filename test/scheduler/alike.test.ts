import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concurrency, rate, type SchedulerOptions, schedule } from '../../src/scheduler/index.js'
import { judge, type Limits } from '../support/simulated/judge.js'
import { networks } from '../support/simulated/network.js'
import { seeded } from '../support/simulated/random.js'
import { refused, world } from './world.js'

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

const tiers: SchedulerOptions<string>['tiers'] = [
  rate({ name: 'global', limit: limits.global, per: limits.per }),
  rate({ name: 'endpoint', limit: limits.endpoint, per: limits.per, key: (e) => e }),
  concurrency({ name: 'places', limit: limits.concurrent }),
]

interface Load {
  readonly seed: number
  readonly network: string
  readonly guard: 'learned' | 'safe' | number
  /** What the server really allows one endpoint. */
  readonly real: number
  /** Which endpoint is asked, and after how many ms. */
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

interface Otherwise extends Pick<Partial<SchedulerOptions<string>>, 'tiers' | 'lanes' | 'share'> {
  readonly named?: (endpoint: number) => string
}

/** Which request had its answer when. */
const run = (
  { seed, network, guard, real, asked }: Load,
  { named = String, ...options }: Otherwise = {},
): ReadonlyArray<readonly [number, number]> => {
  const w = world(limits, { tiers, guard, ...options })
  w.server = judge({ ...limits, endpoint: real })
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

describe('a scheduler does the same, request by request,', () => {
  it.each<readonly [string, Otherwise]>([
    [
      'beside a rate that is never used up',
      { tiers: [rate({ name: 'x', limit: 1e9, per: 1_000 }), ...tiers] },
    ],
    [
      'beside one for each key',
      { tiers: [...tiers, rate({ name: 'x', limit: 1e9, per: 1_000, key: (e) => e })] },
    ],
    [
      'beside places that are never all taken',
      { tiers: [...tiers, concurrency({ name: 'x', limit: 1e9 })] },
    ],
    [
      'beside a limit that is none',
      { tiers: [...tiers, rate({ name: 'x', limit: Number.POSITIVE_INFINITY, per: 1_000 })] },
    ],
    [
      'by half of twice as much',
      {
        share: 0.5,
        tiers: [
          rate({ name: 'global', limit: 2 * limits.global, per: limits.per }),
          rate({ name: 'endpoint', limit: 2 * limits.endpoint, per: limits.per, key: (e) => e }),
          concurrency({ name: 'places', limit: 2 * limits.concurrent }),
        ],
      },
    ],
    [
      'with one key for all',
      {
        tiers: [
          rate({ name: 'global', limit: limits.global, per: limits.per, key: () => 'all' }),
          rate({ name: 'endpoint', limit: limits.endpoint, per: limits.per, key: (e) => e }),
          concurrency({ name: 'places', limit: limits.concurrent, key: () => 'all' }),
        ],
      },
    ],
    ['whatever its keys are named', { named: (endpoint) => `z${9 - endpoint}` }],
    ['whatever the weight of its only lane', { lanes: { only: 3 } }],
  ])('%s', (_, otherwise) => {
    fc.assert(
      fc.property(load, (given) => {
        expect(run(given, otherwise)).toEqual(run(given))
      }),
      { numRuns: 60 },
    )
  })
})
