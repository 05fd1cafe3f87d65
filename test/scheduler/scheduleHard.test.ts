import { EMPTY, Observable, of, range, throwError, timer } from 'rxjs'
import { concatMap, ignoreElements, map, mergeMap } from 'rxjs/operators'
import { describe, expect, it } from 'vitest'
import { O } from '../../src/fp.js'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { marbles } from '../support/marbles.js'

const places = (limit: number) => createScheduler({ tiers: [concurrency({ name: 'p', limit })] })
const refused = (value: string) => (value === 'r' ? O.some({}) : O.none)

describe('a refusal', () => {
  const scheduler = (lone: 'resend' | 'backoff', limit = 5) =>
    createScheduler({
      tiers: [rate({ name: 'all', limit, per: 10 })],
      guard: 0,
      random: () => 0.5,
      refusals: { lone, backoff: 100, maxBackoff: 300, jitter: 0.5, maxRetryAfter: 50 },
    })

  const answering = (...answers: Array<string>) =>
    new Observable<string>((s) =>
      timer(2)
        .pipe(map(() => answers.shift() ?? '?'))
        .subscribe(s),
    )

  it(
    'that is alone in a full window is sent again when there is room: after 4 ms, since it came too early',
    marbles((m) => {
      const limited = scheduler('resend', 1)
      const run = answering('r', 'a').pipe(schedule(limited, undefined, { refused }))
      m.expectObservable(run).toBe('--------(a|)')
    }),
  )

  it(
    'where there was room is not bad luck: it backs off',
    marbles((m) => {
      const run = answering('r', 'r', 'a').pipe(
        schedule(scheduler('resend'), undefined, { refused }),
      )
      m.expectObservable(run).toBe(`${2 + 125 + 2 + 250 + 2}ms (a|)`)
    }),
  )

  it(
    'alone three times, in a full window, is no bad luck any more: then comes the first backoff',
    marbles((m) => {
      const source = m.cold('--(r|)')
      const limited = scheduler('resend', 1)
      const run = source.pipe(schedule(limited, undefined, { refused, attempts: 6 }))
      m.expectObservable(run).toBe('409ms (r|)')
      m.expectSubscriptions(source.subscriptions).toBe([
        '^-!',
        '6ms ^-!',
        '16ms ^-!',
        '28ms ^-!',
        '155ms ^-!',
        '407ms ^-!',
      ])
    }),
  )

  it(
    'waits longer each time, with jitter, up to the longest; the last refusal comes out',
    marbles((m) => {
      const source = m.cold('(r|)')
      const run = source.pipe(schedule(scheduler('backoff'), undefined, { refused, attempts: 5 }))
      // 100, 200, 300, 300, and a quarter each
      m.expectObservable(run).toBe('1125ms (r|)')
      m.expectSubscriptions(source.subscriptions).toBe([
        '(^!)',
        '125ms (^!)',
        '375ms (^!)',
        '750ms (^!)',
        '1125ms (^!)',
      ])
    }),
  )

  it(
    'waits for as long as the server says, if that is not too long',
    marbles((m) => {
      const answers = [20, 70]
      const source = new Observable<number>((s) => of(answers.shift() ?? 0).subscribe(s))
      const run = source.pipe(
        schedule(scheduler('resend'), undefined, {
          refused: (retryAfter) => (retryAfter > 0 ? O.some({ retryAfter }) : O.none),
        }),
        map(() => 'a'),
      )
      m.expectObservable(run).toBe('70ms (a|)')
    }),
  )

  it.each([0, -5, Number.NaN, JSON.parse('null')])(
    'that says to wait for %j ms says nothing: it backs off',
    (retryAfter) => {
      marbles((m) => {
        const answers = ['r', 'a']
        const source = new Observable<string>((s) => of(answers.shift() ?? '?').subscribe(s))
        const run = source.pipe(
          schedule(scheduler('backoff'), undefined, {
            refused: (value) => (value === 'r' ? O.some({ retryAfter }) : O.none),
          }),
        )
        m.expectObservable(run).toBe('125ms (a|)')
      })()
    },
  )

  it(
    'is looked for in the first value only',
    marbles((m) => {
      const source = m.cold('a--r--(r|)')
      const run = source.pipe(schedule(scheduler('backoff'), undefined, { refused }))
      m.expectObservable(run).toBe('a--r--(r|)')
    }),
  )

  it(
    'that is cancelled in its backoff is not sent again, and leaves no timer',
    marbles((m) => {
      const source = m.cold('(r|)')
      const run = source.pipe(schedule(scheduler('backoff'), undefined, { refused }))
      m.expectObservable(run, '^ 49ms !').toBe('-')
      m.expectSubscriptions(source.subscriptions).toBe(['(^!)'])
    }),
  )

  it(
    'passes through all tiers again',
    marbles((m) => {
      const answers = ['r', 'a']
      const limited = scheduler('backoff', 1)
      const source = new Observable<string>((s) => of(answers.shift() ?? '?').subscribe(s))
      const other = timer(124).pipe(concatMap(() => of('b').pipe(schedule(limited, undefined))))
      m.expectObservable(source.pipe(schedule(limited, undefined, { refused }))).toBe('134ms (a|)')
      m.expectObservable(other).toBe('124ms (b|)')
    }),
  )
})

