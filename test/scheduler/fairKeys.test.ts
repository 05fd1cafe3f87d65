/** Requests that wait for the same limits in one lane: their keys take turns. */
import fc from 'fast-check'
import { EMPTY, NEVER, Observable, of } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { seeded } from '../../bench/simulated/random.js'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import {
  createScheduler,
  type FairOptions,
  rate,
  type SchedulerOptions,
  schedule,
  scheduleMap,
} from '../../src/scheduler/index.js'
import { runs } from '../support/runs.js'
import { stateOf } from './world.js'

const SECOND = 1_000

/** One tier for all keys; records which key was sent, and when. */
const fairWorld = (
  limit: number,
  fair: SchedulerOptions<string>['fair'] = { by: (key) => key },
) => {
  const timer = virtualTimer()
  const tiers = [rate({ name: 'all', limit, per: SECOND, guard: 0 })]
  const scheduler = createScheduler<string>({ tiers, timer, random: seeded(7), fair })
  const sent: Array<{ readonly key: string; readonly at: number }> = []
  const ask = (key: string, done: () => void = () => {}) =>
    new Observable<never>((subscriber) => {
      sent.push({ key, at: timer.now() })
      subscriber.complete()
    })
      .pipe(schedule(scheduler, key))
      .subscribe({ complete: done })
  const order = () => sent.map(({ key }) => key).join('')
  return { timer, scheduler, sent, ask, order }
}

/** Returns when each key would have ended if the limit were divided at every moment among keys that wait. */
const fluidEnds = (sizes: ReadonlyArray<number>, perSecond: number): ReadonlyArray<number> =>
  sizes.map((size) => sizes.reduce((sum, other) => sum + Math.min(size, other), 0) / perSecond)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('keys that wait for one limit', () => {
  it('end no later than 1.5 times their end in a fluid schedule and one round, and never exceed the limit', () => {
    const limit = 200
    const size = fc.double({ min: 0, max: 4, noNaN: true }).map((power) => Math.round(10 ** power))
    const all = fc.array(size, { minLength: 100, maxLength: 100 })
    fc.assert(
      fc.property(all, (sizes) => {
        const { timer, sent, ask } = fairWorld(limit)
        sizes.forEach((many, key) => {
          for (let i = 0; i < many; i++) ask(`${key}`)
        })
        timer.flush()
        expect(sent).toHaveLength(sizes.reduce((sum, many) => sum + many, 0))
        sent.forEach(({ at }, i) => {
          const before = sent[i - limit]
          if (before !== undefined) expect(at - before.at).toBeGreaterThanOrEqual(SECOND)
        })
        const ends = new Map(sent.map(({ key, at }) => [key, at / SECOND]))
        fluidEnds(sizes, limit).forEach((end, key) => {
          expect(ends.get(`${key}`)).toBeLessThanOrEqual(1.5 * end + sizes.length / limit)
        })
      }),
      { numRuns: runs(2) },
    )
  })

  it.each([
    [1, 3],
    [0.5, 2],
    [5, 1],
  ])('have turns by their weights, %d to %d', (a, b) => {
    const { timer, sent, ask } = fairWorld(20, {
      by: (key) => key,
      weight: (key) => (key === 'a' ? a : b),
    })
    for (let i = 0; i < 2_000; i++) for (const key of ['a', 'b']) ask(key)
    timer.flush(40_000)
    const part = sent.filter(({ key }) => key === 'a').length / sent.length
    expect(Math.abs(part / (a / (a + b)) - 1)).toBeLessThan(0.05)
  })

  it('save no turns up while they have nothing to send, and gain none by coming and going', () => {
    const { timer, sent, ask } = fairWorld(1)
    const keepAsking = (): void => {
      ask('b', keepAsking)
    }
    for (let i = 0; i < 100; i++) ask('a')
    timer.flush(50_000)
    keepAsking()
    timer.flush(90_000)
    const since = sent.filter(({ at }) => at > 50_500)
    expect(since.filter(({ key }) => key === 'a').length / since.length).toBeCloseTo(0.5, 1)
  })

  it('lose no turn for requests that were cancelled', () => {
    const { timer, ask, order } = fairWorld(1)
    for (let i = 0; i < 50; i++) ask('a').unsubscribe()
    const waiting = Array.from({ length: 50 }, () => ask('a'))
    for (let i = 0; i < 4; i++) ask('b')
    for (const one of waiting) one.unsubscribe()
    for (let i = 0; i < 4; i++) ask('a')
    timer.flush()
    expect(order().slice(-6)).toMatch(/^(ab){3}$|^(ba){3}$/)
  })

  it('are first in, first out without `fair`', () => {
    const { timer, ask, order } = fairWorld(1, false)
    for (const key of 'aaabbb') ask(key)
    timer.flush()
    expect(order()).toBe('aaabbb')
  })

  it('wait for a request that was refused, whatever its key', () => {
    const timer = virtualTimer()
    const sent: Array<string> = []
    const scheduler = createScheduler<string>({
      tiers: [rate({ name: 'all', limit: 1, per: SECOND, guard: 0 })],
      timer,
      fair: { by: (request) => request.charAt(0) },
    })
    for (const request of ['a1', 'a2', 'b1', 'b2']) {
      new Observable<string>((subscriber) => {
        sent.push(request)
        subscriber.next(request)
        subscriber.complete()
      })
        .pipe(
          schedule(scheduler, request, {
            refused: (one) => (one === 'a1' && sent.length === 1 ? O.some({}) : O.none),
          }),
        )
        .subscribe()
    }
    timer.flush()
    expect(sent.slice(0, 3)).toEqual(['a1', 'a1', 'b1'])
  })

  it('take turns among the items that `scheduleMap` looks ahead to', () => {
    const { timer, scheduler } = fairWorld(4)
    const sent: Array<string> = []
    const send = (item: string) => {
      sent.push(item)
      return EMPTY
    }
    scheduleMap(scheduler, send, { key: (item: string) => item })([...'aaaaaabbaabb']).subscribe()
    timer.flush()
    expect(sent.join('')).toBe('aaaababababa')
  })
})

