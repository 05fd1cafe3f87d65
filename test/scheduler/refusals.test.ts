/** Requests that the server refuses for its limits. */
import { defer, Observable, of, timer } from 'rxjs'
import { concatMap, map } from 'rxjs/operators'
import { describe, expect, it } from 'vitest'
import type { Limits } from '../../bench/simulated/judge.js'
import { O } from '../../src/fp.js'
import { createScheduler, type RefusalOptions, rate, schedule } from '../../src/scheduler/index.js'
import { refusalDefaults } from '../../src/scheduler/Task.js'
import { marbles, marbleTest } from '../support/marbles.js'
import { refused as isRefused, world } from './world.js'

const refused = (value: string) => (value === 'r' ? O.some({}) : O.none)

/** So many in 10 ms; jitter adds a quarter to each backoff. */
const limitedTo = (limit: number, refusals: RefusalOptions = {}) =>
  createScheduler({
    tiers: [rate({ name: 'all', limit, per: 10 })],
    guard: 0,
    random: () => 0.5,
    refusals: { backoff: 100, maxBackoff: 300, jitter: 0.5, maxRetryAfter: 50, ...refusals },
  })

/** Each subscription is answered after 2 ms with the next of these. */
const answering = (...answers: Array<string>) =>
  new Observable<string>((subscriber) =>
    timer(2)
      .pipe(map(() => answers.shift() ?? '?'))
      .subscribe(subscriber),
  )

describe('a request that is refused for the first time', () => {
  marbleTest('goes again at once when there is another permit', (m) => {
    const run = answering('r', 'a').pipe(schedule(limitedTo(2), undefined, { refused }))
    m.expectObservable(run).toBe('----(a|)')
  })

  marbleTest('waits for a fresh permit: its own is spent', (m) => {
    const source = m.cold('--(r|)')
    const sourceSubs = ['  ^-!', '10ms ^-!']
    const expected = '     12ms (r|)'
    const run = source.pipe(schedule(limitedTo(1), undefined, { refused, attempts: 2 }))
    m.expectObservable(run).toBe(expected)
    m.expectSubscriptions(source.subscriptions).toBe(sourceSubs)
  })

  marbleTest('goes before those that have waited for longer', (m) => {
    const scheduler = limitedTo(1)
    const first = answering('r', 'a').pipe(schedule(scheduler, undefined, { refused }))
    const second = of('b').pipe(schedule(scheduler, undefined))
    m.expectObservable(first).toBe('12ms (a|)')
    m.expectObservable(second).toBe('20ms (b|)')
  })

  marbleTest('tells the pause before each further attempt, and none after the last', (m) => {
    const pauses: Array<number> = []
    const onRetry = (pause: number) => pauses.push(pause)
    const options = { refused, onRetry, attempts: 3 }
    const run = answering('r', 'r', 'r').pipe(schedule(limitedTo(3), undefined, options))
    m.expectObservable(run).toBe(`${2 + 2 + 125 + 2}ms (r|)`)
    m.flush()
    expect(pauses).toEqual([0, 125])
  })

  marbleTest('backs off if that is wished', (m) => {
    const scheduler = limitedTo(2, { retryAtOnce: false })
    const run = answering('r', 'a').pipe(schedule(scheduler, undefined, { refused }))
    m.expectObservable(run).toBe(`${2 + 125 + 2}ms (a|)`)
  })
})

