import { delay, from, NEVER, Observable, of, Subject, type Subscriber, throwError } from 'rxjs'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { type E, O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  InvalidOption,
  rate,
  schedule,
  scheduleMap,
} from '../../src/scheduler/index.js'
import { marbleTest } from '../support/marbles.js'
import { numbers, rightsOf, upTo } from '../support/numbers.js'
import { seenOf } from '../support/seen.js'
import { stateOf } from './world.js'

/** So many requests in 10 ms, of all keys together. */
const limitedTo = (limit: number) =>
  createScheduler<unknown>({ tiers: [rate({ name: 'all', limit, per: 10 })], guard: 0 })

const key = (item: unknown): unknown => item

/** An iterable of 0, 1, 2 ... that records how many were taken, and how often it was told to end. */
const counting = (length = Number.POSITIVE_INFINITY) => {
  const log = { taken: 0, returned: 0 }
  const items: Iterable<number> = {
    [Symbol.iterator]: () => ({
      next: () =>
        log.taken < length ? { done: false, value: log.taken++ } : { done: true, value: undefined },
      return: () => {
        log.returned++
        return { done: true, value: undefined }
      },
    }),
  }
  return { items, log }
}

describe('scheduleMap', () => {
  marbleTest('subscribes to a result for each item as soon as the limits allow', (m) => {
    const source = m.cold(' abcde|')
    const sourceSub = '     ^----!'
    const result = m.cold(' -x|')
    const resultSubs = ['   ^-!', '-^-!', '10ms ^-!', '11ms ^-!', '20ms ^-!']
    const expected = '      -xx 8ms xx 8ms x|'

    const run = source.pipe(scheduleMap(limitedTo(2), () => result, { key }))
    m.expectObservable(run).toBe(expected)
    m.expectSubscriptions(source.subscriptions).toBe(sourceSub)
    m.expectSubscriptions(result.subscriptions).toBe(resultSubs)
  })

  marbleTest('emits what the results emit, in the order in which they emit it', (m) => {
    const source = m.cold('  ab|')
    const results = new Map([
      ['a', m.cold('         --1--2|')],
      ['b', m.cold('          3-4|')],
    ])
    const expected = '       -314-2|'

    const result = (item: string) => results.get(item) ?? of('?')
    m.expectObservable(source.pipe(scheduleMap(limitedTo(2), result, { key }))).toBe(expected)
  })

  marbleTest(
    'runs items again that the server has refused, before those that are not taken yet',
    (m) => {
      const answers = ['r', 'a', 'b', 'c']
      const answer = () => of(answers.shift() ?? '?').pipe(delay(1))
      const refused = (value: string) => (value === 'r' ? O.some({}) : O.none)
      const run = scheduleMap(limitedTo(1), answer, { key, refused })(['1', '2', '3'])
      m.expectObservable(run).toBe('11ms a 9ms b 9ms (c|)')
    },
  )

  marbleTest('emits the last refusal when all attempts are used up, and goes on', (m) => {
    const refused = (value: string) => (value === 'r' ? O.some({}) : O.none)
    const run = scheduleMap(limitedTo(1), (item: string) => of(item), {
      key,
      refused,
      attempts: 2,
    })(['r', 'a'])
    m.expectObservable(run).toBe('10ms r 9ms (a|)')
  })

  it('gives `project` the item and its index', () => {
    const seen: Array<unknown> = []
    const project = (item: string, index: number) => of([item, index])
    scheduleMap(limitedTo(9), project, { key })(['a', 'b']).subscribe((value) => seen.push(value))
    expect(seen).toEqual([
      ['a', 0],
      ['b', 1],
    ])
  })

  it('accepts what RxJS accepts as a result, such as an array or a promise', async () => {
    const seen: Array<number> = []
    scheduleMap(limitedTo(9), (n: number) => [n, n], { key })([1, 2]).subscribe((n) => seen.push(n))
    expect(seen).toEqual([1, 1, 2, 2])
    const promised = scheduleMap(limitedTo(9), (n: number) => Promise.resolve(n), { key })([3])
    await promised.forEach((n) => {
      seen.push(n)
    })
    expect(seen).toEqual([1, 1, 2, 2, 3])
  })

  it('completes when there are no items', () => {
    expect(seenOf(scheduleMap(limitedTo(1), of, { key })([]))).toEqual(['complete'])
  })

  it('starts anew for each subscription', () => {
    const { items, log } = counting(3)
    const run = scheduleMap(limitedTo(9), (n: number) => of(n), { key })(items)
    expect(log.taken).toBe(0)
    run.subscribe()
    expect(log.taken).toBe(3)
  })
})