describe('hard use', () => {
  it('starts 100,000 sources that complete at once, one after the other', () => {
    const scheduler = places(1)
    let seen = 0
    range(0, 100_000)
      .pipe(mergeMap((i) => of(i).pipe(schedule(scheduler, undefined))))
      .subscribe(() => seen++)
    expect(seen).toBe(100_000)
  })

  it('does not nest when 20,000 wait that complete at once', () => {
    const scheduler = places(1)
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

  it('can be asked for more from next, without end', () => {
    const scheduler = places(1)
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

  it('frees the place when a source throws on subscription', () => {
    const scheduler = createScheduler({ tiers: [rate({ name: 'r', limit: 2, per: 10 })], guard: 0 })
    const errors: Array<unknown> = []
    const broken = new Observable<never>(() => {
      throw new Error('broken')
    })
    broken.pipe(schedule(scheduler, undefined)).subscribe({ error: (e) => errors.push(e) })
    throwError(() => 'failed')
      .pipe(schedule(scheduler, undefined))
      .subscribe({ error: (e) => errors.push(e) })
    expect(errors).toEqual([new Error('broken'), 'failed'])
  })

  it(
    'passes on what `refused` throws, and frees the place',
    marbles((m) => {
      const scheduler = places(1)
      const refuse = () => {
        throw new Error('no')
      }
      const run = m.cold('--a--').pipe(schedule(scheduler, undefined, { refused: refuse }))
      m.expectObservable(run).toBe('--#', undefined, new Error('no'))
      m.expectObservable(m.cold('a|').pipe(schedule(scheduler, undefined))).toBe('1000ms a|')
    }),
  )

  it('passes on what `refused` throws at once', () => {
    const errors: Array<unknown> = []
    of(1)
      .pipe(
        schedule(places(1), undefined, {
          refused: () => {
            throw new Error('no')
          },
        }),
      )
      .subscribe({ error: (e) => errors.push(e) })
    expect(errors).toEqual([new Error('no')])
  })

  it('gives what a key function throws to the one who asked, and to nobody else', () => {
    const scheduler = createScheduler<number>({
      tiers: [
        concurrency({
          name: 'key',
          limit: 1,
          key: (n) => {
            if (n === 1) throw new Error('no key')
            return 'k'
          },
        }),
      ],
    })
    const seen: Array<unknown> = []
    for (const n of [0, 1, 2]) {
      of(n)
        .pipe(schedule(scheduler, n))
        .subscribe({ next: (a) => seen.push(a), error: (e) => seen.push(e) })
    }
    expect(seen).toEqual([0, new Error('no key'), 2])
  })

  it('completes an empty source through a scheduler without tiers', () => {
    let done = false
    EMPTY.pipe(ignoreElements(), schedule(createScheduler({ tiers: [] }), undefined)).subscribe({
      complete: () => {
        done = true
      },
    })
    expect(done).toBe(true)
  })
})
