/** Resources with limits of their own, which no tier names, beside others of the same endpoint, in virtual time. */
import { defer, merge, Observable, repeat } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { judge } from '../../bench/simulated/judge.js'
import { seeded } from '../../bench/simulated/random.js'
import {
  busiestWindow,
  type Limiting,
  type Load,
  overSeeds,
  plainLoop,
  type RefusingServer,
  roundTripOf,
  withOutages,
} from '../../bench/simulated/refusing.js'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { type Answer, refused } from './world.js'

const LIMITS = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

interface Call {
  readonly path: string
  readonly account?: string
}

const tiers = [
  rate<Call>({ name: 'global', limit: LIMITS.global, per: LIMITS.per }),
  rate<Call>({ name: 'endpoint', limit: LIMITS.endpoint, per: LIMITS.per, key: () => 'charges' }),
  concurrency<Call>({ name: 'at once', limit: LIMITS.concurrent }),
]

const resources = ({ account, path }: Call): ReadonlyArray<string> => [
  `${account ?? ''} ${path}`,
  ...(account === undefined ? [] : [account]),
]

interface World {
  /** Callers of each hot path or account, one call at a time each. */
  readonly hot?: ReadonlyArray<Call & { readonly callers: number }>
  /** Let in of each of these a second. Default 1. */
  readonly hotLimit?: number
  /** Callers of ordinary paths, each call another one, and when they begin, in ms. Default 25, at once. */
  readonly others?: number
  readonly othersFrom?: number
  /** The real limit of the endpoint. Default 20, as configured. */
  readonly endpoint?: number
  /** Part that is refused for no reason. */
  readonly chance?: number
  readonly seed?: number
}

/** Returns what was let in during a minute, and the most that left in any second. */
const minuteOf = (world: World) => {
  const { hot = [], hotLimit = 1, others = 25, othersFrom = 0, endpoint = 20 } = world
  const { chance = 0, seed = 1 } = world
  const timer = virtualTimer()
  const random = seeded(seed)
  const scheduler = createScheduler({ tiers, resources, random: seeded(seed + 1_000), timer })
  const server = judge({ ...LIMITS, endpoint, concurrent: 1_000 })
  const own = judge({ ...LIMITS, global: 1_000, endpoint: hotLimit, concurrent: 1_000 })
  const left: Array<number> = []
  const seen = { others: 0, hot: 0, refused: 0 }

  const arrive = ({ account, path }: Call): boolean => {
    const hotName = account ?? (path.startsWith('hot') ? path : undefined)
    const isOwn = hotName === undefined || own.arrives(hotName, timer.now())
    const ok = isOwn && random() >= chance && server.arrives('charges', timer.now())
    if (!ok) seen.refused++
    else if (hotName === undefined) seen.others++
    else seen.hot++
    return ok
  }
  const request = (call: Call): Observable<Answer> =>
    new Observable((subscriber) => {
      left.push(timer.now())
      const way = (): number => 40 + 20 * random()
      timer.schedule(() => {
        const ok = arrive(call)
        timer.schedule(() => {
          subscriber.next({ ok, request: call.path })
          subscriber.complete()
        }, way())
      }, way())
    })
  const calling = (callers: number, next: () => Call): void => {
    const send = () => {
      const call = next()
      return request(call).pipe(schedule(scheduler, call, { refused }))
    }
    merge(...Array.from({ length: callers }, () => defer(send).pipe(repeat()))).subscribe()
  }

  let id = 0
  const ordinary = (): Call => ({ path: `ordinary ${id++}` })
  timer.schedule(() => calling(others, ordinary), othersFrom)
  for (const { callers, ...call } of hot) {
    calling(callers, () => (call.path === '' ? { ...call, ...ordinary() } : call))
  }
  timer.flush(othersFrom + 60_000)
  return { ...seen, busiest: busiestWindow(left, LIMITS.per) }
}

const path = (callers: number, n = 0) => ({ path: `hot ${n}`, callers })
const account = (callers: number, n = 0) => ({ path: '', account: `account ${n}`, callers })

