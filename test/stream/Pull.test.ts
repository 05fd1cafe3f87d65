import { NEVER, Observable, of, range, take, tap, throwError, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { consume, observe, type Pull } from '../../src/stream/Pull.js'
import { marbles } from '../support/marbles.js'
import { pullOf } from '../support/pulls.js'

const bug = new Error('bug')

describe('observe', () => {
  it(
    'asks for the next value when the one before has been taken',
    marbles((m) => {
      const first = m.cold(' --a|      ')
      const second = m.cold('   ---b|  ')
      const { pull } = pullOf(first, second)
      m.expectObservable(observe(() => pull)).toBe('--a---b|')
      m.expectSubscriptions(first.subscriptions).toBe('^--!')
      m.expectSubscriptions(second.subscriptions).toBe('---^---!')
    }),
  )

  it(
    'meets never, empty and failure as they are',
    marbles((m) => {
      m.expectObservable(observe(() => pullOf(NEVER).pull)).toBe('-')
      m.expectObservable(observe(() => pullOf().pull)).toBe('|')
      m.expectObservable(observe(() => pullOf(m.cold('-a|'), m.cold('-#', {}, bug)).pull)).toBe(
        '-a-#',
        { a: 'a' },
        bug,
      )
    }),
  )

  it(
    'gives up what is on its way when it is left',
    marbles((m) => {
      const first = m.cold('-----a|')
      const { pull, counts } = pullOf(first)
      m.expectObservable(
        observe(() => pull),
        '^--!',
      )
      m.expectSubscriptions(first.subscriptions).toBe('^--!')
      m.flush()
      expect(counts.closed).toBe(1)
    }),
  )

  it('opens its source anew for each subscription, and not before', () => {
    let opened = 0
    const run = observe(() => {
      opened++
      return pullOf(of(1), of(2)).pull
    })
    expect(opened).toBe(0)
    const seen: Array<ReadonlyArray<number>> = []
    run.pipe(toArray()).subscribe((all) => seen.push(all))
    run.pipe(toArray()).subscribe((all) => seen.push(all))
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect(opened).toBe(2)
  })

  it('asks for no more when it is left while a value comes at once', () => {
    const { pull, counts } = pullOf(of(1), of(2), of(3))
    const seen: Array<number> = []
    observe(() => pull)
      .pipe(take(2))
      .subscribe((n) => seen.push(n))
    expect(seen).toEqual([1, 2])
    expect(counts).toMatchObject({ asked: 2, closed: 1 })
  })

  it('stays flat when 10,000 values come at once', () => {
    let left = 10_000
    const pull: Pull<number> = {
      next: new Observable((subscriber) => {
        if (left > 0) subscriber.next(left--)
        subscriber.complete()
      }),
      close: () => {},
    }
    let seen = 0
    let completed = false
    observe(() => pull).subscribe({ next: () => seen++, complete: () => (completed = true) })
    expect([seen, completed]).toEqual([10_000, true])
  })
})

describe('consume', () => {
  it('stops work that comes at once when it is left', () => {
    const { pull, counts } = pullOf(of(0), of(5), of(10))
    const done: Array<number> = []
    const seen: Array<number> = []
    consume((from: number) => range(from, 5).pipe(tap((n) => done.push(n))))(() => pull)
      .pipe(take(7))
      .subscribe((n) => seen.push(n))
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(seen).toEqual(done)
    expect(counts).toMatchObject({ asked: 2, closed: 1 })
  })

  it('stops work without an end that comes at once', () => {
    const { pull } = pullOf(of(0))
    let done = 0
    const endless = new Observable<number>((subscriber) => {
      while (!subscriber.closed && done < 1_000) subscriber.next(done++)
    })
    consume(() => endless)(() => pull)
      .pipe(take(3))
      .subscribe()
    expect(done).toBe(3)
  })

  it(
    'asks for the next value when the work on the one before has completed',
    marbles((m) => {
      const first = m.cold(' --a|            ')
      const work = m.cold('    --x-y|        ')
      const workSubs = ['      --^----!      ', '---------^----!']
      const second = m.cold('         --b|    ')
      const secondSub = '      -------^--!     '
      const expected = '       ----x-y----x-y|'
      const { pull } = pullOf(first, second)
      m.expectObservable(consume(() => work)(() => pull)).toBe(expected)
      m.expectSubscriptions(work.subscriptions).toBe(workSubs.map((sub) => sub.trim()))
      m.expectSubscriptions(second.subscriptions).toBe(secondSub.trim())
    }),
  )

  it(
    'leaves the work under way when it is left',
    marbles((m) => {
      const work = m.cold('  -------x|')
      const { pull } = pullOf(m.cold('-a|'))
      m.expectObservable(
        consume(() => work)(() => pull),
        '^----!',
      )
      m.expectSubscriptions(work.subscriptions).toBe('-^---!')
    }),
  )

  it(
    'breaks with the work, and closes the source',
    marbles((m) => {
      const { pull, counts } = pullOf(m.cold('-a|'), m.cold('-b|'))
      m.expectObservable(consume(() => throwError(() => bug))(() => pull)).toBe('-#', {}, bug)
      m.expectObservable(
        consume(() => {
          throw bug
        })(() => pullOf(m.cold('-a|')).pull),
      ).toBe('-#', {}, bug)
      m.flush()
      expect(counts).toEqual({ asked: 1, closed: 1, aborted: 1 })
    }),
  )
})
