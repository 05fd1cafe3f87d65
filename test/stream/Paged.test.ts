import fc from 'fast-check'
import { asyncScheduler, delay, map, type Observable, of, take, toArray } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import { InvalidOption, paginate } from '../../src/stream/index.js'
import { marbles, marbleTest } from '../support/marbles.js'
import { type NumberPage, type Numbers, numbers, rightsOf, upTo } from '../support/numbers.js'

describe('a list as a stream of items', () => {
  it('asks for exactly the pages that are needed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 80 }),
        (total, size, k) => {
          const { list, log } = numbers(total, size)
          const seen: Array<E.Either<string, number>> = []
          list.pipe(take(k)).subscribe((item) => seen.push(item))
          expect(rightsOf(seen)).toEqual(upTo(Math.min(k, total)))
          expect(log.asked).toEqual(upTo(Math.ceil(Math.min(k, total) / size)))
        },
      ),
    )
  })

  it('does nothing until it is subscribed, and begins anew each time', () => {
    const { list, log } = numbers(3, 2)
    const { pages } = list
    list.pipe(map(String))
    expect(log.asked).toEqual([])
    const runs: Array<number> = []
    for (let run = 0; run < 2; run++) {
      list.pipe(toArray()).subscribe((all) => runs.push(all.length))
      pages.pipe(toArray()).subscribe((all) => runs.push(all.length))
    }
    expect(runs).toEqual([3, 2, 3, 2])
    expect(log.asked).toEqual([0, 1, 0, 1, 0, 1, 0, 1])
  })

  it('reads 10,000 pages that come at once, flat', () => {
    const { list } = numbers(20_000, 2)
    let sum = 0
    let pages = 0
    list.subscribe((item) => {
      sum += E.isRight(item) ? item.right : Number.NaN
    })
    list.pages.subscribe(() => {
      pages++
    })
    expect([sum, pages]).toEqual([(19_999 * 20_000) / 2, 10_000])
  })

  it('lets a bad row pass as one `Left`, and a bad page end the list as one', () => {
    const bad = paginate<string, number, number>({
      first: 0,
      fetch: (position) =>
        of(
          position === 1
            ? E.left('broken')
            : E.right({
                items: [E.right(1), E.left('bad row'), E.right(3)],
                raw: [1, 'two', 3],
                position,
                next: O.some(1),
              }),
        ),
      key: String,
      cut: (cut) => (cut._tag === 'Failed' ? cut.failure : cut._tag),
      maxPages: 10,
      maxEmptyPages: 3,
    })
    const seen: Array<E.Either<string, number>> = []
    bad.subscribe((item) => seen.push(item))
    expect(seen).toEqual([E.right(1), E.left('bad row'), E.right(3), E.left('broken')])
  })

  marbleTest('gives up the page on its way when it is left', (m) => {
    const { list, log } = numbers(4, 2, (page) => page.pipe(delay(5)))
    m.expectObservable(list.pipe(map(E.isRight)), '^-------!').toBe('-----(tt)', { t: true })
    m.flush()
    expect(log).toEqual({ asked: [0, 1], aborted: [1] })
  })
})

describe('a list as a stream of pages', () => {
  marbleTest('emits one value a page, and asks for none ahead', (m) => {
    const { list, log } = numbers(5, 2, (page) => page.pipe(delay(2)))
    const sizes = list.pages.pipe(
      map(
        E.match(
          () => 0,
          ({ items }) => items.length,
        ),
      ),
    )
    m.expectObservable(sizes).toBe('--2-2-(1|)', { 1: 1, 2: 2 })
    m.flush()
    expect(log.asked).toEqual([0, 1, 2])
  })
})

describe('drain', () => {
  it.each([Number.NaN, -1, 0.5])('takes no %d for its prefetch', (prefetch) => {
    const { list } = numbers(8, 2)
    expect(() => list.drain(of, { prefetch })).toThrow(
      /^drain: prefetch should be a whole number of at least 0, or Infinity/,
    )
  })

  it.each([
    [[], 'is missing'],
    [[{ prefetch: 2 }], 'is an object'],
  ])('takes no %j for its work', (given, kind) => {
    const { list, log } = numbers(8, 2)
    expect(() => Reflect.apply(list.drain, list, given)).toThrow(InvalidOption)
    expect(() => Reflect.apply(list.drain, list, given)).toThrow(
      `drain: project should be a function, but ${kind}`,
    )
    expect(log.asked).toEqual([])
  })

  /** Virtual time of each request and of the start of each page's work: requests 2 ms, work 5 ms. */
  const timetable = (prefetch: number | undefined) => {
    const times: Array<string> = []
    marbles((m) => {
      const { list } = numbers(8, 2, (page, position) => {
        times.push(`${asyncScheduler.now()} ask ${position}`)
        return page.pipe(delay(2))
      })
      const run = list.drain(
        (page) => {
          times.push(`${asyncScheduler.now()} work ${E.isRight(page) ? page.right.position : 'x'}`)
          return of('done').pipe(delay(5))
        },
        prefetch === undefined ? {} : { prefetch },
      )
      m.expectObservable(
        run.pipe(
          toArray(),
          map((all) => all.length),
        ),
      ).toBe(prefetch === 0 ? '28ms (n|)' : '22ms (n|)', { n: 4 })
    })()
    return times
  }

  it('waits with each request until the work is done, without prefetch', () => {
    expect(timetable(0)).toEqual([
      '0 ask 0',
      '2 work 0',
      '7 ask 1',
      '9 work 1',
      '14 ask 2',
      '16 work 2',
      '21 ask 3',
      '23 work 3',
    ])
  })

  it('asks for one page while one is worked on, unless told otherwise', () => {
    const one = [
      '0 ask 0',
      '2 work 0',
      '2 ask 1',
      '7 ask 2',
      '7 work 1',
      '12 ask 3',
      '12 work 2',
      '17 work 3',
    ]
    expect(timetable(1)).toEqual(one)
    expect(timetable(undefined)).toEqual(one)
  })

  it('asks for two pages while one is worked on, one at a time', () => {
    expect(timetable(2)).toEqual([
      '0 ask 0',
      '2 work 0',
      '2 ask 1',
      '4 ask 2',
      '7 ask 3',
      '7 work 1',
      '12 work 2',
      '17 work 3',
    ])
  })

  marbleTest('gives up the work and the page on its way when it is left', (m) => {
    const { list, log } = numbers(8, 2, (page) => page.pipe(delay(3)))
    const work = m.cold('----x|')
    m.expectObservable(
      list.drain(() => work),
      '^----!',
    )
    m.expectSubscriptions(work.subscriptions).toBe('---^-!')
    m.flush()
    expect(log).toEqual({ asked: [0, 1], aborted: [1] })
  })
})

describe('types', () => {
  it('are those of a stream and of a loop', () => {
    expectTypeOf<Numbers>().toExtend<Observable<E.Either<string, number>>>()
    expectTypeOf<Numbers>().toExtend<AsyncIterable<E.Either<string, number>>>()
    expectTypeOf<Numbers['pages']>().toExtend<Observable<E.Either<string, NumberPage>>>()
    expectTypeOf<Numbers['pages']>().toExtend<AsyncIterable<E.Either<string, NumberPage>>>()
  })
})
