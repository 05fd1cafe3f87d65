/** The promise of the interface: rate limits count requests, also those that are refused, sent again or cancelled. */
import fc from 'fast-check'
import { Observable, type Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { judge } from '../../bench/simulated/judge.js'
import { seeded } from '../../bench/simulated/random.js'
import { busiestWindow } from '../../bench/simulated/refusing.js'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import { createScheduler, type Guard, rate, schedule } from '../../src/scheduler/index.js'
import { runs } from '../support/runs.js'
import { stateOf } from './world.js'

/** Some time when the server refuses everything, in ms. */
interface Outage {
  readonly at: number
  readonly lasts: number
}

interface Server {
  /** Part of the configured limits that it really lets in. */
  readonly real: number
  readonly countsRefused: boolean
  /** Part of the requests that it refuses for no reason. */
  readonly chance: number
  readonly outages: ReadonlyArray<Outage>
  /** Shortest way there or back, and the most that is added to it, in ms. */
  readonly way: number
  readonly jitter: number
}

interface Request {
  readonly at: number
  readonly key: string
  /** Cancelled so long after it was asked for, and so long after its first departure, in ms. */
  readonly leavesAfter: number | undefined
  readonly abortedAfter: number | undefined
}

const server = fc.record<Server>({
  real: fc.double({ min: 1 / 20, max: 1, noNaN: true }),
  countsRefused: fc.boolean(),
  chance: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.3, noNaN: true })),
  outages: fc.array(
    fc.record({ at: fc.nat({ max: 20_000 }), lasts: fc.integer({ min: 1, max: 4_000 }) }),
    { maxLength: 3 },
  ),
  way: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 150, noNaN: true })),
  jitter: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 300, noNaN: true })),
})

const rarely = (max: number) => fc.option(fc.nat({ max }), { nil: undefined, freq: 6 })

const request = fc.record<Request>({
  at: fc.oneof(fc.constant(0), fc.nat({ max: 5_000 })),
  key: fc.constantFrom('a', 'a', 'b', 'c'),
  leavesAfter: rarely(5_000),
  abortedAfter: rarely(400),
})

const world = fc.record({
  server,
  guard: fc.oneof(
    fc.constantFrom<Guard>('learned', 'safe'),
    fc.integer({ min: 0, max: 300 }) as fc.Arbitrary<Guard>,
  ),
  per: fc.constantFrom(100, 1_000, 1_500),
  /** Limit of each key. */
  limit: fc.integer({ min: 1, max: 25 }),
  /** Limit of all keys together, if there is one. */
  limitOfAll: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
  retryAtOnce: fc.boolean(),
  seed: fc.nat(),
  requests: fc.array(request, { minLength: 30, maxLength: 150 }),
})

type World = typeof world extends fc.Arbitrary<infer W> ? W : never

const run = ({ server, guard, per, limit, limitOfAll, retryAtOnce, seed, requests }: World) => {
  const timer = virtualTimer()
  const random = seeded(seed)
  const scheduler = createScheduler<string>({
    tiers: [
      rate({ name: 'key', limit, per, key: (key) => key }),
      ...(limitOfAll === undefined ? [] : [rate<string>({ name: 'all', limit: limitOfAll, per })]),
    ],
    guard,
    timer,
    random: seeded(seed + 1),
    refusals: { attempts: Number.POSITIVE_INFINITY, retryAtOnce },
  })
  const part = (of: number): number => Math.max(1, Math.round(server.real * of))
  const real = judge({
    per,
    endpoint: part(limit),
    global: limitOfAll === undefined ? Number.POSITIVE_INFINITY : part(limitOfAll),
    concurrent: Number.POSITIVE_INFINITY,
    countsRefused: server.countsRefused,
  })
  const isDown = (now: number): boolean =>
    server.outages.some(({ at, lasts }) => now >= at && now < at + lasts)
  const way = (): number => server.way + server.jitter * random() ** 3

  const departures = new Map<string, Array<number>>()
  const all: Array<number> = []
  const isAnswered = requests.map(() => false)
  const isCancelled = requests.map(() => false)

  requests.forEach(({ at, key, leavesAfter, abortedAfter }, i) => {
    let subscription: Subscription | undefined
    const cancelAfter = (ms: number | undefined): void => {
      if (ms === undefined) return
      timer.schedule(() => {
        isCancelled[i] ||= !isAnswered[i]
        subscription?.unsubscribe()
      }, ms)
    }
    const sent = new Observable<boolean>((subscriber) => {
      const own = departures.get(key) ?? []
      if (own.length === 0) departures.set(key, own)
      own.push(timer.now())
      all.push(timer.now())
      cancelAfter(abortedAfter)
      timer.schedule(() => {
        const ok =
          !isDown(timer.now()) && random() >= server.chance && real.arrives(key, timer.now())
        timer.schedule(() => {
          subscriber.next(ok)
          subscriber.complete()
        }, way())
      }, way())
    })
    timer.schedule(() => {
      subscription = sent
        .pipe(schedule(scheduler, key, { refused: (ok) => (ok ? O.none : O.some({})) }))
        .subscribe((ok) => {
          isAnswered[i] = ok
        })
      cancelAfter(leavesAfter)
    }, at)
  })
  timer.flush(10_000_000)
  return { scheduler, timer, departures, all, isAnswered, isCancelled }
}

describe('whatever a server refuses, and whatever is cancelled,', () => {
  it('no more than the limit of a key leaves in any window, and nothing is lost', () => {
    fc.assert(
      fc.property(world, (given) => {
        const { scheduler, timer, departures, all, isAnswered, isCancelled } = run(given)
        for (const times of departures.values()) {
          expect(busiestWindow(times, given.per)).toBeLessThanOrEqual(given.limit)
        }
        expect(busiestWindow(all, given.per)).toBeLessThanOrEqual(given.limitOfAll ?? all.length)
        expect(isAnswered).toEqual(isCancelled.map((cancelled) => !cancelled))
        expect(timer.pending()).toBe(0)
        expect(stateOf(scheduler)).toMatchObject({ waiting: 0, inFlight: 0, backingOff: 0 })
      }),
      { numRuns: runs(400) },
    )
  })
})
