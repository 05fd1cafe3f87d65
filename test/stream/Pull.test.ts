import fc from 'fast-check'
import { EMPTY, NEVER, Observable, of, take, throwError, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { ahead, consume, iterate, observe, type Pull } from '../../src/stream/index.js'
import { marbles } from '../support/marbles.js'

const bug = new Error('bug')

/** A source of one observable a value; counts what is asked of it. */
const pullOf = <P>(...answers: ReadonlyArray<Observable<P>>) => {
  const counts = { asked: 0, closed: 0, aborted: 0 }
  const pull: Pull<P> = {
    next: new Observable((subscriber) => {
      const answer = answers[counts.asked++] ?? EMPTY
      let done = false
      subscriber.add(() => {
        if (!done) counts.aborted++
      })
      return answer.subscribe({
        next: (p) => subscriber.next(p),
        error: (error: unknown) => {
          done = true
          subscriber.error(error)
        },
        complete: () => {
          done = true
          subscriber.complete()
        },
      })
    }),
    close: () => {
      counts.closed++
    },
  }
  return { pull, counts }
}

/** Values that come when the test says so. */
const byHand = () => {
  const waiting: Array<() => void> = []
  let asked = 0
  const pull: Pull<number> = {
    next: new Observable((subscriber) => {
      const n = asked++
      const answer = () => {
        subscriber.next(n)
        subscriber.complete()
      }
      waiting.push(answer)
    }),
    close: () => {},
  }
  return {
    pull,
    asked: () => asked,
    onTheirWay: () => waiting.length,
    answer: () => waiting.shift()?.(),
  }
}

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

describe('ahead', () => {
  it(
    'asks for the next value while one is worked on',
    marbles((m) => {
      const first = m.cold(' --a|            ')
      const second = m.cold('   --b|         ')
      const secondSub = '      ---^--!         '
      const third = m.cold('           |     ')
      const thirdSub = '       ----------(^!)'
      const work = m.cold('    -------x|     ')
      const expected = '       ---------x-------x|'
      const { pull } = pullOf(first, second, third)
      m.expectObservable(consume(() => work)(() => ahead(1)(pull))).toBe(expected)
      m.expectSubscriptions(second.subscriptions).toBe(secondSub.trim())
      m.expectSubscriptions(third.subscriptions).toBe(thirdSub.trim())
    }),
  )

  it('asks for nothing before the first value is wanted', () => {
    const { pull, counts } = pullOf(of(1), of(2), of(3))
    const hurried = ahead(2)(pull)
    expect(counts.asked).toBe(0)
    hurried.next.subscribe()
    expect(counts.asked).toBe(3)
  })

  it('asks for one value at a time, and never for more than `count` beyond those wanted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5 }),
        fc.array(fc.boolean(), { maxLength: 60 }),
        (count, steps) => {
          const source = byHand()
          const hurried = ahead(count)(source.pull)
          const got: Array<number> = []
          let wanted = 0
          for (const want of steps) {
            // one is wanted at a time, as `consume` and `iterate` do
            if (want && got.length === wanted) {
              wanted++
              hurried.next.subscribe((n) => got.push(n))
            } else {
              source.answer()
            }
            expect(source.onTheirWay()).toBeLessThanOrEqual(1)
            expect(source.asked() - got.length).toBeLessThanOrEqual(count + 1)
          }
          expect(got).toEqual(got.map((_, i) => i))
        },
      ),
    )
  })

  it('gives up what is on its way when it is closed, also behind values that came at once', () => {
    const { pull, counts } = pullOf(of(1), NEVER)
    const hurried = ahead(2)(pull)
    hurried.next.subscribe()
    expect(counts).toEqual({ asked: 2, closed: 0, aborted: 0 })
    hurried.close()
    expect(counts).toEqual({ asked: 2, closed: 1, aborted: 1 })
  })

  it('asks for nothing once it is closed', () => {
    const { pull, counts } = pullOf(of(1), of(2))
    const hurried = ahead(0)(pull)
    hurried.close()
    let completed = false
    hurried.next.subscribe({ complete: () => (completed = true) })
    expect([counts.asked, completed]).toEqual([0, true])
  })

  it('keeps an error for the one who wants that value', () => {
    const { pull } = pullOf(
      of(1),
      throwError(() => bug),
    )
    const hurried = ahead(1)(pull)
    const seen: Array<unknown> = []
    hurried.next.subscribe((n) => seen.push(n))
    expect(seen).toEqual([1])
    hurried.next.subscribe({ error: (error: unknown) => seen.push(error) })
    expect(seen).toEqual([1, bug])
  })
})

describe('iterate', () => {
  it('gives every value, and then the end, again and again', async () => {
    const { pull, counts } = pullOf(of(1), of(2))
    const source = iterate(() => pull)
    expect(counts.asked).toBe(0)
    expect(await source.next()).toEqual({ done: false, value: 1 })
    expect(await source.next()).toEqual({ done: false, value: 2 })
    expect(await source.next()).toEqual({ done: true, value: undefined })
    expect(await source.next()).toEqual({ done: true, value: undefined })
    expect(counts).toEqual({ asked: 3, closed: 1, aborted: 0 })
  })

  it('closes its source when the loop is left', async () => {
    const { pull, counts } = pullOf(of(1), of(2), of(3))
    for await (const n of iterate(() => pull)) if (n === 2) break
    expect(counts).toEqual({ asked: 2, closed: 1, aborted: 0 })
  })

  it('aborts and ends a pending `next` on `return`', async () => {
    const { pull, counts } = pullOf<number>(NEVER)
    const source = iterate(() => pull)
    const pending = source.next()
    await Promise.resolve()
    expect(await source.return?.()).toEqual({ done: true, value: undefined })
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(counts).toEqual({ asked: 1, closed: 1, aborted: 1 })
    expect(await source.next()).toEqual({ done: true, value: undefined })
  })

  it('opens nothing when it is left before the first value is wanted', async () => {
    let opened = 0
    const source = iterate(() => {
      opened++
      return pullOf(of(1)).pull
    })
    await source.return?.()
    expect(await source.next()).toEqual({ done: true, value: undefined })
    expect(opened).toBe(0)
  })

  it('rejects with an error, and is at its end after that', async () => {
    const { pull, counts } = pullOf(
      of(1),
      throwError(() => bug),
    )
    const source = iterate(() => pull)
    await source.next()
    await expect(source.next()).rejects.toBe(bug)
    expect(await source.next()).toEqual({ done: true, value: undefined })
    expect(counts.closed).toBe(1)
  })

  it('answers those who do not wait for each other one by one', async () => {
    const source = byHand()
    const values = iterate(() => source.pull)
    const both = Promise.all([values.next(), values.next(), values.next()])
    for (let n = 0; n < 3; n++) {
      await new Promise(setImmediate)
      expect(source.onTheirWay()).toBe(1)
      source.answer()
    }
    expect((await both).map(({ value }) => value)).toEqual([0, 1, 2])
  })
})
