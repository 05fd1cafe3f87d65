/** Lists of a client, several pages at a time, in virtual time. */
import { from, map } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import type { Failure } from '../../src/index.js'
import { CHARGE, LIST, lab, type Play, problem } from '../support/lab.js'

/** Charges from 0, 10 per page, `ms` a page. */
const charges =
  (total: number, ms: number): Play =>
  ({ query }) => {
    const first = Number(query.get('page_num')) * 10
    const items = Array.from({ length: Math.max(0, Math.min(10, total - first)) }, (_, i) => ({
      ...CHARGE,
      id: `chg_${first + i}`,
    }))
    return { ms, body: { has_more: first + 10 < total, items } }
  }

const short = map(
  E.match(
    (failure: Failure) => failure._tag,
    ({ id }: { readonly id: string }) => id,
  ),
)

const ids = (total: number) => Array.from({ length: total }, (_, n) => `chg_${n}`)

describe('a list in parallel', () => {
  it('is the same list, and takes as long as the limits say', () => {
    const parallel = lab({ play: charges(2_000, 200), guard: 0 })
    const rows = parallel.run(
      parallel.client.charges.list({ page_size: 10 }).parallel(10).pipe(short),
    )
    expect(rows.map(({ value }) => value)).toEqual(ids(2_000))
    const sequential = lab({ play: charges(2_000, 200), guard: 0 })
    const slow = sequential.run(sequential.client.charges.list({ page_size: 10 }).pipe(short))
    expect(slow).toHaveLength(2_000)
    // 200 pages: 20 per second in parallel, 5 per second one after the other
    expect(slow.at(-1)?.at).toBe(40_010)
    expect(rows.at(-1)?.at).toBeLessThan(11_000)
    expect(parallel.calls().length).toBeLessThan(200 + 10)
    expect(sequential.calls()).toHaveLength(200)
  })

  it.each([true, false])('goes on after any page, with no row missing (ordered: %s)', (ordered) => {
    const { client, run } = lab({
      play: (departure, nth) =>
        charges(60, departure.query.get('page_num') === '1' ? 100 : 10)(departure, nth),
    })
    const list = client.charges.list({ page_size: 10 }).parallel(4, { ordered })
    const pages = run(list.pages).flatMap(({ value }) => (E.isRight(value) ? [value.right] : []))
    if (!ordered) expect(pages[1]?.position).not.toEqual({ page_num: 1 })
    for (const [i, { next }] of pages.entries()) {
      const before = run(from(pages.slice(0, i + 1).flatMap(({ items }) => items)).pipe(short))
      const rest = O.isSome(next) ? run(list.from(next.value).pipe(short)) : []
      const all = [...before, ...rest].map(({ value }) => value)
      expect(new Set(all)).toEqual(new Set(ids(60)))
      if (ordered) expect(all).toHaveLength(60)
    }
  })

  it('delivers what stands before a page that cannot be read', () => {
    const { client, run } = lab({
      play: (departure, nth) =>
        departure.query.get('page_num') === '3'
          ? problem(403, 'forbidden')
          : charges(200, 50)(departure, nth),
    })
    const out = run(client.charges.list().parallel(4)).map(({ value }) => value)
    expect(out).toHaveLength(31)
    expect(out.at(-1)).toMatchObject(
      E.left({ _tag: 'Truncated', endpoint: LIST, position: { page_num: 3 }, pages: 3 }),
    )
  })

  it('follows bookmarks one by one, from where one comes', () => {
    const { client, calls, run } = lab({
      play: ({ query }, nth) => ({
        body:
          Number(query.get('page_num')) < 2 && !query.has('page')
            ? { has_more: true, items: [CHARGE] }
            : { items: [CHARGE], page_after: nth < 7 ? `mark-${nth}` : null },
      }),
    })
    const out = run(client.charges.list().parallel(3).pages)
    const positions = out.map(({ value }) => (E.isRight(value) ? value.right.position : value.left))
    const [, , , ...marks] = positions
    expect(positions.slice(0, 3)).toEqual([{ page_num: 0 }, { page_num: 1 }, { page_num: 2 }])
    expect(marks.length).toBeGreaterThan(1)
    expect(calls().flatMap(({ query }) => query.get('page') ?? [])).toEqual(
      marks.map((position) => ('page' in position ? position.page : '')),
    )
  })
})

describe('a page that was read before', () => {
  const two = [
    { ...CHARGE, id: 'chg_1' },
    { ...CHARGE, id: 'chg_2' },
  ]
  const repeating: Play = ({ query }) => ({
    ms: 20,
    body: { has_more: true, items: Number(query.get('page_num')) < 1 ? [CHARGE] : two },
  })

  it.each([1, 5])('under another number ends the list, %i at a time', (pages) => {
    const { client, calls, run } = lab({ play: repeating })
    const out = run(client.charges.list().parallel(pages)).map(({ value }) => value)
    expect(out).toHaveLength(4)
    expect(out.at(-1)).toMatchObject(
      E.left({
        _tag: 'Truncated',
        position: { page_num: 2 },
        pages: 2,
        message: expect.stringContaining('this page has already been read'),
      }),
    )
    expect(calls().length).toBeLessThan(3 + pages)
  })

  it.each([1, 5])('ends a list that begins again under further numbers, %i at a time', (pages) => {
    const turning: Play = ({ query }) => {
      const num = Number(query.get('page_num')) % 3
      const items = Array.from({ length: 4 }, (_, i) => ({ ...CHARGE, id: `chg_${num * 4 + i}` }))
      return { ms: 20, body: { has_more: true, items } }
    }
    const { client, run } = lab({ play: turning })
    const out = run(client.charges.list().parallel(pages)).map(({ value }) => value)
    expect(out).toHaveLength(13)
    expect(out.at(-1)).toMatchObject(E.left({ _tag: 'Truncated', position: { page_num: 3 } }))
  })

  it('ends nothing where rows have no ids', () => {
    const bare = lab({
      play: ({ query }) => ({
        body: { has_more: query.get('page_num') !== '3', items: [{ a: 1 }, { a: 2 }] },
      }),
    })
    expect(bare.run(bare.client.charges.list().pages)).toHaveLength(4)
  })
})
