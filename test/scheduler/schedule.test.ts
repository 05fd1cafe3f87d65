import {
  concat,
  defer,
  EMPTY,
  merge,
  NEVER,
  Observable,
  of,
  range,
  Subscription,
  timer,
  using,
} from 'rxjs'
import { catchError, map, mergeMap, take, takeUntil } from 'rxjs/operators'
import { describe, expect, it } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import {
  concurrency,
  createScheduler,
  rate,
  type SchedulerState,
  schedule,
} from '../../src/scheduler/index.js'
import { marbles, marbleTest } from '../support/marbles.js'

const atOnce = (limit: number) => createScheduler({ tiers: [concurrency({ name: 'c', limit })] })

describe('a concurrency limit', () => {
  marbleTest('starts no more requests than may be under way', (m) => {
    const source = m.cold('-----a|')
    const expected = '     -----(aa)--a|'
    const subs = ['        ^-----!', '^-----!', '------^-----!']
    const scheduler = atOnce(2)
    const run = range(0, 3).pipe(mergeMap(() => source.pipe(schedule(scheduler, undefined))))

    m.expectObservable(run).toBe(expected)
    m.expectSubscriptions(source.subscriptions).toBe(subs)
  })

  it.each([
    ['never', '-', '-'],
    ['empty', '--|', '--|'],
    ['many', '-a-b-(c|)', '-a-b-(c|)'],
    ['failure', '--a-#', '--a-#'],
  ])('passes %s on', (_, marble, expected) => {
    marbles((m) => {
      m.expectObservable(m.cold(marble).pipe(schedule(atOnce(1), undefined))).toBe(expected)
    })()
  })

  marbleTest('starts the next request when a source completes, also when it is empty', (m) => {
    const scheduler = atOnce(1)
    const first = m.cold(' --|')
    const second = m.cold('  -b|')
    const run = concat(of(first, second)).pipe(
      mergeMap((source) => source.pipe(schedule(scheduler, undefined))),
    )
    m.expectObservable(run).toBe('---b|')
    m.expectSubscriptions(second.subscriptions).toBe('--^-!')
  })

  it.each(['-a|', '-a-#'])(
    'starts the next request when the resources of %s are released, as `mergeMap` does',
    (marble) =>
      marbles((m) => {
        const source = m.cold(marble)
        let open = 0
        const most: Array<number> = []
        const held = using(
          () => {
            most.push(++open)
            return new Subscription(() => open--)
          },
          () => source,
        )
        const scheduler = atOnce(1)
        range(0, 3)
          .pipe(
            mergeMap(() =>
              held.pipe(
                schedule(scheduler, undefined),
                catchError(() => EMPTY),
              ),
            ),
          )
          .subscribe()
        m.flush()
        expect(most).toEqual([1, 1, 1])
      })(),
  )

  marbleTest(
    'keeps the permit of a request that is unsubscribed from as long as the server may work on it',
    (m) => {
      const scheduler = atOnce(1)
      const first = m.cold('------')
      const second = m.cold('-b|')
      m.expectObservable(first.pipe(schedule(scheduler, undefined)), '^--!').toBe('---')
      m.expectObservable(second.pipe(schedule(scheduler, undefined))).toBe('1001ms b|')
    },
  )

  marbleTest('releases the permit of an answered request when it is unsubscribed from', (m) => {
    const scheduler = atOnce(1)
    const first = m.cold('-a---')
    const second = m.cold('-b|')
    m.expectObservable(first.pipe(schedule(scheduler, undefined), take(1))).toBe('-(a|)')
    m.expectObservable(second.pipe(schedule(scheduler, undefined))).toBe('--b|')
  })

  marbleTest('releases the permit of a request that fails without an answer', (m) => {
    const scheduler = atOnce(1)
    m.expectObservable(m.cold('--#').pipe(schedule(scheduler, undefined))).toBe('--#')
    m.expectObservable(m.cold('-b|').pipe(schedule(scheduler, undefined))).toBe('---b|')
  })

  marbleTest('never starts a request that is unsubscribed from while it waits', (m) => {
    const scheduler = atOnce(1)
    const [first, second, third] = [m.cold('----a|'), m.cold('-b|'), m.cold('-c|')]
    m.expectObservable(first.pipe(schedule(scheduler, undefined))).toBe('----a|')
    m.expectObservable(second.pipe(schedule(scheduler, undefined)), '^-!').toBe('-')
    m.expectObservable(third.pipe(schedule(scheduler, undefined))).toBe('------c|')
    m.expectSubscriptions(second.subscriptions).toBe([])
  })
})

