import fc from 'fast-check'
import { EMPTY, NEVER, of, throwError } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { ahead, consume } from '../../src/stream/index.js'
import { marbles } from '../support/marbles.js'
import { byHand, pullOf } from '../support/pulls.js'

const bug = new Error('bug')

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

  it('asks for nothing after the end, however much it may ask for', () => {
    const { pull, counts } = pullOf(of(1), EMPTY, of(2))
    ahead(5)(pull).next.subscribe()
    expect(counts.asked).toBe(2)
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