describe('an iterable', () => {
  it('is taken no further than can run', () => {
    const timer = virtualTimer()
    const tiers = [rate<unknown>({ name: 'all', limit: 5, per: 300 })]
    const scheduler = createScheduler({ tiers, guard: 0, timer })
    const { items, log } = counting(42)
    let started = 0
    let furthest = 0
    const project = (n: number) => {
      started++
      return of(n).pipe(delay(20, timer))
    }
    let done = 0
    scheduleMap(scheduler, project, { key })(items).subscribe(() => done++)
    for (let at = 0; at < 3_000; at += 10) {
      timer.flush(at)
      furthest = Math.max(furthest, log.taken - started)
    }
    expect(furthest).toBeLessThanOrEqual(5)
    expect([started, done, log.taken]).toEqual([42, 42, 42])
    expect(log.returned).toBe(0)
  })

  it('is taken no further than can run at once, for a concurrency limit', () => {
    const scheduler = createScheduler({ tiers: [concurrency({ name: 'all', limit: 3 })] })
    const { items, log } = counting()
    const running: Array<Subscriber<never>> = []
    const result = () => new Observable<never>((subscriber) => void running.push(subscriber))
    const run = scheduleMap(scheduler, result, { key })(items).subscribe()
    expect([running.length, log.taken]).toEqual([3, 6])
    running[1]?.complete()
    expect([running.length, log.taken]).toEqual([4, 7])
    run.unsubscribe()
  })

  it('is told to end by unsubscribing, and nothing is left', () => {
    const timer = virtualTimer()
    const tiers = [rate<unknown>({ name: 'all', limit: 2, per: 10 })]
    const scheduler = createScheduler({ tiers, timer })
    const { items, log } = counting()
    const run = scheduleMap(scheduler, () => NEVER, { key })(items).subscribe()
    timer.flush(35)
    run.unsubscribe()
    expect(log.returned).toBe(1)
    expect(stateOf(scheduler)).toMatchObject({ waiting: 0, inFlight: 0 })
    timer.flush()
    expect(timer.pending()).toBe(0)
  })

  it.each<[string, Parameters<typeof scheduleMap<unknown, number, number>>[1]]>([
    ['a result that fails', (n) => (n === 2 ? throwError(() => new Error('no')) : of(n))],
    [
      '`project` that throws',
      (n) => {
        if (n === 2) throw new Error('no')
        return of(n)
      },
    ],
  ])('is told to end by %s, whose error is emitted', (_, project) => {
    const { items, log } = counting()
    const run = scheduleMap(limitedTo(5), project, { key })(items)
    expect(seenOf(run)).toEqual([0, 1, new Error('no')])
    expect(log).toEqual({ taken: 3, returned: 1 })
  })

  it('needs no key where no tier has one', () => {
    const run = scheduleMap(limitedTo(9), (n: number) => of(n))([1, 2])
    expect(seenOf(run)).toEqual([1, 2, 'complete'])
  })

  it('refuses to do without a key where a tier has one', () => {
    const perPath = rate({
      ...{ name: 'path', limit: 1, per: 10 },
      key: ({ path }: { path: string }) => path,
    })
    const scheduler = createScheduler({ tiers: [perPath] })
    // @ts-expect-error `key` is needed
    expect(() => scheduleMap(scheduler, of)).toThrow(
      'scheduleMap: key should be given, because a tier of the scheduler has a key',
    )
  })

  it('cancels all that is under way when one result fails', () => {
    const scheduler = createScheduler({ tiers: [concurrency({ name: 'all', limit: 9 })] })
    let cancelled = 0
    const lasting = new Observable<never>(() => () => cancelled++)
    const project = (item: string) => (item === 'c' ? throwError(() => new Error('no')) : lasting)
    scheduleMap(scheduler, project, { key })(['a', 'b', 'c']).subscribe({ error: () => {} })
    expect(cancelled).toBe(2)
  })

  it('that throws fails the whole', () => {
    const items = {
      *[Symbol.iterator]() {
        yield 1
        throw new Error('broken')
      },
    }
    const run = scheduleMap(limitedTo(5), (n: number) => of(n), { key })(items)
    expect(seenOf(run)).toEqual([1, new Error('broken')])
  })

  it('with 100,000 items runs to its end, however they end', () => {
    const timer = virtualTimer()
    const tiers = [rate<unknown>({ name: 'all', limit: 1_000, per: 10 })]
    const scheduler = createScheduler({ tiers, guard: 0, timer })
    let sum = 0
    scheduleMap(scheduler, (n: number) => of(n), { key })(counting(50_000).items).subscribe(
      (n) => (sum += n),
    )
    scheduleMap(scheduler, (n: number) => of(n).pipe(delay(3, timer)), { key })(
      counting(50_000).items,
    ).subscribe((n) => (sum += n))
    timer.flush()
    expect(sum).toBe(2 * ((50_000 * 49_999) / 2))
    expect(timer.now()).toBeLessThan(1.05 * 1_000)
  })
})