describe('a share', () => {
  it.each([
    [100, 0.29, 29],
    [100, 0.57, 57],
    [50, 0.58, 29],
    [20, 0.34, 6],
    [3, 0.1, 1],
  ])('is taken from %i: %d of it are %i requests', (limit, share, expected) => {
    let shown: SchedulerState | undefined
    createScheduler({ tiers: [rate({ name: 'r', limit, per: 1_000 })], share }).state.subscribe(
      (state) => {
        shown = state
      },
    )
    expect(shown?.tiers[0]?.limit).toBe(expected)
  })
})

describe('a rolling window', () => {
  marbleTest(
    'counts from the answer on when it is safe: a millisecond more, for the clock',
    (m) => {
      const scheduler = createScheduler({
        tiers: [rate({ name: 'all', limit: 2, per: 10 })],
        guard: 'safe',
      })
      const run = range(0, 3).pipe(
        mergeMap((i) =>
          m.cold('-a|').pipe(
            map(() => `${i}`),
            schedule(scheduler, undefined),
          ),
        ),
      )
      m.expectObservable(run).toBe('-(01) 8ms 2|')
    },
  )

  it('releases the permit of a request that is never answered', () => {
    for (const guard of ['learned', 0] as const) {
      const timer = virtualTimer()
      const tiers = [rate<void>({ name: 'all', limit: 1, per: 100 })]
      const scheduler = createScheduler({ tiers, guard, timer })
      const sent: Array<number> = []
      for (let i = 0; i < 3; i++) {
        const silent = defer(() => {
          sent.push(timer.now())
          return NEVER
        })
        silent.pipe(schedule(scheduler, undefined)).subscribe()
      }
      timer.flush(2_000)
      expect(sent).toHaveLength(3)
    }
  })

  marbleTest('counts from the departure on with a guard of milliseconds', (m) => {
    const scheduler = createScheduler({
      tiers: [rate({ name: 'all', limit: 1, per: 10 })],
      guard: 3,
    })
    const run = range(0, 3).pipe(
      mergeMap((i) =>
        m.cold('-a|').pipe(
          map(() => `${i}`),
          schedule(scheduler, undefined),
        ),
      ),
    )
    m.expectObservable(run).toBe('-0 12ms 1 12ms 2|')
  })

  marbleTest('counts by key, and one key holds up no other', (m) => {
    const scheduler = createScheduler<string>({
      tiers: [rate({ name: 'key', limit: 1, per: 10, key: (key) => key })],
      guard: 0,
    })
    const run = of('a', 'a', 'b').pipe(mergeMap((key) => of(key).pipe(schedule(scheduler, key))))
    m.expectObservable(run).toBe('(ab) 6ms (a|)')
  })

  marbleTest('does not count a request that has no key', (m) => {
    const scheduler = createScheduler<string | undefined>({
      tiers: [rate({ name: 'key', limit: 1, per: 10, key: (key) => key })],
    })
    const run = range(0, 3).pipe(mergeMap((i) => of(`${i}`).pipe(schedule(scheduler, undefined))))
    m.expectObservable(run).toBe('(012|)')
  })

  marbleTest(
    'counts a request that was aborted under way, and not one that was never sent',
    (m) => {
      const scheduler = createScheduler({
        tiers: [rate({ name: 'all', limit: 1, per: 10 })],
        guard: 0,
      })
      m.expectObservable(NEVER.pipe(schedule(scheduler, undefined)), '^-!').toBe('-')
      m.expectObservable(of('b').pipe(schedule(scheduler, undefined)), '^----!').toBe('-')
      m.expectObservable(of('c').pipe(schedule(scheduler, undefined))).toBe('10ms (c|)')
    },
  )

  marbleTest('takes permits of all tiers together, or none', (m) => {
    const scheduler = createScheduler<string>({
      tiers: [
        rate({ name: 'all', limit: 2, per: 10 }),
        concurrency({ name: 'key', limit: 1, key: (key) => key }),
      ],
      guard: 0,
    })
    const run = of('a', 'a', 'b').pipe(
      mergeMap((key, i) =>
        timer(4).pipe(
          map(() => `${i}`),
          schedule(scheduler, key),
        ),
      ),
    )
    // The second one waits for its key, and holds no permit of the window meanwhile.
    m.expectObservable(run).toBe('----(02) 6ms (1|)')
  })

  marbleTest('uses a share of its limit; of a limit of one that is a longer window', (m) => {
    const half = createScheduler({
      tiers: [rate({ name: 'all', limit: 1, per: 10 })],
      guard: 0,
      share: 0.5,
    })
    const run = range(0, 2).pipe(mergeMap((i) => of(`${i}`).pipe(schedule(half, undefined))))
    m.expectObservable(run).toBe('0 19ms (1|)')
  })

  marbleTest(
    'releases a permit in time for a request that waits for the end of another, long after its value',
    (m) => {
      const first = m.cold(' -a 29ms |')
      const second = m.cold('-b|')
      const expected = '     -a 30ms b|'
      const secondSub = '    31ms ^-!'
      const scheduler = createScheduler({
        tiers: [
          rate({ name: 'r', limit: 1, per: 10, guard: 0 }),
          concurrency({ name: 'c', limit: 1 }),
        ],
      })
      const run = of(first, second).pipe(
        mergeMap((source) => source.pipe(schedule(scheduler, undefined))),
      )

      m.expectObservable(run).toBe(expected)
      m.expectSubscriptions(second.subscriptions).toBe(secondSub)
    },
  )

  marbleTest(
    'keeps the permit of a request that is cancelled without an answer for as long as the slowest one took',
    (m) => {
      const first = m.cold(' -a 4998ms |')
      const second = m.cold('-')
      const third = m.cold(' a|')
      const left = '         5100ms x'
      const expected = '     -a 5998ms c|'
      const thirdSub = '     6000ms ^!'
      const scheduler = createScheduler({ tiers: [concurrency({ name: 'c', limit: 1 })] })
      const held = schedule<unknown, string>(scheduler, undefined)
      const run = merge(
        first.pipe(held),
        second.pipe(held, takeUntil(m.cold(left))),
        third.pipe(
          map(() => 'c'),
          held,
        ),
      )

      m.expectObservable(run).toBe(expected)
      m.expectSubscriptions(third.subscriptions).toBe(thirdSub)
    },
  )
})

