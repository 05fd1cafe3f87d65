/** Lists of a client in virtual time: which pages are asked for, when, and how a list ends. */
import { map, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { Failure } from '../../src/index.js'
import { CHARGE, type LabOptions, LIST, lab, type Play, problem, RESET } from '../support/lab.js'
import { isWhole } from '../support/runs.js'

/** Charges from 0, `size` a page; has_more as the interface has it. */
const charges =
  (total: number, size = 10): Play =>
  ({ query }) => {
    const first = Number(query.get('page_num')) * size
    const items = Array.from({ length: Math.max(0, Math.min(size, total - first)) }, (_, i) => ({
      ...CHARGE,
      id: `chg_${first + i}`,
    }))
    return { body: { has_more: first + size < total, items } }
  }

const reading = (play: Play, options: LabOptions = {}) => {
  const all = lab({ play, ...options })
  return {
    ...all,
    /** Parameters of the calls. */
    asked: () => all.calls().map(({ query }) => query.get('page_num') ?? query.get('page')),
  }
}

const short = map(
  E.match(
    (failure: Failure) => failure._tag,
    ({ id }: { readonly id: string }) => id,
  ),
)

describe('a list', () => {
  it('is read page by page, from page_num 0, until has_more is not true', () => {
    const { client, asked, run } = reading(charges(25))
    const ids = run(client.charges.list().pipe(short)).map(({ value }) => value)
    expect(ids).toEqual(Array.from({ length: 25 }, (_, n) => `chg_${n}`))
    expect(asked()).toEqual(['0', '1', '2'])
  })

  it.each([
    [5, ['0']],
    [10, ['0']],
    [11, ['0', '1']],
  ])('asks for no page too many when %i rows are taken', (count, pages) => {
    const { client, asked, logins, run } = reading(charges(1_000))
    expect(run(client.charges.list().pipe(take(count)))).toHaveLength(count)
    expect(asked()).toEqual(pages)
    expect(logins()).toHaveLength(1)
  })

  it('sends its filter with each page, and begins where it is told', () => {
    const { client, calls, run } = reading(charges(60))
    const filter = Object.freeze({ status: 'SETTLED' as const, page_size: 10, page_num: 4 })
    run(client.charges.list(filter))
    expect(calls().map(({ query }) => Object.fromEntries(query))).toEqual([
      { page_num: '4', page_size: '10', status: 'SETTLED' },
      { page_num: '5', page_size: '10', status: 'SETTLED' },
    ])
  })

  it.each([null, '2.5', true, [3]])('that begins at page_num %j is refused', (page_num) => {
    const { client, calls, run } = reading(charges(60))
    const out = run(client.charges.list({ page_num } as object)).map(({ value }) => value)
    expect(out).toMatchObject([E.left({ _tag: 'InvalidRequest', field: 'page_num' })])
    expect(calls()).toEqual([])
  })

  it('begins at a page_num that is text, as in a query, and plans with such a size', () => {
    const { client, asked, run } = reading(charges(60))
    run(client.charges.list({ page_num: '4', page_size: '10' } as object))
    expect(asked()).toEqual(['4', '5'])
    expect(client.charges.list({ page_size: '2000' } as object).explain().pageSize).toBe(2_000)
  })

  it('by bookmarks that begins at a number is refused', () => {
    const { client, calls, run } = reading(charges(60))
    const out = run(client.batchTransfers.list({ page: 5 } as object)).map(({ value }) => value)
    expect(out).toMatchObject([E.left({ _tag: 'InvalidRequest', field: 'page' })])
    expect(calls()).toEqual([])
  })

  it('requests the next page only when this one has been taken', () => {
    const { client, calls, run } = reading(charges(25))
    const pages = run(client.charges.list().pages)
    expect(pages.map(({ at }) => at)).toEqual([20, 30, 40])
    expect(calls().map(({ at }) => at)).toEqual([10, 20, 30])
  })

  it('continues after an empty page with has_more', () => {
    const { client, asked, run } = reading((departure, nth) =>
      nth === 2 ? { body: { has_more: true, items: [] } } : charges(25)(departure, nth),
    )
    expect(run(client.charges.list())).toHaveLength(15)
    expect(asked()).toEqual(['0', '1', '2'])
  })

  it('by bookmarks names the position of the page before, where the service does', () => {
    const { client, run } = reading((_, nth) => ({
      body: {
        items: [],
        page_after: nth < 3 ? `mark-${nth}` : null,
        page_before: nth === 1 ? '' : `back-${nth}`,
      },
    }))
    const pages = run(client.batchTransfers.list().pages).map(({ value }) => value)
    expect(pages.map((page) => (E.isRight(page) ? page.right.previous : page.left))).toEqual([
      undefined,
      { page: 'back-2' },
      { page: 'back-3' },
    ])
  })

  it('continues with a bookmark in place of a number', () => {
    const { client, asked, calls, run } = reading((_, nth) => ({
      body: { items: [CHARGE], page_after: nth < 3 ? `mark-${nth}` : null, page_before: 'x' },
    }))
    run(client.charges.list({ page_num: 7 }))
    expect(asked()).toEqual(['7', 'mark-1', 'mark-2'])
    expect(calls().map(({ query }) => query.size)).toEqual([1, 1, 1])
  })
})

describe('a row', () => {
  it('that does not decode is one `Left`, and does not end the list', () => {
    const { client, run } = reading(() => ({
      body: {
        has_more: false,
        items: [CHARGE, { ...CHARGE, amount: {} }, { ...CHARGE, id: 'chg_3' }],
      },
    }))
    const out = run(client.charges.list()).map(({ value }) => value)
    expect(out).toEqual([
      E.right(CHARGE),
      E.left(expect.objectContaining({ _tag: 'Undecodable', path: 'items[1].amount' })),
      E.right({ ...CHARGE, id: 'chg_3' }),
    ])
  })
})

describe('a list that fails', () => {
  const last = (all: ReturnType<typeof reading>) => {
    const out = all.run(all.client.charges.list()).map(({ value }) => value)
    return { last: out.at(-1), rows: out.length - 1 }
  }

  it('has the position and the cause', () => {
    const all = reading((departure, nth) =>
      departure.query.get('page_num') === '2'
        ? problem(403, 'forbidden', 'not yours')
        : charges(50)(departure, nth),
    )
    expect(last(all)).toEqual({
      rows: 20,
      last: E.left({
        _tag: 'Truncated',
        endpoint: LIST,
        attempts: 1,
        position: { page_num: 2 },
        pages: 2,
        cause: expect.objectContaining({ _tag: 'Refused', status: 403 }),
        message: `${LIST}: incomplete: ended before page_num 2, after 2 pages: ${LIST}: 403 forbidden: not yours`,
      }),
    })
  })

  it('is the failure itself at the first page', () => {
    const all = reading(() => problem(400, 'invalid_argument'))
    expect(last(all)).toMatchObject({ rows: 0, last: E.left({ _tag: 'Refused' }) })
  })

  it.each([
    ['500', { status: 500, body: '' }, 'ServerFault'],
    ['a reset', { outage: RESET }, 'Unreachable'],
    ['a body cut off', { body: '{"has_more": true, "items": [{' }, 'Undecodable'],
    ['no list of items', { body: { has_more: true } }, 'Undecodable'],
    ['429', { status: 429, body: '' }, 'Throttled'],
  ])('never ends in silence: %s', (_, reply, tag) => {
    const all = reading((departure, nth) =>
      departure.query.get('page_num') === '1' ? reply : charges(50)(departure, nth),
    )
    expect(last(all)).toMatchObject({
      rows: 10,
      last: E.left({ _tag: 'Truncated', cause: { _tag: tag } }),
    })
  })

  it('ends at a repeated bookmark', () => {
    const all = reading((_, nth) => ({ body: { items: [CHARGE], page_after: `m${nth % 3}` } }))
    expect(last(all)).toMatchObject({
      last: E.left({
        _tag: 'Truncated',
        guard: 'Repeated',
        message: expect.stringContaining('already been read'),
      }),
    })
    expect(all.asked()).toEqual(['0', 'm1', 'm2', 'm0'])
  })

  it('ends at repeated rows', () => {
    const rows = [CHARGE, { ...CHARGE, id: 'chg_2' }]
    const all = reading(() => ({ body: { has_more: true, items: rows } }))
    expect(last(all)).toMatchObject({
      rows: 2,
      last: E.left({
        _tag: 'Truncated',
        guard: 'SameRows',
        position: { page_num: 1 },
        message: expect.stringContaining('its rows are the same as on an earlier page'),
      }),
    })
  })

  it.each([1, 2])('ends where %d rows come again for ever, one a page', (different) => {
    const all = reading((_, nth) => ({
      body: { items: [{ ...CHARGE, id: `chg_${nth % different}` }], page_after: `m${nth}` },
    }))
    const pages = 100 + 1 + different
    expect(last(all)).toMatchObject({
      last: E.left({ _tag: 'Truncated', pages, guard: 'OnlyEmpty' }),
    })
  })

  it('has one row again that has moved to the next page, and goes on', () => {
    const all = reading((_, nth) => {
      const items = [{ ...CHARGE, id: `chg_${nth % 2 === 0 ? nth - 1 : nth}` }]
      return { body: { items, ...(nth < 300 ? { page_after: `m${nth}` } : {}) } }
    })
    expect(last(all)).toMatchObject({ rows: 299, last: { _tag: 'Right' } })
  })

  it('takes null for an empty page at the end, and tells of it; and for no page before it', () => {
    const { client, events, run } = lab({
      drift: true,
      play: ({ query }) => ({ body: { has_more: query.get('currency') === 'EUR', items: null } }),
    })
    expect(run(client.charges.list())).toEqual([])
    expect(events.filter(({ _tag }) => _tag === 'Drifted')).toMatchObject([
      { fact: { path: 'items', kind: 'other paging' } },
    ])
    expect(run(client.charges.list({ currency: 'EUR' }))).toMatchObject([
      { value: E.left({ _tag: 'Undecodable', path: 'items', actual: 'null' }) },
    ])
    expect(run(client.charges.snapshot({ to_created_at: new Date() }))).toEqual([])
  })

  it('ends after more than 100 empty pages by default', () => {
    const empty: Play = () => ({ body: { has_more: true, items: [] } })
    const all = reading(empty)
    expect(last(all)).toMatchObject({
      rows: 0,
      last: E.left({
        _tag: 'Truncated',
        pages: 101,
        guard: 'OnlyEmpty',
        message: expect.stringContaining('the last 101 pages had no new row'),
      }),
    })
    const few = reading(empty, { lists: { maxEmptyPages: 3 } })
    expect(last(few)).toMatchObject({ last: E.left({ pages: 4 }) })
    const none = reading(empty, { lists: { maxEmptyPages: 0 } })
    const message = expect.stringMatching(/after 1 page: the last page had no new row$/)
    expect(last(none)).toMatchObject({ last: E.left({ pages: 1, message }) })
    const lists: Readonly<Record<string, unknown>> = {
      maxPages: undefined,
      maxEmptyPages: undefined,
    }
    expect(last(reading(empty, { lists }))).toMatchObject({ last: E.left({ pages: 101 }) })
  })

  it('ends after maxPages', () => {
    const all = reading(charges(1_000), { lists: { maxPages: 4 } })
    expect(last(all)).toMatchObject({
      rows: 40,
      last: E.left({
        _tag: 'Truncated',
        pages: 4,
        guard: 'TooLong',
        message: expect.stringContaining('maxPages'),
      }),
    })
  })

  it('may have thousands of pages', () => {
    const pages = isWhole ? 10_000 : 1_000
    const all = reading(charges(pages, 1), { limits: { endpoint: 1_000, global: 1_000 } })
    let rows = 0
    all.client.charges.list().subscribe((item) => {
      rows += E.isRight(item) ? 1 : 0
    })
    all.runUntil(Number.POSITIVE_INFINITY)
    expect(rows).toBe(pages)
  })
})

it('rejects an unknown option of parallel', () => {
  const list = lab().client.charges.list()
  const misspelt = { ordered: true, order: false }
  expect(() => list.parallel(3, misspelt)).toThrow(
    'parallel: order should be omitted: unknown option; the options are ordered',
  )
})

describe('the position of a list', () => {
  // as it comes back from a database, or a variable of the environment: without its type
  const kept = (text: string) => JSON.parse(text)

  it('may be a number as text', () => {
    const { client, asked, run } = reading(charges(35))
    const list = client.charges.list()
    expect(run(list.from(kept('{"page_num":"1"}')))).toHaveLength(25)
    expect(run(list.parallel(2).from(kept('{"page_num":"1"}')))).toHaveLength(25)
    expect(new Set(asked())).toEqual(new Set(['1', '2', '3', '4']))
  })

  it.each([
    '{}',
    'null',
    '7',
    '"{\\"page_num\\":1}"',
    '[]',
    '{"page_nm":2}',
    '{"page_num":"x"}',
    '{"page_num":null}',
    '{"page_num":1,"page":"a"}',
    '{"from":0,"to":9,"slices":[],"cut":1}',
  ])('is refused when it is %s', (text) => {
    const { client, calls, run } = reading(charges(35))
    for (const list of [client.charges.list(), client.charges.list().parallel(3)]) {
      const from = list.from(kept(text))
      for (const one of [from, from.parallel(2)]) {
        expect(run(one).map(({ value }) => value)).toMatchObject([
          { left: { _tag: 'InvalidRequest', field: 'position', attempts: 0 } },
        ])
      }
    }
    expect(calls()).toEqual([])
  })

  it.each(['{"page_nm":"m1"}', '{"from":0,"to":9,"slices":[],"cut":1}'])(
    'is not taken for the beginning of a list of bookmarks: %s',
    (text) => {
      const { client, calls, run } = reading(charges(35))
      expect(
        run(client.batchTransfers.list().from(kept(text))).map(({ value }) => value),
      ).toMatchObject([E.left({ _tag: 'InvalidRequest', field: 'position' })])
      expect(calls()).toEqual([])
    },
  )

  it('may be the start of a list of bookmarks', () => {
    const { client, asked, run } = reading(() => ({ body: { items: [], page_after: null } }))
    expect(run(client.batchTransfers.list().from({}))).toEqual([])
    expect(asked()).toEqual([null])
  })

  it.each([
    'null',
    '"x"',
    '{"page_num":3}',
    '{"from":0,"to":9,"slices":[],"cut":1}',
    '{"from":"0","to":"9","slices":[{"from":0,"to":9,"number":1,"rows":0,"left":{"from":0,"to":9}}],"cut":1}',
    '{"from":0,"to":9,"slices":[{"from":0,"to":9,"number":1,"rows":0}],"cut":1}',
    '{"from":0,"to":9,"slices":[{"from":0,"to":9,"number":1,"rows":"0","left":{"from":0,"to":9}}],"cut":1}',
    '{"from":0,"to":9,"slices":[{"from":0,"to":9,"number":1,"rows":0,"left":{"from":0,"to":9}}],"cut":null}',
  ])('is refused by a snapshot when it is %s', (text) => {
    const { client, calls, run } = reading(charges(35))
    for (const width of [1, 3]) {
      expect(
        run(client.charges.snapshot().parallel(width).from(kept(text))).map(({ value }) => value),
      ).toMatchObject([{ left: { _tag: 'InvalidRequest', field: 'position', attempts: 0 } }])
    }
    expect(calls()).toEqual([])
  })
})
