/** Options that cannot work, and the types of those that can. */
import { asyncScheduler, type Observable, of } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  type Rate,
  rate,
  type Scheduler,
  schedule,
  type Tier,
} from '../../src/scheduler/index.js'
import { refusalDefaults } from '../../src/scheduler/Task.js'
import { seenOf } from '../support/seen.js'
import { stateOf } from './world.js'

describe('numbers that cannot be', () => {
  it.each([0, -1, Number.NaN, 1.5, Number.NEGATIVE_INFINITY])('limit %d', (limit) => {
    expect(() => rate({ name: 'r', limit, per: 1 })).toThrow(/rate 'r': limit should be/)
    expect(() => concurrency({ name: 'c', limit })).toThrow(/concurrency 'c': limit should be/)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('window %d', (per) => {
    expect(() => rate({ name: 'r', limit: 1, per })).toThrow(/per should be/)
  })

  it.each([0, -1, Number.NaN, 1.1])('share %d', (share) => {
    expect(() => createScheduler({ tiers: [], share })).toThrow(/share should be/)
    expect(() => rate({ name: 'r', limit: 1, per: 1, share })).toThrow(/share should be/)
  })

  it.each([-1, Number.NaN])('maxQueueAge %d', (maxQueueAge) => {
    expect(() => createScheduler({ tiers: [], maxQueueAge })).toThrow(/maxQueueAge should be/)
  })

  it('in a tier that was not made by its constructor', () => {
    const made = rate({ name: 'r', limit: 1, per: 1 })
    expect(() => createScheduler({ tiers: [{ ...made, limit: 0 }] })).toThrow(/rate 'r': limit/)
    expect(() => createScheduler({ tiers: [{ ...made, per: Number.NaN }] })).toThrow(
      /per should be/,
    )
  })

  it.each([
    [0, ', but is 0'],
    [1.5, ''],
    [Number.NaN, ', but is NaN'],
  ])('attempts %d', (attempts, actual) => {
    const run = of(1).pipe(schedule(createScheduler({ tiers: [] }), undefined, { attempts }))
    expect(seenOf(run).map(String)).toEqual([
      `InvalidOption: attempts should be a whole number of at least 1, or Infinity${actual}`,
    ])
  })

  it('the lane of those that name none', () => {
    expect(() => createScheduler({ tiers: [], lane: 'none' })).toThrow(
      "lane should be one of 'interactive', 'bulk'",
    )
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('guard %d', (value) => {
    expect(() => createScheduler({ tiers: [], guard: value })).toThrow(/guard should be/)
    expect(() => rate({ name: 'r', limit: 1, per: 1, guard: value })).toThrow(/guard should be/)
  })

  it.each([0, -1, Number.NaN, 1e-320, 1_001, Number.POSITIVE_INFINITY])('weight %d', (weight) => {
    expect(() => createScheduler({ tiers: [], lanes: { a: weight } })).toThrow(
      /^lanes\.a should be a weight from 0\.001 to 1,000(, but is (0|below 0|NaN|Infinity))?$/,
    )
  })

  it.each([
    [{ attempts: 0 }, 'attempts should be a whole number of at least 1, or Infinity, but is 0'],
    [
      { attempts: Number.NaN },
      'attempts should be a whole number of at least 1, or Infinity, but is NaN',
    ],
    [{ backoff: -1 }, 'backoff should be at least 0 milliseconds, but is below 0'],
    [
      { jitter: Number.POSITIVE_INFINITY },
      'jitter should be a finite number of at least 0, but is Infinity',
    ],
    [
      JSON.parse('{ "retryAtOnce": "never" }'),
      'retryAtOnce should be true or false, but is a string',
    ],
  ])('refusals %o', (refusals, text) => {
    expect(() => createScheduler({ tiers: [], refusals })).toThrow(
      expect.objectContaining({ name: 'InvalidOption', message: `refusals.${text}` }),
    )
  })

  it('no lanes at all', () => {
    expect(() => createScheduler({ tiers: [], lanes: {} })).toThrow(/at least one lane/)
  })

  it('Infinity is no limit', () => {
    const scheduler = createScheduler({
      tiers: [rate({ name: 'r', limit: Number.POSITIVE_INFINITY, per: 1 })],
    })
    let seen = 0
    for (let i = 0; i < 100; i++)
      of(i)
        .pipe(schedule(scheduler, undefined))
        .subscribe(() => seen++)
    expect(seen).toBe(100)
  })

  it('a lane that does not exist', () => {
    const run = of(1).pipe(schedule(createScheduler({ tiers: [] }), undefined, { lane: 'fast' }))
    expect(seenOf(run).map(String)).toEqual([
      "InvalidOption: lane should be one of 'interactive', 'bulk'",
    ])
  })
})

describe('options of another shape', () => {
  const tiers: ReadonlyArray<unknown> = []

  it.each<readonly [Readonly<Record<string, unknown>>, string]>([
    [{ tiers, gaurd: 5 }, 'gaurd should be omitted: unknown option (did you mean guard?)'],
    [{ tiers, refusals: { tries: 3 } }, 'refusals.tries should be omitted'],
    [{}, 'tiers should be a list of tiers, but is missing'],
    [{ tiers: 20 }, 'tiers should be a list of tiers, but is a number'],
    [
      { tiers: [{ limit: 20 }] },
      'tiers[0] should be a tier from rate or concurrency, but is an object',
    ],
    [{ tiers, timer: { now: () => 0 } }, 'timer should be an RxJS scheduler'],
    [{ tiers, lanes: ['a'] }, 'lanes should be an object of weights'],
  ])('%j make no scheduler', (options, message) => {
    const make: (options: never) => unknown = createScheduler
    expect(() => make(options as never)).toThrow(
      expect.objectContaining({
        name: 'InvalidOption',
        message: expect.stringContaining(message),
      }),
    )
  })

  const good = { name: 'r', limit: 1, per: 1 }

  it.each<readonly [(options: never) => unknown, Readonly<Record<string, unknown>>, string]>([
    [rate, { ...good, gaurd: 5 }, "rate 'r': gaurd should be omitted"],
    [rate, { ...good, key: 'path' }, "rate 'r': key should be a function, but is a string"],
    [rate, { ...good, limit: '20' }, "rate 'r': limit should be a whole number of at least 1"],
    [
      rate,
      { name: 'r', limit: 1 },
      "rate 'r': per should be more than 0 milliseconds, but is missing",
    ],
    [rate, JSON.parse('null'), 'rate: options should be an object like { name, limit'],
    [rate, { limit: 1, per: 1 }, 'rate: name should be a string, but is missing'],
    [concurrency, { ...good, name: 'c' }, "concurrency 'c': per should be omitted"],
  ])('make no tier', (make, options, message) => {
    expect(() => make(options as never)).toThrow(
      expect.objectContaining({
        name: 'InvalidOption',
        message: expect.stringContaining(message),
      }),
    )
  })

  it('may be those of another tier, or undefined', () => {
    const made: Rate<unknown> = rate(good)
    expect(rate({ ...made, limit: 2 })).toEqual({ ...made, limit: 2 })
    const absent: Readonly<Record<string, unknown>> = { share: undefined, guard: undefined }
    const scheduler = createScheduler({ tiers: [{ ...made, ...absent }], ...absent })
    const attempts: Readonly<Record<string, unknown>> = { attempts: undefined }
    const other = createScheduler({ tiers: [], refusals: attempts })
    expect(stateOf(scheduler)?.tiers[0]).toMatchObject({ name: 'r', limit: 1 })
    expect(other.core.refusals).toEqual(refusalDefaults)
  })
})

describe('types', () => {
  it('follow the request and the value', () => {
    const byNumber = rate({ name: 'r', limit: 1, per: 1, key: (n: number) => `${n}` })
    expectTypeOf(byNumber).toExtend<Tier<number>>()
    const scheduler = createScheduler({ tiers: [byNumber], timer: asyncScheduler })
    expectTypeOf(scheduler).toEqualTypeOf<Scheduler<number>>()
    const run = of('a').pipe(
      schedule(scheduler, 1, {
        refused: (value) => {
          expectTypeOf(value).toEqualTypeOf<string>()
          const none: O.Option<{ retryAfter: number }> = { _tag: 'None' }
          return none
        },
      }),
    )
    expectTypeOf(run).toEqualTypeOf<Observable<string>>()
    // @ts-expect-error a request of another type
    schedule(scheduler, 'a')
  })
})
