import {
  defer,
  EMPTY,
  Observable,
  of,
  type SchedulerLike,
  Subscription,
  take,
  VirtualTimeScheduler,
} from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { E, O } from '../../src/fp.js'
import { InvalidOption, retry } from '../../src/stream/index.js'
import { marbleTest } from '../support/marbles.js'

const values = { L: E.left('bad'), M: E.left('worse'), R: E.right(1), S: E.right(2) }
const bug = new Error('bug')
const always = () => O.some(3)

describe('retry', () => {
  marbleTest('subscribes again after the pause', (m) => {
    const first = m.cold(' --L|      ', values)
    const firstSub = '     ^--!      '
    const second = m.cold('     --R| ', values)
    const secondSub = '    -----^--! '
    const expected = '     -------R| '
    const tries = [first, second]
    const source = defer(() => tries.shift() ?? EMPTY)

    m.expectObservable(source.pipe(retry(always))).toBe(expected, values)
    m.expectSubscriptions(first.subscriptions).toBe([firstSub])
    m.expectSubscriptions(second.subscriptions).toBe(secondSub)
  })

  marbleTest('asks for a pause by failure and by attempt, and passes the last failure on', (m) => {
    const asked: Array<readonly [string, number]> = []
    const source = m.cold('-L|', values)
    const run = source.pipe(
      retry((failure: string, attempt) => {
        asked.push([failure, attempt])
        return attempt < 3 ? O.some(2) : O.none
      }),
    )
    m.expectObservable(run).toBe('-------L|', values)
    m.expectSubscriptions(source.subscriptions).toBe(['^-!', '---^-!', '------^-!'])
    m.flush()
    expect(asked).toEqual([
      ['bad', 1],
      ['bad', 2],
      ['bad', 3],
    ])
  })

  it.each([
    [[3], 'after should be a function, but is a number'],
    [[], 'after should be a function, but is missing'],
    [[always, 3], 'timer should be an RxJS scheduler, with now and schedule, but is a number'],
  ])('is told at once that it cannot work with %j', (given, message) => {
    const called = () => Reflect.apply(retry, undefined, given)
    expect(called).toThrow(InvalidOption)
    expect(called).toThrow(`retry: ${message}`)
  })

  it('waits on the timer that it is given, for longer than one of the platform can', () => {
    const timer = virtualTimer()
    const schedule = vi.spyOn(timer, 'schedule')
    const pause = 30 * 86_400_000
    const tries = [values.L, values.R]
    const source = defer(() => of(tries.shift() ?? values.S))
    const came: Array<readonly [number, E.Either<string, number>]> = []
    source
      .pipe(retry(() => O.some(pause), timer))
      .subscribe((value) => came.push([timer.now(), value]))
    timer.flush(2 * pause)
    expect(came).toEqual([[pause, values.R]])
    expect(Math.max(...schedule.mock.calls.map(([, delay]) => delay ?? 0))).toBeLessThan(2 ** 31)
  })

  marbleTest('passes a failure without a pause on', (m) => {
    const source = m.cold('-M|', values)
    m.expectObservable(source.pipe(retry((e) => (e === 'bad' ? O.some(3) : O.none)))).toBe(
      '-M|',
      values,
    )
    m.expectSubscriptions(source.subscriptions).toBe('^-!')
  })

  marbleTest('meets never, empty, many and failure as they are', (m) => {
    m.expectObservable(m.cold<E.Either<string, number>>('-').pipe(retry(always))).toBe('-')
    m.expectObservable(m.cold<E.Either<string, number>>('|').pipe(retry(always))).toBe('|')
    m.expectObservable(m.cold('R-S|', values).pipe(retry(always))).toBe('R-S|', values)
    m.expectObservable(m.cold('-#', values, bug).pipe(retry(always))).toBe('-#', values, bug)
  })

  marbleTest('gives up the attempt, and the pause, when it is left', (m) => {
    const source = m.cold('                    --L|', values)
    m.expectObservable(source.pipe(retry(always)), '^------!')
    m.expectObservable(source.pipe(retry(always)), '^---!')
    m.expectSubscriptions(source.subscriptions).toBe(['^--!', '^--!', '-----^-!'])
  })

  marbleTest('puts the next attempt in the place of the failure, and the rest after it', (m) => {
    const first = m.cold('  -LSM|          ', values)
    const firstSub = '      ^---!          '
    const second = m.cold('     R-LR|      ', values)
    const secondSub = '     ----^---!      '
    const third = m.cold('         S|      ', values)
    const thirdSub = '      ---------^!    '
    const fourth = m.cold('            -R|', values)
    const fourthSub = '     -------------^-!'
    const expected = '      ----R----S(RS)R|'
    const tries = [first, second, third, fourth]
    const asked: Array<readonly [string, number]> = []
    const run = defer(() => tries.shift() ?? EMPTY).pipe(
      retry((failure, attempt) => {
        asked.push([failure, attempt])
        return always()
      }),
    )
    m.expectObservable(run).toBe(expected, values)
    m.expectSubscriptions(first.subscriptions).toBe(firstSub)
    m.expectSubscriptions(second.subscriptions).toBe(secondSub)
    m.expectSubscriptions(third.subscriptions).toBe(thirdSub)
    m.expectSubscriptions(fourth.subscriptions).toBe(fourthSub)
    m.flush()
    expect(asked).toEqual([
      ['bad', 1],
      ['bad', 2],
      ['worse', 1],
    ])
  })

  marbleTest('leaves an attempt that goes on after its failure to go on', (m) => {
    const tries = [m.cold('-L-----S|', values), m.cold('-R|', values)]
    const run = defer(() => tries.shift() ?? EMPTY).pipe(retry(always))
    m.expectObservable(run).toBe('-----R-S|', values)
  })

  marbleTest('gives all of an attempt during which one before it ends with nothing left', (m) => {
    const tries = [m.cold('-L-----|', values), m.cold('------R|', values)]
    const run = defer(() => tries.shift() ?? EMPTY).pipe(retry(always))
    m.expectObservable(run).toBe('----------R|', values)
  })

  it('leaves nothing to wait for when it is left in a pause', () => {
    const timer = new VirtualTimeScheduler()
    const left = of(values.L).pipe(retry(always, timer)).subscribe()
    expect(timer.actions).toHaveLength(1)
    left.unsubscribe()
    expect(timer.actions).toEqual([])
  })

  it.each([
    ['a pause each', 1],
    ['pauses of 0', 0],
  ])('comes to the value of the 5,000th attempt, with %s', (_, pause) => {
    const timer = virtualTimer()
    const { source, came } = tried(5_000)
    source.pipe(retry(() => O.some(pause), timer)).subscribe(came)
    timer.flush()
    expect(came.seen).toEqual([values.R, 'completed'])
    expect(timer.now()).toBe(4_999 * pause)
  })

  it('comes to the value of the 5,000th attempt, on a timer that is due at once', () => {
    const { source, came } = tried(5_000)
    source.pipe(retry(() => O.some(0), atOnce)).subscribe(came)
    expect(came.seen).toEqual([values.R, 'completed'])
  })

  it('gives the rests of 5,000 attempts, the last one first', () => {
    const timer = virtualTimer()
    let attempts = 0
    const seen: Array<unknown> = []
    defer(() => {
      const rest = E.right(++attempts)
      return attempts < 5_000 ? of(values.L, rest) : of(rest)
    })
      .pipe(retry(() => O.some(1), timer))
      .subscribe({ next: (value) => seen.push(value), complete: () => seen.push('completed') })
    timer.flush()
    expect(seen).toEqual([
      ...Array.from({ length: 5_000 }, (_, index) => E.right(5_000 - index)),
      'completed',
    ])
  })

  it('is left in the middle of values that come at once', () => {
    let emitted = 0
    let attempts = 0
    const source = new Observable<E.Either<string, number>>((subscriber) => {
      if (++attempts === 1) {
        subscriber.next(values.L)
        subscriber.complete()
      }
      while (!subscriber.closed) subscriber.next(E.right(++emitted))
    })
    const seen: Array<unknown> = []
    const timer = virtualTimer()
    source.pipe(retry(always, timer), take(2)).subscribe((value) => seen.push(value))
    timer.flush()
    expect(seen).toEqual([E.right(1), E.right(2)])
    expect({ emitted, attempts }).toEqual({ emitted: 2, attempts: 2 })
  })

  it('breaks with what `after` throws', () => {
    const error = vi.fn()
    const throwing = (): O.Option<number> => {
      throw bug
    }
    of(values.L).pipe(retry(throwing)).subscribe({ error })
    expect(error.mock.calls).toEqual([[bug]])
  })
})

/** A failure from each attempt before the last, and who writes down what came of it. */
const tried = (count: number) => {
  let attempts = 0
  const seen: Array<unknown> = []
  return {
    source: defer(() => of(++attempts < count ? values.L : values.R)),
    came: {
      seen,
      next: (value: unknown) => void seen.push(value),
      error: (error: unknown) => void seen.push(error),
      complete: () => void seen.push('completed'),
    },
  }
}

const atOnce: SchedulerLike = {
  now: () => 0,
  schedule: (work: (state?: never) => void) => {
    Reflect.apply(work, undefined, [])
    return Subscription.EMPTY
  },
}