describe('a great many requests', () => {
  it('that complete at once start one after the other: 100,000', () => {
    const scheduler = atOnce(1)
    let seen = 0
    range(0, 100_000)
      .pipe(mergeMap((i) => of(i).pipe(schedule(scheduler, undefined))))
      .subscribe(() => seen++)
    expect(seen).toBe(100_000)
  })

  it('that wait and complete at once do not nest: 20,000', () => {
    const scheduler = atOnce(1)
    let [seen, release] = [0, (): void => {}]
    const gate = new Observable<never>((subscriber) => {
      release = () => subscriber.complete()
    })
    gate.pipe(schedule(scheduler, undefined)).subscribe()
    for (let i = 0; i < 20_000; i++) {
      of(i)
        .pipe(schedule(scheduler, undefined))
        .subscribe(() => seen++)
    }
    expect(seen).toBe(0)
    release()
    expect(seen).toBe(20_000)
  })

  it('may each be asked for by the one before: 20,000', () => {
    const scheduler = atOnce(1)
    let seen = 0
    const more = (left: number): void => {
      of(left)
        .pipe(schedule(scheduler, undefined))
        .subscribe((n) => {
          seen++
          if (n > 0) more(n - 1)
        })
    }
    more(20_000)
    expect(seen).toBe(20_001)
  })

  it('pass through a scheduler without tiers', () => {
    const scheduler = createScheduler({ tiers: [] })
    let seen = 0
    range(0, 1_000)
      .pipe(mergeMap((i) => of(i).pipe(schedule(scheduler, undefined))))
      .subscribe(() => seen++)
    expect(seen).toBe(1_000)
  })
})