describe('items with several keys', () => {
  it('do not block each other for ever', () => {
    const timer = virtualTimer()
    const scheduler = createScheduler<string>({
      tiers: [rate({ name: 'key', limit: 2, per: 100, key: (name) => name })],
      guard: 0,
      timer,
    })
    const items = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'a', 'c', 'b', 'c', 'c']
    const seen: Array<string> = []
    scheduleMap(scheduler, (item: string) => of(item), { key: (item) => item })(items).subscribe(
      (item) => seen.push(`${item}${timer.now()}`),
    )
    timer.flush()
    expect(seen).toHaveLength(items.length)
    expect(timer.now()).toBeLessThanOrEqual(400)
  })
})

describe('an async iterable', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** 0, 1, 2 ... each 3 ms after it was asked for. */
  const slowly = (length = Number.POSITIVE_INFINITY) => {
    const log = { asked: 0, returned: 0 }
    const items: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const value = log.asked++
          await new Promise((resolve) => setTimeout(resolve, 3))
          return value < length ? { done: false, value } : { done: true, value: undefined }
        },
        return: async () => {
          log.returned++
          return { done: true, value: undefined }
        },
      }),
    }
    return { items, log }
  }

  it('is asked for one item at a time, and for no more than can run', async () => {
    const { items, log } = slowly(8)
    const seen = seenOf(scheduleMap(limitedTo(2), (n: number) => of(n), { key })(items))
    expect(log.asked).toBe(1)
    for (let ms = 0; ms < 60; ms++) {
      await vi.advanceTimersByTimeAsync(1)
      expect(log.asked).toBeLessThanOrEqual(seen.length + 3)
    }
    expect(seen).toEqual([...upTo(8), 'complete'])
    expect(log.returned).toBe(0)
  })

  it('is told to end by unsubscribing', async () => {
    const { items, log } = slowly()
    const run = scheduleMap(limitedTo(1), () => NEVER, { key })(items).subscribe()
    await vi.advanceTimersByTimeAsync(50)
    run.unsubscribe()
    expect(log.returned).toBe(1)
    const { asked } = log
    await vi.advanceTimersByTimeAsync(50)
    expect(log.asked).toBe(asked)
  })

  it('that rejects fails the whole', async () => {
    const items = {
      async *[Symbol.asyncIterator]() {
        yield 1
        throw new Error('broken')
      },
    }
    const seen = seenOf(scheduleMap(limitedTo(5), (n: number) => of(n), { key })(items))
    await vi.advanceTimersByTimeAsync(1)
    expect(seen).toEqual([1, new Error('broken')])
  })

  it('is what a list of the client is: its pages are asked for as its items can run', async () => {
    const { list, log } = numbers(40, 2)
    const project = (item: E.Either<string, number>) => of(item)
    const seen: Array<E.Either<string, number>> = []
    scheduleMap(limitedTo(2), project, { key })(list).subscribe((item) => seen.push(item))
    await vi.advanceTimersByTimeAsync(15)
    expect(seen.length).toBe(4)
    expect(log.asked.length).toBeLessThan(6)
    await vi.advanceTimersByTimeAsync(300)
    expect(rightsOf(seen)).toEqual(upTo(40))
  })

  it('is pulled in a pipe as well', async () => {
    const { list, log } = numbers(40, 2)
    let seen = 0
    const run = list
      .pipe(scheduleMap(limitedTo(2), (item) => of(item), { key }))
      .subscribe(() => seen++)
    await vi.advanceTimersByTimeAsync(15)
    expect(seen).toBe(4)
    expect(log.asked.length).toBeLessThan(6)
    run.unsubscribe()
  })
})