describe('a hot resource does not brake its endpoint', () => {
  const alone = minuteOf({}).others

  it.each<[string, number, World]>([
    ['a path, 5 callers', 0.85, { hot: [path(5)] }],
    ['a path, 20 callers', 0.85, { hot: [path(20)] }],
    ['a path, 100 callers', 0.85, { hot: [path(100)] }],
    ['an account, 5 callers', 0.85, { hot: [account(5)] }],
    ['an account, 20 callers', 0.85, { hot: [account(20)] }],
    ['two paths', 0.8, { hot: [path(10), path(10, 1)] }],
    ['a path and an account', 0.8, { hot: [path(10), account(10)] }],
    ['five paths', 0.7, { hot: [0, 1, 2, 3, 4].map((n) => path(5, n)) }],
    ['a path, and 5 % refused by chance', 0.8, { hot: [path(20)], chance: 0.05 }],
    ['an account, and 5 % refused by chance', 0.8, { hot: [account(20)], chance: 0.05 }],
    ['a path that was called first, for 20 s', 0.85, { hot: [path(20)], othersFrom: 20_000 }],
    ['two that were called first', 0.8, { hot: [path(10), account(10)], othersFrom: 20_000 }],
  ])('%s: the others keep %d of what they have alone', (_, part, world) => {
    for (const seed of [1, 2, 3]) {
      const { others, hot, busiest } = minuteOf({ ...world, seed })
      expect(others).toBeGreaterThanOrEqual(part * alone)
      expect(hot).toBeGreaterThanOrEqual(45 * (world.hot?.length ?? 0))
      expect(busiest).toBeLessThanOrEqual(20)
    }
  })

  it('where the endpoint, too, lets in less than is configured', () => {
    for (const seed of [1, 2, 3]) {
      const { others, hot } = minuteOf({ hot: [account(20)], endpoint: 12, seed })
      expect(others).toBeGreaterThanOrEqual(0.8 * 12 * 60)
      expect(hot).toBeGreaterThanOrEqual(45)
    }
  })

  it.each([1, 5, 10])('and gets what it is let in: %d a second', (hotLimit) => {
    const { others, hot } = minuteOf({ hot: [path(20)], hotLimit })
    expect(hot).toBeGreaterThanOrEqual(0.8 * 60 * hotLimit)
    expect(others + hot).toBeGreaterThanOrEqual(0.93 * alone)
  })

  it('beside few others, none of which has to wait', () => {
    const { others, refused } = minuteOf({ hot: [path(20)], others: 1 })
    expect(others).toBeGreaterThanOrEqual(550) // 100 ms each
    expect(refused).toBeLessThanOrEqual(60)
  })
})

describe('refusals of an endpoint are not put down to its resources', () => {
  /** Calls whose paths are chosen by their number; `undefined`: a scheduler that knows no resources. */
  const ours =
    (pathOf: ((n: number) => string) | undefined): Limiting =>
    (timer, random) => {
      const options = pathOf === undefined ? {} : { resources }
      const scheduler = createScheduler({ tiers, ...options, random, timer })
      let n = 0
      return () => (source) =>
        defer(() => {
          const call = { path: pathOf?.(n++) ?? '' }
          return source.pipe(
            schedule(scheduler, call, {
              attempts: 50,
              refused: ({ ok }) => refused({ ok, request: '' }),
            }),
          )
        })
    }
  const distinct = (n: number): string => `${n}`
  const two = (n: number): string => `${n % 2}`

  const toOne = (count: number): Load => ({ requests: Array.from({ length: count }, () => 'a') })
  const really = (endpoint: number, countsRefused = false): RefusingServer => ({
    limits: { ...LIMITS, endpoint, concurrent: 1_000, countsRefused },
    ...roundTripOf(80),
  })

  const outages: Load = { ...toOne(300), workers: 8 }

  it.each<[string, RefusingServer, Load]>([
    ['really 15', really(15), toOne(100)],
    ['really 8', really(8), toOne(100)],
    ['really 1', really(1), toOne(100)],
    ['really 10, refused ones counted', really(10, true), toOne(100)],
    ['5 % by chance', { ...really(20), chance: 0.05 }, toOne(500)],
    ['20 % by chance', { ...really(20), chance: 0.2 }, toOne(500)],
    ['outages', withOutages(23), outages],
  ])('where all paths are distinct, which takes as long as without them: %s', (_, server, load) => {
    const { seconds, busiest, done } = overSeeds(ours(distinct), server, load)
    expect(seconds).toBeLessThanOrEqual(1.02 * overSeeds(ours(undefined), server, load).seconds)
    expect(busiest).toBeLessThanOrEqual(20)
    expect(done).toBe(load.requests.length)
  })

  it.each([15, 10, 8, 1])('where there are two paths only: really %d a second', (endpoint) => {
    for (const countsRefused of [false, true]) {
      const { seconds } = overSeeds(ours(two), really(endpoint, countsRefused), toOne(100))
      expect(seconds).toBeLessThanOrEqual(1.35 * (100 / endpoint - 1))
    }
  })

  it('where outages refuse two paths, which costs less than a plain loop', () => {
    const { seconds } = overSeeds(ours(two), withOutages(23), outages)
    expect(seconds).toBeLessThanOrEqual(overSeeds(plainLoop(), withOutages(23), outages).seconds)
  })
})
