import fc from 'fast-check'
import { EMPTY, map, type Observable, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import {
  type Cut,
  InvalidOption,
  type Page,
  type PaginateOptions,
  paginate,
} from '../../src/stream/index.js'
import { forAll } from '../support/forAll.js'
import { marbleTest } from '../support/marbles.js'

type NumberedPage = Page<string, string, number>

const page = (
  position: number,
  next: number | undefined,
  items = [`i${position}`],
): NumberedPage => ({
  items: items.map((item) => E.right(item)),
  raw: items,
  position,
  next: O.fromNullable(next),
})

/** Pages of a list by their position, and what was cut where. */
const reading = (
  fetch: (position: number) => Observable<E.Either<string, NumberedPage>>,
  options: Partial<PaginateOptions<string, string, number>> = {},
) => {
  const asked: Array<number> = []
  const cuts: Array<readonly [Cut<string, number>, number, number]> = []
  const list = paginate<string, string, number>({
    first: 0,
    fetch: (position) => {
      asked.push(position)
      return fetch(position)
    },
    key: String,
    cut: (cut, position, pages) => {
      cuts.push([cut, position, pages])
      return cut._tag
    },
    maxPages: 100,
    maxEmptyPages: 2,
    ...options,
  })
  return { asked, cuts, pages: list.pages }
}

/** Returns the output, synchronously: positions, and the reasons of a cut. */
const all = (source: Observable<E.Either<string, NumberedPage>>) => {
  const seen: Array<number | string> = []
  let completed = false
  source.pipe(map(E.matchW(String, ({ position }) => position))).subscribe({
    next: (position) => seen.push(position),
    complete: () => {
      completed = true
    },
  })
  return [...seen, ...(completed ? ['|'] : [])]
}

describe('paginate', () => {
  it('asks for nothing until it is subscribed', () => {
    const { asked, pages } = reading((position) => of(E.right(page(position, undefined))))
    expect(asked).toEqual([])
    pages.subscribe()
    expect(asked).toEqual([0])
  })

  it('goes from position to position, and ends where there is no next one', () => {
    forAll(fc.uniqueArray(fc.integer({ min: 1 }), { maxLength: 30 }), (positions) => {
      const order = [0, ...positions]
      const { asked, pages } = reading((position) =>
        of(E.right(page(position, order[order.indexOf(position) + 1]))),
      )
      expect(all(pages)).toEqual([...order, '|'])
      expect(asked).toEqual(order)
    })
  })

  marbleTest('is cold: each page is asked for once, when the one before is through', (m) => {
    const first = m.cold('  --a|     ', { a: E.right(page(0, 1)) })
    const second = m.cold('    -b|   ', { b: E.right(page(1, undefined)) })
    const { pages } = reading((position) => (position === 0 ? first : second))
    m.expectObservable(pages.pipe(map(E.isRight))).toBe('--a-b|', { a: true, b: true })
    m.expectSubscriptions(first.subscriptions).toBe('^--!')
    m.expectSubscriptions(second.subscriptions).toBe('---^-!')
  })

  it('ends with a `Left` when a page fails, and tells how far it came', () => {
    const { cuts, asked, pages } = reading((position) =>
      of(position < 2 ? E.right(page(position, position + 1)) : E.left('broken')),
    )
    expect(all(pages)).toEqual([0, 1, 'Failed', '|'])
    expect(cuts).toEqual([[{ _tag: 'Failed', failure: 'broken' }, 2, 2]])
    expect(asked).toEqual([0, 1, 2])
  })

  it('ends with a `Left` when a position comes back', () => {
    const { cuts, asked, pages } = reading((position) =>
      of(E.right(page(position, position === 3 ? 1 : position + 1))),
    )
    expect(all(pages)).toEqual([0, 1, 2, 3, 'Repeated', '|'])
    expect(cuts).toEqual([[{ _tag: 'Repeated', next: 1 }, 1, 4]])
    expect(asked).toEqual([0, 1, 2, 3])
  })

  it('ends with a `Left` when a page has the rows of one before it, be it the last', () => {
    const played = (last: number, after: number | undefined) => {
      const { cuts, pages } = reading(
        (position) => {
          const next = position < last ? position + 1 : after
          return of(E.right(page(position, next, [`i${position % 3}`, 'x'])))
        },
        { mark: ({ position, raw }) => (position > 1 ? O.some(String(raw.length)) : O.none) },
      )
      return { out: all(pages), cuts }
    }
    for (const after of [4, undefined]) {
      expect(played(3, after)).toEqual({
        cuts: [[{ _tag: 'SameRows' }, 3, 3]],
        out: [0, 1, 2, 'SameRows', '|'],
      })
    }
    expect(played(2, undefined)).toEqual({ cuts: [], out: [0, 1, 2, '|'] })
  })

  it('goes on over empty pages, but not without end', () => {
    const empty = (position: number) => of(E.right(page(position, position + 1, [])))
    const { cuts, asked, pages } = reading(empty, { maxEmptyPages: 3 })
    expect(all(pages)).toEqual([0, 1, 2, 3, 'OnlyEmpty', '|'])
    expect(cuts).toEqual([[{ _tag: 'OnlyEmpty', pages: 4 }, 4, 4]])
    expect(asked).toHaveLength(4)
  })

  it('counts only empty pages in a row', () => {
    const { pages } = reading(
      (position) =>
        of(
          E.right(
            page(position, position < 8 ? position + 1 : undefined, position % 3 ? [] : ['a']),
          ),
        ),
      { maxEmptyPages: 2 },
    )
    expect(all(pages)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, '|'])
  })

  it('lets the last page be empty, however many were empty before', () => {
    const { pages } = reading(
      (position) => of(E.right(page(position, position < 3 ? position + 1 : undefined, []))),
      {
        maxEmptyPages: 3,
      },
    )
    expect(all(pages)).toEqual([0, 1, 2, 3, '|'])
  })

  it('ends with a `Left` after so many pages, but lets a list of just so many end', () => {
    const upTo = (last: number) => (position: number) =>
      of(E.right(page(position, position < last ? position + 1 : undefined)))
    expect(all(reading(upTo(2), { maxPages: 3 }).pages)).toEqual([0, 1, 2, '|'])
    const { cuts, asked, pages } = reading(upTo(3), { maxPages: 3 })
    expect(all(pages)).toEqual([0, 1, 2, 'TooLong', '|'])
    expect(cuts).toEqual([[{ _tag: 'TooLong', pages: 3 }, 3, 3]])
    expect(asked).toEqual([0, 1, 2])
  })

  it.each([
    [{ maxPages: Number.NaN }, /^maxPages should be a whole number of at least 1, or Infinity/],
    [{ maxPages: 0 }, /^maxPages should be a whole number of at least 1, or Infinity/],
    [JSON.parse('{"maxPages":"9"}'), /^maxPages should be .+, but is a string$/],
    [{ maxEmptyPages: -1 }, /^maxEmptyPages should be a whole number of at least 0, or Infinity/],
    [{ maxEmptyPages: Number.NaN }, /^maxEmptyPages should be .+, but is NaN$/],
  ])('takes no %o, with which no run of pages would end', (bounds, message) => {
    const start = () => reading(() => EMPTY, bounds)
    expect(start).toThrow(InvalidOption)
    expect(start).toThrow(message)
  })

  it('is no end when a page is asked for and nothing comes', () => {
    const { pages } = reading((position) => (position === 0 ? of(E.right(page(0, 1))) : EMPTY))
    let bug: unknown
    pages.subscribe({
      error: (error: unknown) => {
        bug = error
      },
    })
    expect(String(bug)).toContain('fetch should emit a page, but emitted nothing')
  })
})