describe('an Observable, which pushes its items,', () => {
  /** Pushes so many after it was subscribed to, and ends. */
  const pushed = (count: number, limit: number, maxBuffered?: number) => {
    const timer = virtualTimer()
    const tiers = [rate<unknown>({ name: 'all', limit, per: 10 })]
    const scheduler = createScheduler({ tiers, guard: 0, timer })
    const limits = maxBuffered === undefined ? {} : { maxBuffered }
    const source = new Subject<number>()
    const seen = seenOf(source.pipe(scheduleMap(scheduler, (n) => of(n), { key, ...limits })))
    for (const n of upTo(count)) source.next(n)
    source.complete()
    timer.flush()
    expect(timer.pending()).toBe(0)
    return seen
  }

  it('has those buffered that cannot run yet', () => {
    expect(pushed(6, 1)).toEqual([...upTo(6), 'complete'])
  })

  it('may push more than `maxBuffered` when they can run', () => {
    expect(pushed(10, 10, 3)).toEqual([...upTo(10), 'complete'])
  })

  it('may push more than `maxBuffered` that can run while it is subscribed to', () => {
    const map = scheduleMap(limitedTo(10), (n: number) => of(n), { key, maxBuffered: 3 })
    expect(seenOf(from(upTo(10)).pipe(map))).toEqual([...upTo(10), 'complete'])
  })

  it('fails when more than `maxBuffered` would be buffered, and says what to do', () => {
    // One runs, one waits for its permit, three are buffered.
    expect(pushed(5, 1, 3)).toEqual([...upTo(5), 'complete'])
    const [first, error, ...others] = pushed(6, 1, 3)
    expect([first, others]).toEqual([0, []])
    expect(error).toBeInstanceOf(InvalidOption)
    expect(error).toMatchObject({
      option: 'maxBuffered',
      message: expect.stringMatching(
        /^scheduleMap: maxBuffered should be .* 3, or pass an iterable or a list, whose items are read on demand/,
      ),
    })
  })

  marbleTest('fails at once when it fails', (m) => {
    const source = m.cold('a-#')
    const run = source.pipe(scheduleMap(limitedTo(1), () => m.cold('-x--y|'), { key }))
    m.expectObservable(run).toBe('-x#')
  })

  marbleTest('is unsubscribed from by unsubscribing', (m) => {
    const source = m.cold('a--b--c')
    const run = source.pipe(scheduleMap(limitedTo(1), (item) => of(item), { key }))
    m.expectObservable(run, '^---!').toBe('a----')
    m.expectSubscriptions(source.subscriptions).toBe('^---!')
  })
})

describe('options', () => {
  it('choose the lane', () => {
    const scheduler = createScheduler<unknown>({ tiers: [] })
    const run = scheduleMap(scheduler, of, { key, lane: 'fast' })([1])
    expect(seenOf(run).map(String)).toEqual([
      "InvalidOption: lane should be one of 'interactive', 'bulk'",
    ])
  })

  it('have the types of item, result and request', () => {
    const byName = rate({ name: 'r', limit: 1, per: 1, key: (name: string) => name })
    const scheduler = createScheduler({ tiers: [byName] })
    const mapped = scheduleMap(scheduler, (n: number) => of(n > 0), {
      key: (n) => {
        expectTypeOf(n).toEqualTypeOf<number>()
        return `${n}`
      },
      refused: (value) => {
        expectTypeOf(value).toEqualTypeOf<boolean>()
        return O.none
      },
    })
    expectTypeOf(mapped([1, 2])).toEqualTypeOf<Observable<boolean>>()
    expectTypeOf(of(1).pipe(mapped)).toEqualTypeOf<Observable<boolean>>()
    // @ts-expect-error the scheduler has keys of texts
    scheduleMap(scheduler, (n: number) => of(n), { key: (n) => n })
    // @ts-expect-error items of another type
    mapped(['a'])
  })
})

describe('schedule, on a stream of many items,', () => {
  it('takes one permit for all of them: a subscription is one request', () => {
    const scheduler = limitedTo(1)
    const run = from(upTo(12)).pipe(schedule(scheduler, undefined))
    expect(seenOf(run)).toEqual([...upTo(12), 'complete'])
    expect(stateOf(scheduler)).toMatchObject({ started: 1 })
  })
})
