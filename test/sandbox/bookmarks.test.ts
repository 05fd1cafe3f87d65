import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BatchTransfer } from '../../src/codec/BatchTransfer.js'
import { E } from '../../src/fp.js'
import type { CollectionItem } from '../../src/sandbox/Collection.js'
import { type BookmarkedPage, bookmarkedPage, walkArray } from '../../src/sandbox/handlers/pages.js'
import { forAll } from '../support/forAll.js'
import { BATCHES, newItem, openedBatch } from './batchSupport.js'
import { everyBookmarked, items, open } from './support.js'

const row = (n: number): CollectionItem => ({ n, request_id: `r${n}` })

const numbers = fc
  .uniqueArray(fc.nat(60), { maxLength: 40 })
  .map((all) => all.toSorted((a, b) => a - b))

const read = (
  rows: ReadonlyArray<number>,
  size: number,
  newestFirst: boolean,
  page?: string,
  list = 'a',
): BookmarkedPage<CollectionItem> => {
  const bookmarks = { list, seed: 1, newestFirst, page_size: size, page }
  const found = bookmarkedPage(bookmarks, walkArray(rows.map(row)))
  if (E.isLeft(found)) throw new Error(found.left.message)
  return found.right
}

describe('bookmarks', () => {
  it('lead through a list forwards, and the same way back', () => {
    forAll(numbers, fc.integer({ min: 1, max: 12 }), fc.boolean(), (rows, size, newest) => {
      const expected = newest ? rows.toReversed() : rows
      const there: Array<BookmarkedPage<CollectionItem>> = [read(rows, size, newest)]
      for (let next = there[0]?.page_after ?? null; next !== null; ) {
        const page = read(rows, size, newest, next)
        there.push(page)
        next = page.page_after
      }
      expect(there.flatMap((page) => page.items.map(({ n }) => n))).toEqual(expected)
      expect(there[0]?.page_before).toBeNull()
      const back: Array<BookmarkedPage<CollectionItem>> = []
      for (let next = there.at(-1)?.page_before ?? null; next !== null; ) {
        const page = read(rows, size, newest, next)
        back.unshift(page)
        next = page.page_before
      }
      expect(back).toEqual(there.slice(0, -1))
    })
  })

  it('skip nothing and repeat nothing while rows come and go elsewhere', () => {
    const change = fc.tuple(fc.boolean(), fc.nat(60))
    fc.assert(
      fc.property(
        numbers,
        fc.array(change, { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        (rows, changes, size, newest) => {
          const now = new Set(rows)
          const always = new Set(rows)
          const seen: Array<number> = []
          let next: string | null | undefined
          for (let n = 0; next !== null; n++) {
            const page = read(
              [...now].toSorted((a, b) => a - b),
              size,
              newest,
              next,
            )
            seen.push(...page.items.map((one) => one.n))
            next = page.page_after
            const [comes, which] = changes[n] ?? [true, -1]
            if (which < 0) continue
            if (comes) now.add(which)
            else {
              now.delete(which)
              always.delete(which)
            }
          }
          expect(new Set(seen).size).toBe(seen.length)
          expect(seen).toEqual(expect.arrayContaining([...always]))
          expect(seen).toEqual(seen.toSorted((a, b) => (newest ? b - a : a - b)))
        },
      ),
    )
  })

  it('lead from an empty page to both of its sides', () => {
    const { page_after } = read([1, 2, 3, 4], 2, false)
    const empty = read([1, 2], 2, false, page_after ?? '')
    expect(empty).toMatchObject({ items: [], page_after: null })
    expect(read([1, 2, 3], 2, false, empty.page_before ?? '').items).toEqual([row(1), row(2)])
  })

  it('have to be those of the list', () => {
    const bookmark = read([1, 2, 3], 1, false).page_after ?? ''
    const refused = (page: string, list = 'a') =>
      E.isLeft(
        bookmarkedPage(
          { list, seed: 1, newestFirst: false, page_size: 1, page },
          walkArray([1, 2, 3].map(row)),
        ),
      )
    const tries = ['', '0', 'abc', '=', '%', `${bookmark}A`, bookmark.slice(1)]
    for (const page of [...tries, btoa('after.1.00000000')]) expect(refused(page)).toBe(true)
    expect([refused(bookmark), refused(bookmark, 'b')]).toEqual([false, true])
    fc.assert(fc.property(fc.string({ unit: 'grapheme-ascii' }), (page) => refused(page)))
  })
})

const requestIds = (pages: Awaited<ReturnType<typeof everyBookmarked>>) =>
  pages.map((page) => items(page).map((one) => one.request_id))

describe('lists by bookmarks', () => {
  it('take batches 50 per page, in either order', async () => {
    for (const order of ['ascending', 'descending'] as const) {
      const { post, get } = await open({ order })
      const ids = Array.from({ length: 120 }, (_, n) => `b${n}`)
      for (const request_id of ids) await post(`${BATCHES}/create`, { request_id })
      const pages = await everyBookmarked(get, BATCHES)
      expect(requestIds(pages).map((page) => page.length)).toEqual([50, 50, 20])
      expect(requestIds(pages).flat()).toEqual(order === 'ascending' ? ids : ids.toReversed())
      const back = String(Object(pages[2]?.body).page_before)
      const before = await everyBookmarked(get, BATCHES, 'page_before', back)
      expect(before).toEqual([pages[1], pages[0]])
      const small = await everyBookmarked(get, `${BATCHES}?page_size=7`)
      expect(requestIds(small).flat()).toEqual(requestIds(pages).flat())
    }
  })

  it('take items 1,000 per page, and a bookmark is good for its batch', async () => {
    const { call, get, post, id } = await openedBatch()
    const ids = Array.from({ length: 230 }, (_, n) => `i${n}`)
    for (let n = 0; n < ids.length; n += 100) {
      await call('add_items', { items: ids.slice(n, n + 100).map((one) => newItem(one)) })
    }
    const path = `${BATCHES}/${id}/items`
    expect(requestIds(await everyBookmarked(get, path))).toEqual([ids])
    const pages = await everyBookmarked(get, `${path}?page_size=100`)
    expect(requestIds(pages).map((page) => page.length)).toEqual([100, 100, 30])
    expect(await get(`${path}?page_size=1001`)).toMatchObject({ status: 400 })
    const other = await post(`${BATCHES}/create`, { request_id: 'other' })
    const bookmark = Object(pages[0]?.body).page_after
    const foreign = await get(`${BATCHES}/${Object(other.body).id}/items?page=${bookmark}`)
    expect(foreign).toMatchObject({ status: 400, body: { source: 'page' } })
  })

  it('go on from batches that were there from the start to those that are made', async () => {
    const { post, get } = await open({ batches: 2_000 })
    await post(`${BATCHES}/create`, { request_id: 'new' })
    const all = (await everyBookmarked(get, BATCHES)).flatMap(items)
    expect(all.map((one) => one.request_id)).toEqual([
      ...Array.from({ length: 2_000 }, (_, n) => `batch-${n}`),
      'new',
    ])
    expect(all.filter((one) => E.isLeft(BatchTransfer.decode(one)))).toEqual([])
    expect(new Set(all.map((one) => one.status))).toEqual(
      new Set(['BOOKED', 'PARTIALLY_BOOKED', 'DRAFTING', 'FAILED']),
    )
    const again = await post(`${BATCHES}/create`, { request_id: 'batch-7' })
    expect(again).toMatchObject({ status: 400 })
  })

  it('drift when told so, and lose and repeat no batch', async () => {
    const { get, clock } = await open({ batches: 10, batchArrivals: 1_000, order: 'descending' })
    const seen: Array<unknown> = []
    for (let page: unknown; page !== null; ) {
      const query = page === undefined ? '' : `&page=${page}`
      const answered = await get(`${BATCHES}?page_size=3${query}`)
      seen.push(...items(answered).map((one) => one.request_id))
      page = Object(answered.body).page_after
      clock.pass(1_000)
    }
    expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => `batch-${9 - n}`))
    const [newest] = items(await get(BATCHES))
    expect(newest).toMatchObject({ request_id: 'batch-13', status: 'DRAFTING' })
  })

  it('have batches at the times at which they came by themselves, however late the list is read', async () => {
    const { get, clock } = await open({ batchArrivals: 2_000 })
    clock.pass(7_900)
    const all = items(await get(BATCHES))
    expect(all.map((one) => one.request_id)).toEqual(['batch-0', 'batch-1', 'batch-2'])
    expect(all[2]?.updated_at).toBe('2026-01-02T03:04:11+0000') // a draft that stays one
    for (const one of all) {
      expect(await get(`${BATCHES}/${one.id}`)).toMatchObject({ body: { id: one.id } })
    }
  })

  it('have no batch that was updated after the clock', async () => {
    const { get, clock } = await open({ batchArrivals: 2_000 })
    for (let minute = 0; minute < 3; minute++) {
      clock.pass(60_000)
      const now = new Date(clock.now()).toISOString().slice(0, 19)
      const updated = items(await get(`${BATCHES}?page_size=50`)).map((one) => one.updated_at)
      expect(updated).toHaveLength(Math.min(50, 30 * (minute + 1)))
      for (const at of updated) expect(String(at).slice(0, 19) <= now).toBe(true)
    }
  })

  it('take webhooks 20 per page', async () => {
    const { post, get } = await open()
    const ids = Array.from({ length: 45 }, (_, n) => `w${n}`)
    for (const request_id of ids) {
      const hook = { request_id, url: 'https://a.test', version: '2026-08-21', events: [] }
      await post('/api/v1/webhooks/create', hook)
    }
    const pages = await everyBookmarked(get, '/api/v1/webhooks')
    expect(requestIds(pages)).toEqual([ids.slice(0, 20), ids.slice(20, 40), ids.slice(40)])
  })
})
