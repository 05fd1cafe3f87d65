import { Readable } from 'node:stream'
import fc from 'fast-check'
import { asyncScheduler, delay, map, NEVER, Observable, of, take, throwError, toArray } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import { type Page, type Paged, paged, paginate } from '../../src/stream/index.js'
import { marbles } from '../support/marbles.js'

type Numbers = Paged<string, number, number>
type NumberPage = Page<string, number, number>

/** A list of the numbers from 0, in pages of `size`; its pages come as `send` says. */
const numbers = (
  total: number,
  size: number,
  send: <A>(page: Observable<A>, position: number) => Observable<A> = (page) => page,
) => {
  const log = { asked: [] as Array<number>, aborted: [] as Array<number> }
  const list: Numbers = paged(
    paginate<string, number, number>({
      first: 0,
      fetch: (position) => {
        const raw = Array.from(
          { length: Math.min(size, total - position * size) },
          (_, i) => position * size + i,
        )
        const page: NumberPage = {
          items: raw.map((n) => E.right(n)),
          raw,
          position,
          next: (position + 1) * size < total ? O.some(position + 1) : O.none,
        }
        return new Observable((subscriber) => {
          log.asked.push(position)
          let got = false
          subscriber.add(() => {
            if (!got) log.aborted.push(position)
          })
          return send(of(E.right(page)), position).subscribe({
            next: (ea) => {
              got = true
              subscriber.next(ea)
            },
            complete: () => subscriber.complete(),
          })
        })
      },
      key: String,
      cut: ({ _tag }) => _tag,
      maxPages: 1_000_000,
      maxEmptyPages: 3,
    }),
  )
  return { list, log }
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)
const rightsOf = (all: ReadonlyArray<E.Either<string, number>>) =>
  all.map(E.getOrElseW(() => Number.NaN))
const later = <A>(page: Observable<A>): Observable<A> =>
  new Observable((subscriber) => {
    const pending = setImmediate(() => page.subscribe(subscriber))
    return () => clearImmediate(pending)
  })

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
    const bad = paged(
      paginate<string, number, number>({
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
      }),
    )
    const seen: Array<E.Either<string, number>> = []
    bad.subscribe((item) => seen.push(item))
    expect(seen).toEqual([E.right(1), E.left('bad row'), E.right(3), E.left('broken')])
  })

  it(
    'gives up the page on its way when it is left',
    marbles((m) => {
      const { list, log } = numbers(4, 2, (page) => page.pipe(delay(5)))
      m.expectObservable(list.pipe(map(E.isRight)), '^-------!').toBe('-----(tt)', { t: true })
      m.flush()
      expect(log).toEqual({ asked: [0, 1], aborted: [1] })
    }),
  )
})

describe('a list as a stream of pages', () => {
  it(
    'emits one value a page, and asks for none ahead',
    marbles((m) => {
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
    }),
  )
})

describe('a list in a loop', () => {
  it('gives every item, in order', async () => {
    const { list } = numbers(7, 3, later)
    const seen: Array<E.Either<string, number>> = []
    for await (const item of list) seen.push(item)
    expect(rightsOf(seen)).toEqual(upTo(7))
  })

  it('gives every page, in order', async () => {
    const { list } = numbers(7, 3, later)
    const seen: Array<number> = []
    for await (const page of list.pages) if (E.isRight(page)) seen.push(page.right.items.length)
    expect(seen).toEqual([3, 3, 1])
  })

  it('asks for one page ahead, and gives it up when the loop is left', async () => {
    const { list, log } = numbers(70, 2, (page, position) => (position < 3 ? later(page) : NEVER))
    let seen = 0
    for await (const _ of list) if (++seen === 5) break
    expect(log).toEqual({ asked: [0, 1, 2, 3], aborted: [3] })
  })

  it('ends a pending `next` when it is left', async () => {
    const { list, log } = numbers(7, 3, () => NEVER)
    const items = list[Symbol.asyncIterator]()
    const pending = items.next()
    await new Promise(setImmediate)
    expect(log.asked).toEqual([0])
    await items.return?.()
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(log.aborted).toEqual([0])
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })

  it('neither loses nor doubles an item when several are asked for at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 7 }),
        async (total, size, atOnce) => {
          const { list } = numbers(total, size, later)
          const items = list[Symbol.asyncIterator]()
          const seen: Array<number> = []
          for (let done = false; !done; ) {
            const some = await Promise.all(Array.from({ length: atOnce }, () => items.next()))
            done = some.some((result) => result.done === true)
            for (const { value } of some.filter((result) => result.done !== true)) {
              seen.push(...rightsOf([value]))
            }
          }
          expect(seen).toEqual(upTo(total))
        },
      ),
      { numRuns: 40 },
    )
  })

  it('answers in the order in which it was asked', async () => {
    const { list } = numbers(6, 3, later)
    const items = list[Symbol.asyncIterator]()
    const order: Array<string> = []
    const ask = async (name: string) => {
      const { value } = await items.next()
      order.push(`${name}: ${rightsOf([value])}`)
    }
    const first = ask('first').then(() => ask('third'))
    await Promise.all([first, ask('second')])
    expect(order.sort()).toEqual(['first: 0', 'second: 1', 'third: 2'])
  })

  it('breaks with a bug, in a loop as in a stream', async () => {
    const bug = new Error('bug')
    const throwing: Numbers = paged(() => ({ next: throwError(() => bug), close: () => {} }))
    const read = async () => {
      for await (const _ of throwing) void _
    }
    await expect(read()).rejects.toBe(bug)
    await expect(
      new Promise((resolve, reject) =>
        throwing.subscribe({ error: reject, complete: () => resolve('completed') }),
      ),
    ).rejects.toBe(bug)
  })

  it('is what `Readable.from` reads', async () => {
    const { list, log } = numbers(7, 3, later)
    const seen = await Readable.from(list).toArray()
    expect(rightsOf(seen)).toEqual(upTo(7))
    expect(log.asked).toEqual([0, 1, 2])
  })

  it('stops when a `Readable` made of it is destroyed', async () => {
    const { list, log } = numbers(70, 3, (page, position) => (position === 0 ? later(page) : NEVER))
    const readable = Readable.from(list)
    for await (const _ of readable) break
    await new Promise(setImmediate)
    expect(log).toEqual({ asked: [0, 1], aborted: [1] })
  })
})

describe('drain', () => {
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

  it(
    'gives up the work and the page on its way when it is left',
    marbles((m) => {
      const { list, log } = numbers(8, 2, (page) => page.pipe(delay(3)))
      const work = m.cold('----x|')
      m.expectObservable(
        list.drain(() => work),
        '^----!',
      )
      m.expectSubscriptions(work.subscriptions).toBe('---^-!')
      m.flush()
      expect(log).toEqual({ asked: [0, 1], aborted: [1] })
    }),
  )
})

describe('types', () => {
  it('are those of a stream and of a loop', () => {
    expectTypeOf<Numbers>().toExtend<Observable<E.Either<string, number>>>()
    expectTypeOf<Numbers>().toExtend<AsyncIterable<E.Either<string, number>>>()
    expectTypeOf<Numbers['pages']>().toExtend<Observable<E.Either<string, NumberPage>>>()
    expectTypeOf<Numbers['pages']>().toExtend<AsyncIterable<E.Either<string, NumberPage>>>()
  })
})
