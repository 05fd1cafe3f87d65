import { catchError, EMPTY, map, of, take, throwError, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import { marbleTest } from '../support/marbles.js'
import { later, upTo } from '../support/numbers.js'
import { inParallel, type P, page, playing, run, shown } from './playing.js'

describe('pages in parallel', () => {
  it('are one at first, and two more for each that goes on', () => {
    const { list, log } = playing({ pages: 8 })
    expect(run(() => list(3).pages.pipe(map(shown)))).toEqual(upTo(8))
    expect(log.asked).toEqual([
      ...['0 0', '10 1', '10 2', '10 3', '20 4', '20 5', '20 6', '30 7', '30 8', '30 9'],
    ])
    expect(log.aborted).toEqual([8, 9])
    const wide = playing({ pages: 60 })
    run(() => wide.list(20).pages)
    const at = wide.log.asked.map((line) => Number(line.split(' ')[0]))
    expect([0, 10, 20, 30].map((ms) => at.filter((when) => when === ms).length)).toEqual([
      1, 3, 9, 20,
    ])
  })

  it('are asked for one ahead where positions cannot be told, also of who waits with each', () => {
    const { list, log } = playing({ pages: 3, following: () => O.none })
    run(() => list(9).drain(() => timer(100), { prefetch: 0 }))
    expect(log.asked).toEqual(['0 0', '10 1', '110 2'])
  })

  it('are as many as are asked for ahead, where that is more', () => {
    const { list, positions } = playing({ pages: 20 })
    let most = 0
    let done = 0
    const worked = list(2).drain(
      () =>
        timer(100).pipe(
          map(() => {
            most = Math.max(most, positions().length - done++)
          }),
        ),
      { prefetch: 5 },
    )
    run(() => worked)
    expect(most).toBe(6)
  })

  marbleTest('come in order, whichever is first, and are given up past the end', (m) => {
    const { options } = playing({ pages: 4 })
    const sources = [
      m.cold('--a|      ', { a: E.right(page(0, 1)) }),
      m.cold('  ----(b|)', { b: E.right(page(1, 2)) }),
      m.cold('  -c|     ', { c: E.right(page(2, undefined)) }),
      m.cold('   -------d|', { d: E.right(page(3, undefined, [])) }),
    ]
    const list = inParallel(3)({ ...options, fetch: (position) => sources[position] ?? EMPTY })
    m.expectObservable(list.pages.pipe(map(shown))).toBe('--0---(12|)', {
      0: 0,
      1: 1,
      2: 2,
    })
    m.expectSubscriptions(sources[0]?.subscriptions ?? []).toBe('^--!')
    m.expectSubscriptions(sources[1]?.subscriptions ?? []).toBe('--^---!')
    m.expectSubscriptions(sources[2]?.subscriptions ?? []).toBe('--^-!')
    m.expectSubscriptions(sources[3]?.subscriptions ?? []).toBe('---(^!)')
  })

  it('are all given up when the list is left', () => {
    const { list, log } = playing({ pages: 100 })
    run(() => list(4).pipe(take(3)))
    expect(log.asked).toEqual(['0 0', '10 1', '10 2', '10 3', '20 4', '20 5'])
    expect(log.aborted).toEqual([3, 4, 5])
  })

  it('are as many as may wait, however slow the work is, in each view that can wait', async () => {
    const { list, log } = playing({ pages: 40 })
    const working = () => list(4).drain((page) => timer(1_000).pipe(map(() => shown(page))))
    expect(run(working)).toEqual(upTo(40))
    // one at work and three that wait; then one is asked for as one is done with
    const at = (ms: number) => log.asked.filter((line) => Number(line.split(' ')[0]) <= ms).length
    expect([at(500), at(1_500), at(10_500)]).toEqual([4, 5, 14])
  })

  it('are read by a loop as well, which gives up the rest when it is left', async () => {
    const { options } = playing({ pages: 30 })
    const { fetch, ...rest } = options
    const asked: Array<number> = []
    const list = inParallel(5)({
      ...rest,
      fetch: (position) => {
        asked.push(position)
        return later(of(E.right(page(position, position < 29 ? position + 1 : undefined))))
      },
    })
    const seen: Array<string | number> = []
    for await (const item of list) seen.push(E.isRight(item) ? item.right : item.left)
    expect(seen).toEqual(upTo(30))
    asked.length = 0
    for await (const item of list.pages) if (shown(item) === 2) break
    expect(asked.length).toBeLessThanOrEqual(3 + 4)
  })
})

describe('the guards of a list in parallel', () => {
  it('deliver all pages before the one that failed', () => {
    const { list, log } = playing({
      pages: 20,
      ms: (position) => (position === 5 ? 1 : 20),
      answer: (position) =>
        position === 5 ? E.left('broken') : E.right(page(position, position + 1)),
    })
    expect(run(() => list(4).pages.pipe(map(shown)))).toEqual([0, 1, 2, 3, 4, 'Failed 5'])
    // what is on its way past it is given up when it fails, and nothing more is asked for
    expect(log.asked.filter((line) => Number(line.split(' ')[1]) > 7)).toEqual([])
  })

  it('take no offence at what fails past the end', () => {
    const { list } = playing({
      pages: 3,
      ms: (position) => (position > 2 ? 1 : 20),
      answer: (position) =>
        position > 2
          ? E.left('no such page')
          : E.right(page(position, position < 2 ? position + 1 : undefined)),
    })
    expect(run(() => list(9).pages.pipe(map(shown)))).toEqual([0, 1, 2])
  })

  it('count pages, and ask for none that may not be', () => {
    const { list, positions } = playing({ pages: 50, maxPages: 4 })
    expect(run(() => list(9).pages.pipe(map(shown)))).toEqual([0, 1, 2, 3, 'TooLong 4'])
    expect(positions()).toEqual([0, 1, 2, 3])
  })

  it('end a run of empty pages', () => {
    const empty = (position: number) => E.right(page(position, position + 1, []))
    const { list } = playing({ pages: 50, answer: empty })
    expect(run(() => list(3).pages.pipe(map(shown)))).toEqual([0, 1, 2, 3, 'OnlyEmpty 4'])
  })

  it('let the page that came decide where the list goes on', () => {
    const { list, positions } = playing({
      pages: 50,
      following: (position) => (position < 100 ? O.some(position + 1) : O.none),
      answer: (position) =>
        E.right(page(position, position === 2 ? 100 : position < 104 ? position + 1 : undefined)),
    })
    expect(run(() => list(3).pages.pipe(map(shown)))).toEqual([0, 1, 2, 100, 101, 102, 103, 104])
    expect(positions().filter((position) => position >= 100)).toEqual([100, 101, 102, 103, 104])
  })

  it('end with what a request throws, after all that came before it', () => {
    const { options } = playing({ pages: 9 })
    const list = inParallel(4)({
      ...options,
      fetch: (position) => (position === 3 ? throwError(() => 'a bug') : options.fetch(position)),
    })
    const caught = () =>
      list.pages.pipe(
        map(shown),
        catchError((error) => of(`${error}`)),
      )
    expect(run(caught)).toEqual([0, 1, 2, 'a bug'])
  })

  it.each([
    ['mark', { mark: (page: P) => O.some(broken(page.position)) }],
    ['key', { key: broken }],
    ['following', { following: (position: number) => O.some(Number(broken(position)) + 1) }],
  ])('end with what `%s` throws, in order or not, and nothing goes uncaught', (_, own) => {
    for (const ordered of [true, false]) {
      const { options } = playing({ pages: 9 })
      const list = inParallel(4, { ordered })({ ...options, ...own })
      const caught = () =>
        list.pages.pipe(
          map(shown),
          catchError((error) => of(`${error}`)),
        )
      expect(run(caught).at(-1)).toBe('a bug at 4')
    }
  })
})

/** A function of the caller's that has a bug. */
const broken = (position: number): string => {
  if (position === 4) throw `a bug at ${position}`
  return String(position)
}
