/** Pages in parallel that need not wait for one another. */
import fc from 'fast-check'
import { catchError, finalize, map, of, take, throwError, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import { rights } from '../../src/stream/either/ObservableEither.js'
import { marbleTest } from '../support/marbles.js'
import { later, upTo } from '../support/numbers.js'
import { inParallel, type P, page, playing, run, shown } from './playing.js'

const UNORDERED = { ordered: false } as const

describe('pages as they come', () => {
  marbleTest('wait for no late one, but all for the end', (m) => {
    const { options } = playing({ pages: 4 })
    const sources = [
      m.cold('--(a|)           ', { a: E.right(page(0, 1)) }),
      m.cold('  --(b|)         ', { b: E.right(page(1, 2)) }),
      m.cold('  --------(c|)   ', { c: E.right(page(2, 3)) }),
      m.cold('  -(d|)          ', { d: E.right(page(3, 4)) }),
      m.cold('    --(e|)       ', { e: E.right(page(4, undefined)) }),
    ]
    const list = inParallel(
      3,
      UNORDERED,
    )({
      ...options,
      fetch: (position) => sources[position] ?? throwError(() => 'past the end'),
    })
    const expected = '  --031-----(24|)'
    m.expectObservable(list.pages.pipe(map(shown), map(String))).toBe(expected)
    m.expectSubscriptions(sources[2]?.subscriptions ?? []).toBe('--^-------!')
    m.expectSubscriptions(sources[3]?.subscriptions ?? []).toBe('--^!')
  })

  it.each([true, false])(
    'come each once, few past the end, and never too many, whatever comes when (ordered: %s)',
    (ordered) => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 40 }),
          fc.integer({ min: 1, max: 12 }),
          fc.integer({ min: 0, max: 4 }),
          fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
          fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
          (pages, count, prefetch, latencies, works) => {
            const of = (all: ReadonlyArray<number>, position: number) =>
              all[position % all.length] ?? 0
            let consumed = 0
            let most = 0
            const { list, positions, log } = playing({
              pages,
              ms: (position) => {
                most = Math.max(most, positions().length - consumed)
                return of(latencies, position)
              },
            })
            const out = run(() =>
              list(count, { ordered }).drain(
                (page) =>
                  timer(of(works, Number(shown(page)))).pipe(
                    map(() => shown(page)),
                    finalize(() => {
                      consumed++
                    }),
                  ),
                { prefetch },
              ),
            )
            const came = ordered ? out : [...out].sort((a, b) => Number(a) - Number(b))
            expect(came).toEqual(upTo(pages))
            expect(ordered ? log.aborted.filter((position) => position < pages) : []).toEqual([])
            const width = Math.max(count, prefetch + 1)
            expect(new Set(positions()).size).toBe(positions().length)
            expect(positions().length - pages).toBeLessThanOrEqual(
              Math.min(width - 1, 2 * (pages - 1)),
            )
            expect(most).toBeLessThanOrEqual(width)
          },
        ),
      )
    },
  )

  it('go on, from `next` of any of them, at the first that has not come', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
        (pages, count, latencies) => {
          const { list } = playing({
            pages,
            ms: (position) => latencies[position % latencies.length] ?? 0,
          })
          const came = run(() => list(count, UNORDERED).pages.pipe(rights))
          expect(came).toHaveLength(pages)
          for (const [i, { next }] of came.entries()) {
            const before = came.slice(0, i + 1).map(({ position }) => position)
            const missing = upTo(pages).find((n) => !before.includes(n)) ?? pages
            expect(O.getOrElse(() => pages)(next)).toBeLessThanOrEqual(missing)
          }
        },
      ),
    )
  })

  it('come before a failure that stands after them, which is the last word', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
        (count, bad, latencies) => {
          const { list } = playing({
            pages: 20,
            ms: (position) => latencies[position % latencies.length] ?? 0,
            answer: (position) =>
              position === bad ? E.left('broken') : E.right(page(position, position + 1)),
          })
          const out = run(() => list(count, UNORDERED).pages.pipe(map(shown)))
          expect(out.at(-1)).toBe(`Failed ${bad}`)
          expect(out).toEqual(expect.arrayContaining(upTo(bad)))
          expect(new Set(out).size).toBe(out.length)
        },
      ),
    )
  })

  it('are not given after a failure that they came before', () => {
    const { list } = playing({
      pages: 9,
      answer: (position) =>
        position === 1 ? E.left('broken') : E.right(page(position, position + 1)),
    })
    const worked = list(4, UNORDERED).drain((one) => timer(50).pipe(map(() => shown(one))))
    expect(run(() => worked)).toEqual([0, 'Failed 1'])
  })

  it.each([
    ['empty', [], [0, 3, 1, 2, 4]],
    ['like one before', [0], [0, 3, 1, 'SameRows 2']],
  ] as const)('wait for their turn where one is %s', (_, rows, expected) => {
    const { options } = playing({ pages: 9, ms: (position) => (position === 1 ? 50 : 10) })
    const list = inParallel(
      3,
      UNORDERED,
    )({
      ...options,
      fetch: (position) =>
        options
          .fetch(position)
          .pipe(
            map(() =>
              E.right(
                position === 2
                  ? page(2, 3, [...rows])
                  : page(position, position < 4 ? position + 1 : undefined),
              ),
            ),
          ),
      mark: ({ raw }) => (raw.length === 0 ? O.none : O.some(String(raw[0]))),
    })
    expect(run(() => list.pages.pipe(map(shown)))).toEqual(expected)
  })

  it('end with what a request throws, also when it does while one is worked on', () => {
    const { options } = playing({ pages: 9 })
    const list = inParallel(
      4,
      UNORDERED,
    )({
      ...options,
      fetch: (position) =>
        position === 1
          ? timer(70).pipe(map((): E.Either<string, P> => JSON.parse('no JSON')))
          : options.fetch(position),
    })
    const caught = () =>
      list
        .drain((page) => timer(35).pipe(map(() => shown(page))))
        .pipe(catchError((error: unknown) => of(error instanceof SyntaxError)))
    expect(run(caught)).toEqual([0, 2, true])
  })

  it('are given up when the list is left', () => {
    const { list, log } = playing({ pages: 50, ms: (position) => (position === 1 ? 500 : 10) })
    expect(run(() => list(4, UNORDERED).pages.pipe(map(shown), take(3)))).toEqual([0, 2, 3])
    expect(log.aborted).toContain(1)
  })

  it('repeat none that came before, and say so', () => {
    const { options } = playing({ pages: 9 })
    const list = inParallel(
      4,
      UNORDERED,
    )({
      ...options,
      fetch: (position) => of(E.right(page(position, position + 1, [Math.min(position, 2)]))),
      mark: ({ raw }) => O.some(String(raw[0])),
    })
    expect(run(() => list.pages.pipe(map(shown)))).toEqual([0, 1, 2, 'SameRows 3'])
  })

  it('are read by a loop, and 10,000 of them that come at once, flat', async () => {
    const { options } = playing({ pages: 9, maxPages: 20_000 })
    const listOf = (pages: number, slow: boolean) =>
      inParallel(
        5,
        UNORDERED,
      )({
        ...options,
        fetch: (position) => {
          const next = position + 1 < pages ? position + 1 : undefined
          return slow ? later(of(E.right(page(position, next)))) : of(E.right(page(position, next)))
        },
      })
    const seen = new Set<number>()
    for await (const item of listOf(30, true)) if (E.isRight(item)) seen.add(item.right)
    expect(seen.size).toBe(30)
    let count = 0
    listOf(10_000, false).subscribe(() => {
      count++
    })
    expect(count).toBe(10_000)
  })
})
