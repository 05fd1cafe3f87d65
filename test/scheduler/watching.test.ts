import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { window } from '../../src/scheduler/bucket/Window.js'
import { departure } from '../../src/scheduler/Departure.js'
import { schedule } from '../../src/scheduler/index.js'
import { slack } from '../../src/scheduler/slack/Slack.js'
import { judge, type Limits } from '../support/simulated/judge.js'
import { networks } from '../support/simulated/network.js'
import { seeded } from '../support/simulated/random.js'
import { stallsUntil } from '../support/simulated/stalls.js'
import { refused, world } from './world.js'

const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

interface Burst {
  readonly endpoint: string
  readonly count: number
  /** Milliseconds. */
  readonly at: number
}

interface Run {
  readonly bursts: ReadonlyArray<Burst>
  /** What the server really allows one endpoint. */
  readonly real: number
  readonly watched: boolean
  /** When the machine of the client does nothing, from and to. */
  readonly stalls?: ReadonlyArray<readonly [number, number]>
}

/** When each request was let in, by its number. */
const run = ({ bursts, real, watched, stalls = [] }: Run): ReadonlyArray<number> => {
  const w = world(limits, {}, { here: stalls, there: [] })
  w.server = judge({ ...limits, endpoint: real })
  const random = seeded(1)
  const ended: Array<number> = []
  const send = (endpoint: string): void => {
    const { uplink, processing, downlink } = networks.steady ?? {}
    w.send('', endpoint, {
      up: uplink?.(random) ?? 0,
      work: processing?.(random) ?? 0,
      down: downlink?.(random) ?? 0,
    })
      .pipe(schedule(w.scheduler, endpoint, { refused, attempts: 1_000 }))
      .subscribe(() => ended.push(w.timer.now()))
  }
  if (watched) w.scheduler.state.subscribe()
  for (const { endpoint, count, at } of bursts) {
    w.timer.schedule(() => {
      for (let i = 0; i < count; i++) send(endpoint)
    }, at)
  }
  w.timer.flush()
  return ended
}

describe('who watches the state', () => {
  it('does not have a limit tried upward that nobody uses', () => {
    const bursts = [
      { endpoint: 'a', count: 100, at: 0 },
      { endpoint: 'b', count: 600, at: 0 },
      { endpoint: 'a', count: 60, at: 40_000 },
    ]
    const unwatched = run({ bursts, real: 10, watched: false })
    expect(unwatched).toHaveLength(760)
    expect(run({ bursts, real: 10, watched: true })).toEqual(unwatched)
  })

  it('leaves a place taken that the guard keeps for longer by the time somebody asks for it', () => {
    let guard = 5
    const bucket = window({
      limit: 1,
      per: 1_000,
      guard: 'learned',
      slack: { ...slack(1_000, () => {}), after: () => guard },
      counts: { refused: 0 },
    })
    bucket.enter({ ...departure(0, false), over: true }, 0)
    expect(bucket.used(1_004)).toBe(1)
    expect(bucket.used(1_005)).toBe(0)
    guard = 50
    expect(bucket.wait(1_005)).toBe(45)
    expect(bucket.used(1_005)).toBe(1)
  })

  it('changes nothing at all', () => {
    const burst = fc.record({
      endpoint: fc.constantFrom('a', 'b', 'c'),
      count: fc.integer({ min: 1, max: 150 }),
      at: fc.integer({ min: 0, max: 40_000 }),
    })
    const many = fc.array(burst, { minLength: 1, maxLength: 6 })
    const busy = fc
      .tuple(fc.integer({ min: 1, max: 1_000 }), fc.nat())
      .map(([ms, seed]) => stallsUntil(60_000, { perSecond: 1 / 3, ms }, seeded(seed)))
    fc.assert(
      fc.property(many, fc.integer({ min: 2, max: 20 }), busy, (bursts, real, stalls) => {
        const unwatched = run({ bursts, real, stalls, watched: false })
        expect(unwatched).toHaveLength(bursts.reduce((sum, { count }) => sum + count, 0))
        expect(run({ bursts, real, stalls, watched: true })).toEqual(unwatched)
      }),
      { numRuns: 40 },
    )
  })
})
