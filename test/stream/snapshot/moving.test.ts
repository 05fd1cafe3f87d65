/** A list that moves while it is read: a snapshot has every row that stayed, once; a plain list has not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../../src/fp.js'
import { initialPosition, type SnapshotPosition } from '../../../src/stream/index.js'
import { runs } from '../../support/runs.js'
import { idsOf, type Moving, scene } from './movingList.js'

const moving: fc.Arbitrary<Moving> = fc.record({
  seed: fc.nat(),
  rows: fc.nat(200),
  seconds: fc.constantFrom(3, 20, 300, 100_000),
  precise: fc.boolean(),
  order: fc.constantFrom('ascending', 'descending'),
  wholeSeconds: fc.boolean(),
  pageSize: fc.integer({ min: 2, max: 20 }),
  leaving: fc.constantFrom(0, 0.05, 0.3),
  coming: fc.constantFrom(0, 0.3),
  shuffling: fc.constantFrom(0, 0.1),
  width: fc.integer({ min: 1, max: 6 }),
  from: fc.option(fc.nat(10), { nil: undefined }),
})

const often = { numRuns: runs(100) }

/** Every row that was there all the time, none twice, and none from outside. */
const expectWhole = (ids: ReadonlyArray<string>, { list, inRange }: ReturnType<typeof scene>) => {
  const stayed = new Set(list.stayed())
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining(inRange.filter((id) => stayed.has(id))))
  expect(inRange).toEqual(expect.arrayContaining([...ids]))
}

/**
 * Leaves out a run that gave up, and said so: a crowded second that moved in each of 30 readings. Once in some thousands
 * of the most restless lists.
 */
const expectRested = (read: ReadonlyArray<E.Either<string, unknown>>): void => {
  const last = read.at(-1)
  fc.pre(last === undefined || E.isRight(last) || last.left !== 'Moved')
}

describe('a snapshot of a list that moves', () => {
  it('has every row that stayed, none twice, and none from outside', () => {
    fc.assert(
      fc.property(moving, (drawn) => {
        const played = scene(drawn)
        const rows = played.run(played.read(initialPosition(played.range)))
        expectRested(rows)
        expectWhole(idsOf(rows), played)
      }),
      often,
    )
  })

  it('has every row that stayed, none twice, from a service with bounds and times of its own', () => {
    const strange = fc.record({
      isExclusive: fc.boolean(),
      shows: fc.constantFrom(Math.floor, Math.round, Math.ceil),
    })
    fc.assert(
      fc.property(moving, strange, (drawn, { isExclusive, shows }) => {
        const played = scene({
          ...drawn,
          from: undefined,
          wholeSeconds: false,
          isExclusive,
          shows: (at) => shows(at / 1_000) * 1_000,
        })
        const rows = played.run(played.read(initialPosition(played.range)))
        expectRested(rows)
        const last = rows.at(-1)
        if (last !== undefined && E.isLeft(last)) expect(last.left).toBe('RowsMissing')
        else expectWhole(idsOf(rows), played)
      }),
      {
        ...often,
        // a row at the very end of a crowded second, which no answer had shown
        examples: [
          [
            {
              ...{ seed: 1781520107, rows: 175, seconds: 20, precise: true, order: 'ascending' },
              ...{ wholeSeconds: false, pageSize: 17, leaving: 0, coming: 0, shuffling: 0 },
              ...{ width: 3, from: undefined },
            },
            { isExclusive: true, shows: Math.floor },
          ],
        ],
      },
    )
  })

  it('is continued from where any of its pages left it, without a row lost or doubled', () => {
    fc.assert(
      fc.property(moving, fc.integer({ min: 1, max: 4 }), (drawn, stretch) => {
        const played = scene(drawn)
        const ids: Array<string> = []
        let next: O.Option<SnapshotPosition> = O.some(initialPosition(played.range))
        while (O.isSome(next)) {
          const position: SnapshotPosition = JSON.parse(JSON.stringify(next.value))
          next = O.none
          const pages = played.run(played.read(position).pages)
          expectRested(pages)
          for (const page of pages.slice(0, stretch)) {
            if (E.isLeft(page)) throw new Error(page.left)
            ids.push(...idsOf(page.right.items))
            next = page.right.next
          }
        }
        expectWhole(ids, played)
      }),
      { numRuns: runs(20) },
    )
  })

  it('tells of each slice what it has: together, the whole', () => {
    fc.assert(
      fc.property(moving, (drawn) => {
        const played = scene(drawn)
        const ended = new Map<number, number>()
        let rows = 0
        let left = Math.max(0, played.range.to - played.range.from)
        const pages = played.run(played.read(initialPosition(played.range)).pages)
        expectRested(pages)
        for (const page of pages) {
          if (E.isLeft(page)) throw new Error(page.left)
          const { slice, items, next } = page.right
          rows += items.length
          expect(ended.has(slice.number)).toBe(false)
          if (slice.left.from >= slice.left.to) ended.set(slice.number, slice.rows)
          const still = O.isNone(next) ? [] : next.value.slices
          left = still.reduce((sum, { left }) => sum + left.to - left.from, 0)
        }
        expect(left).toBe(0)
        expect([...ended.values()].reduce((sum, n) => sum + n, 0)).toBe(rows)
      }),
      often,
    )
  })
})

describe('a plain list of the same rows', () => {
  it('loses rows when others leave, and has rows twice when rows of one moment change places', () => {
    const drawn = { rows: 200, seconds: 20, precise: false, order: 'ascending', width: 1 } as const
    const common = { ...drawn, wholeSeconds: true, pageSize: 10, coming: 0, from: undefined }
    const lost: Array<string> = []
    const twice: Array<string> = []
    for (let seed = 0; seed < runs(20); seed++) {
      const leaving = scene({ ...common, seed, leaving: 0.3, shuffling: 0 })
      const ids = new Set(idsOf(leaving.run(leaving.list.list())))
      lost.push(...leaving.list.stayed().filter((id) => !ids.has(id)))
      const shuffled = scene({ ...common, seed, leaving: 0, shuffling: 0.3 })
      const all = idsOf(shuffled.run(shuffled.list.list()))
      twice.push(...all.filter((id, i) => all.indexOf(id) !== i))
    }
    expect(lost.length).toBeGreaterThan(0)
    expect(twice.length).toBeGreaterThan(0)
  })
})