describe('a request that is refused again', () => {
  marbleTest(
    'backs off for longer each time, with jitter, up to the longest backoff; the last refusal comes out',
    (m) => {
      const source = m.cold('--(r|)')
      const sourceSubs = [
        '                    ^-!',
        '                    10ms ^-!',
        // 100, 200, 300, 300, and a quarter each
        `${12 + 125}ms       ^-!`,
        `${139 + 250}ms      ^-!`,
        `${391 + 375}ms      ^-!`,
        `${768 + 375}ms      ^-!`,
      ]
      const run = source.pipe(schedule(limitedTo(1), undefined, { refused, attempts: 6 }))
      m.expectObservable(run).toBe('1145ms (r|)')
      m.expectSubscriptions(source.subscriptions).toBe(sourceSubs)
    },
  )

  it('backs off as the interface recommends, unless other times are given: 1, 2, 4 ... 16 s', () => {
    const { attempts, backoff, maxBackoff, jitter, maxRetryAfter } = refusalDefaults
    expect({ attempts, backoff, maxBackoff, jitter, maxRetryAfter }).toEqual({
      attempts: 8,
      backoff: 1_000,
      maxBackoff: 16_000,
      jitter: 0.5,
      maxRetryAfter: 60_000,
    })
  })

  marbleTest('is not sent again when it is cancelled in its backoff, and leaves no timer', (m) => {
    const source = m.cold('(r|)')
    const scheduler = limitedTo(5, { retryAtOnce: false })
    const run = source.pipe(schedule(scheduler, undefined, { refused }))
    m.expectObservable(run, '^ 49ms !').toBe('-')
    m.expectSubscriptions(source.subscriptions).toBe(['(^!)'])
  })

  marbleTest('passes through all limits again', (m) => {
    const answers = ['r', 'a']
    const limited = limitedTo(1, { retryAtOnce: false })
    const source = new Observable<string>((s) => of(answers.shift() ?? '?').subscribe(s))
    const other = timer(124).pipe(concatMap(() => of('b').pipe(schedule(limited, undefined))))
    m.expectObservable(source.pipe(schedule(limited, undefined, { refused }))).toBe('134ms (a|)')
    m.expectObservable(other).toBe('124ms (b|)')
  })
})

describe('the time that a server says to wait', () => {
  marbleTest('is waited for, if it is not too long', (m) => {
    const answers = [20, 70]
    const source = new Observable<number>((s) => of(answers.shift() ?? 0).subscribe(s))
    const run = source.pipe(
      schedule(limitedTo(5), undefined, {
        refused: (retryAfter) => (retryAfter > 0 ? O.some({ retryAfter }) : O.none),
      }),
      map(() => 'a'),
    )
    m.expectObservable(run).toBe('70ms (a|)')
  })

  it.each([0, -5, Number.NaN, JSON.parse('null')])('is ignored if it is %j ms', (retryAfter) => {
    marbles((m) => {
      const answers = ['r', 'a']
      const source = new Observable<string>((s) => of(answers.shift() ?? '?').subscribe(s))
      const run = source.pipe(
        schedule(limitedTo(5, { retryAtOnce: false }), undefined, {
          refused: (value) => (value === 'r' ? O.some({ retryAfter }) : O.none),
        }),
      )
      m.expectObservable(run).toBe('125ms (a|)')
    })()
  })
})

marbleTest('a refusal is looked for in the first value only', (m) => {
  const source = m.cold('a--r--(r|)')
  const run = source.pipe(schedule(limitedTo(5), undefined, { refused }))
  m.expectObservable(run).toBe('a--r--(r|)')
})

describe('a single refusal among many requests', () => {
  const limits: Limits = { global: 100, endpoint: 20, per: 1_000, concurrent: 50 }

  /** Departures of 80 requests, by name and time; those with these numbers of arrival are refused. */
  const departures = (unlucky: ReadonlyArray<number>) => {
    const w = world(limits)
    const { arrives } = w.server
    let arrived = 0
    w.server = {
      ...w.server,
      arrives: (key, now) => !unlucky.includes(arrived++) && arrives(key, now),
    }
    const left: Array<{ readonly request: string; readonly at: number }> = []
    for (let i = 0; i < 80; i++) {
      const request = `${i}`
      defer(() => {
        left.push({ request, at: w.timer.now() })
        return w.send(request, 'a', { up: 40, work: 10, down: 40 })
      })
        .pipe(schedule(w.scheduler, 'a', { refused: isRefused }))
        .subscribe()
    }
    w.timer.flush()
    expect(w.letIn.size).toBe(80)
    return left
  }

  it('is sent again as the first of the next batch', () => {
    const left = departures([25])
    const again = left.findIndex(({ request, at }) => request === '25' && at > 1_500)
    expect(again).toBe(40)
    expect(left[40]?.at).toBe(left[59]?.at)
  })

  it('is sent again after a backoff of at least a second if it is refused once more', () => {
    const [, second = 0, third = 0] = departures([25, 40])
      .filter(({ request }) => request === '25')
      .map(({ at }) => at)
    expect(third - second).toBeGreaterThanOrEqual(1_090)
    expect(third - second).toBeLessThan(3_000)
  })
})
