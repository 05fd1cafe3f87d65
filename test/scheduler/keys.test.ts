/** How requests find the limiters of their keys, and when keys are forgotten. */
import { defer, EMPTY, NEVER, Observable, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { stateOf } from './world.js'

it('asks a key function once a request', () => {
  const timer = virtualTimer()
  let asked = 0
  const tokens = concurrency({ name: 'tokens', limit: 10, key: () => `token ${asked++ % 3}` })
  const scheduler = createScheduler({ tiers: [tokens], timer })
  let started = 0
  const begun = new Observable<never>(() => {
    started++
  })
  for (let i = 0; i < 60; i++) begun.pipe(schedule(scheduler, undefined)).subscribe()
  expect(started).toBe(30)
  expect(stateOf(scheduler)?.tiers).toMatchObject([{ keys: 3, usedMost: 10 }])
})

it('keeps requests of the same keys in one queue, also when a key function schedules some of them', () => {
  const timer = virtualTimer()
  const started: Array<number> = []
  const begin = (n: number) =>
    defer(() => {
      started.push(n)
      return EMPTY
    })
      .pipe(schedule(scheduler, 'a'))
      .subscribe()
  let nested = [0, 1, 2, 3]
  const key = (request: string) => {
    const these = nested
    nested = []
    these.forEach(begin)
    return request
  }
  const scheduler = createScheduler<string>({
    tiers: [
      rate({ name: 'account', limit: 1, per: 1_000, key: (request) => request }),
      rate({ name: 'endpoint', limit: 1, per: 1_000, key }),
    ],
    timer,
  })
  for (const n of [4, 5, 6, 7]) begin(n)
  timer.flush()
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

describe('keys that are not used any more', () => {
  const keyed = (keys: number) => {
    const timer = virtualTimer()
    const scheduler = createScheduler<string>({
      tiers: [
        concurrency({ name: 'at once', limit: 1 }),
        rate({ name: 'key', limit: 5, per: 1_000, key: (key) => key }),
      ],
      timer,
    })
    const known = () => stateOf(scheduler)?.tiers[1]?.keys
    const use = (key: string) => of(key).pipe(schedule(scheduler, key)).subscribe()
    return { timer, scheduler, known, use, all: Array.from({ length: keys }, (_, i) => `${i}`) }
  }

  it('are forgotten a minute later, also where no new ones come', () => {
    const { timer, known, use, all } = keyed(1_000)
    for (const key of all) use(key)
    timer.flush(30_000)
    use('0')
    expect(known()).toBe(1_000)
    timer.flush(100_000)
    use('0')
    expect(known()).toBe(1)
  })

  it('are forgotten when others come, where their windows take longer than a minute', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler<string>({
      tiers: [rate({ name: 'key', limit: 5, per: 150_000, key: (key) => key })],
      timer,
    })
    const use = (key: string) => of(key).pipe(schedule(scheduler, key)).subscribe()
    for (let key = 0; key < 1_000; key++) use(`${key}`)
    for (let minute = 1; minute <= 6; minute++) {
      timer.flush(minute * 60_000)
      use('0')
    }
    for (let key = 0; key < 300; key++) use(`other ${key}`)
    expect(stateOf(scheduler)?.tiers[0]?.keys).toBeLessThanOrEqual(301)
  })

  it('are forgotten when all requests that waited for them were cancelled', () => {
    const { timer, scheduler, known, use, all } = keyed(1_000)
    const first = NEVER.pipe(schedule(scheduler, 'first')).subscribe()
    const waiting = all.map((key) => use(key))
    timer.flush(100_000)
    expect(known()).toBe(1_001)
    for (const one of waiting) one.unsubscribe()
    first.unsubscribe()
    timer.flush(200_000)
    use('first')
    expect(known()).toBe(1)
  })

  it('are remembered while requests wait for them', () => {
    const { timer, scheduler, known, use, all } = keyed(1_000)
    const first = NEVER.pipe(schedule(scheduler, 'first')).subscribe()
    const served: Array<string> = []
    for (const key of all) {
      of(key)
        .pipe(schedule(scheduler, key))
        .subscribe((value) => served.push(value))
    }
    timer.flush(100_000)
    first.unsubscribe()
    timer.flush(200_000)
    expect(served).toHaveLength(1_000)
    use('first')
    expect(known()).toBe(1)
  })
})
