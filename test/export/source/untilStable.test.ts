/** `untilStable`: small lists by page number, whose pages move when a row is deleted. */
import { defer, of } from 'rxjs'
import { expect, it } from 'vitest'
import { E, O } from '../../../src/fp.js'
import type { AnyFailure, Position } from '../../../src/index.js'
import { paginate } from '../../../src/stream/index.js'
import { memory } from '../transfer/memory.js'
import { away, type Item, item, numbers, OUT, outcome, sourceOf } from '../transfer/playing.js'

const SIZE = 2

/** A list by number, of which `change` deletes and adds before each answer. */
const moving = (count: number, change: (rows: Array<Item>, nth: number) => unknown) => {
  const rows = Array.from({ length: count }, (_, n) => item(n))
  const asked: Array<number> = []
  const fetch = (position: Position) =>
    defer(() => {
      const n = 'page_num' in position ? position.page_num : 0
      asked.push(n)
      if (change(rows, asked.length) === away) return of(E.left(away))
      const raw = rows.slice(n * SIZE, (n + 1) * SIZE)
      const next = (n + 1) * SIZE < rows.length ? O.some({ page_num: n + 1 }) : O.none
      return of(E.right({ items: raw.map((row) => E.right(row)), raw, position, next }))
    })
  const from = (first: Position) =>
    paginate<AnyFailure, Item, Position>({
      ...{ first, fetch, key: JSON.stringify, maxPages: 9, maxEmptyPages: 3 },
      cut: (cut) => (cut._tag === 'Failed' ? cut.failure : away),
    })
  return { asked, source: sourceOf({ ...from({ page_num: 0 }), from }) }
}

/** The result, and all that was written. */
const exported = async ({ source }: ReturnType<typeof moving>, files = memory()) => {
  const resume = files.names().length > 0
  const last = await outcome(files, source, { untilStable: true, resume })
  const path = last?.ended === true ? OUT : undefined
  return { last, files, written: path === undefined ? [] : numbers(files.text(path)) }
}

it('a row that moved into a page that was read is there', async () => {
  const list = moving(6, (rows, nth) => nth === 2 && rows.shift())
  const { last, written } = await exported(list)
  expect(written).toEqual([1, 2, 3, 4, 5])
  expect(last).toMatchObject({ ended: true, rows: 5, pages: 3 })
  expect(list.asked).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2])
})

it('a list at rest is read twice, one of a page once', async () => {
  const resting = moving(4, () => {})
  expect((await exported(resting)).last).toMatchObject({ ended: true, rows: 4 })
  expect(resting.asked).toEqual([0, 1, 0, 1])
  const small = moving(2, () => {})
  expect((await exported(small)).last).toMatchObject({ ended: true, rows: 2 })
  expect(small.asked).toEqual([0])
})

it('a list at rest is one with the same rows, in whatever order', async () => {
  const list = moving(4, (rows, nth) => nth === 3 && rows.reverse())
  expect((await exported(list)).last).toMatchObject({ ended: true, rows: 4 })
  expect(list.asked).toEqual([0, 1, 0, 1])
})

it('is read from its beginning, wherever it stood', async () => {
  const { files } = await exported(moving(4, (_, nth) => (nth === 4 ? away : undefined)))
  const again = moving(4, () => {})
  expect((await exported(again, files)).written).toEqual([0, 1, 2, 3])
  expect(again.asked).toEqual([0, 1, 0, 1])
})

it('fails after the rows before, where a page cannot be read', async () => {
  const { last } = await exported(moving(4, (_, nth) => (nth === 4 ? away : undefined)))
  expect(last).toMatchObject({ ended: false, rows: 2, failure: away })
})

it('that never rests is not complete, and what is kept says that there is more', async () => {
  const list = moving(6, (rows, nth) => rows.splice(0, 1, item(100 + nth)))
  const { last, files } = await exported(list)
  expect(list.asked).toEqual(Array(5).fill([0, 1, 2]).flat())
  expect(last).toMatchObject({
    ended: false,
    failure: {
      guard: 'Moved',
      message: 'GET /api/v1/items: incomplete: the rows were different in each of 5 readings',
    },
  })
  expect(last?.run?.complete).toBe(false)
  const resting = moving(2, () => {})
  expect((await exported(resting, files)).last).toMatchObject({ ended: true })
})