describe('a function of `fair`', () => {
  it.each<readonly [string, FairOptions<string>]>([
    ['by throws', { by: () => expect.fail('no account') }],
    ['by returns a number', { by: () => JSON.parse('5') }],
    ['weight throws', { by: () => '(no key)', weight: () => expect.fail('no weight') }],
    ['weight returns 0', { by: () => '(no key)', weight: () => 0 }],
    ['weight returns a text', { by: () => '(no key)', weight: () => JSON.parse('"a"') }],
  ])('that fails is told once, and nothing is lost: %s', (_, fair) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { timer, scheduler, sent, ask } = fairWorld(1, fair)
    for (const key of 'aabb') ask(key)
    expect(stateOf(scheduler)).toMatchObject({
      waitingKeys: 1,
      waitingByKey: [{ key: '(no key)', waiting: 3 }],
    })
    timer.flush()
    expect(sent).toHaveLength(4)
    expect(warn).toHaveBeenCalledOnce()
    expect(String(warn.mock.calls[0])).toContain('the option fair.')
  })

  it.each<readonly [unknown, RegExp]>([
    [{}, /fair\.by should be a function, but is missing/],
    [true, /fair should be an object like \{ by, weight \}, or false/],
    [{ by: () => 'a', weight: 2 }, /fair\.weight should be a function/],
    [{ by: () => 'a', wieght: () => 2 }, /fair\.wieght .*weight/],
  ])('is checked: %j', (fair, message) => {
    const options = { tiers: [], fair } as SchedulerOptions<string>
    expect(() => createScheduler(options)).toThrow(message)
  })
})

it('the state has the number of waiting keys, and the hundred with the most requests', () => {
  const { scheduler } = fairWorld(1, { by: (key) => key || undefined })
  const ask = (key: string) => NEVER.pipe(schedule(scheduler, key)).subscribe()
  of('first').pipe(schedule(scheduler, '')).subscribe()
  const tasks = Array.from({ length: 150 }, (_, i) => ask(`${i}`))
  for (let i = 0; i < 3; i++) tasks.push(ask(''))
  const state = stateOf(scheduler)
  expect(state?.waitingKeys).toBe(151)
  expect(state?.waitingByKey).toHaveLength(100)
  expect(state?.waitingByKey[0]).toEqual({ key: undefined, waiting: 3 })
  for (const task of tasks) task.unsubscribe()
  expect(stateOf(scheduler)).toMatchObject({ waiting: 0, waitingKeys: 0, waitingByKey: [] })
})
