import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../support/runs.js'
import { type Answered, everyItem, items, open } from './support.js'

type Row = Record<string, unknown>

const SINCE = Date.UTC(2024, 0, 1)

const seconds = (row: Row): number =>
  new Date(String(row.created_at).replace('+0000', 'Z')).getTime() / 1_000

/** Applies the query to every row, as the interface defines it. */
const filtered = (all: ReadonlyArray<Row>, query: URLSearchParams): ReadonlyArray<Row> =>
  all.filter((row) => {
    const time = (name: string) => new Date(String(query.get(name)).replace('+0000', 'Z')).getTime()
    return (
      ['currency', 'status', 'source', 'request_id'].every(
        (name) => !query.has(name) || query.get(name) === row[name],
      ) &&
      (!query.has('from_created_at') || seconds(row) * 1_000 >= time('from_created_at')) &&
      (!query.has('to_created_at') || seconds(row) * 1_000 <= time('to_created_at'))
    )
  })

/** 120 charges from the start, and some that were made at different times, in different states. */
const account = async (order: 'ascending' | 'descending') => {
  const opened = await open({ charges: 120, order, settleAfter: 10_000 })
  const sources = ['acct_a', 'acct_b_pending', 'acct_c_failed', 'acct_d_suspended']
  for (let n = 0; n < 12; n++) {
    await opened.post('/api/v1/charges/create', {
      amount: '1.00',
      currency: n % 3 === 0 ? 'USD' : 'EUR',
      reason: 'travel',
      reference: 'Trip',
      request_id: `trip-${n}`,
      source: sources[n % sources.length],
    })
    opened.clock.pass(3_500)
  }
  return { ...opened, all: await everyItem(opened.get, '', 50) }
}

it.each(['ascending', 'descending'] as const)('finds what a query asks for, %s', async (order) => {
  const { get, all } = await account(order)
  expect(all).toHaveLength(132)

  const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}+0000`
  const time = fc.oneof(
    fc.integer({ min: -5, max: 370 }).map((n) => iso(SINCE + n * 1_000)),
    fc.constantFrom(...all.map((row) => String(row.created_at))),
    fc.constantFrom('2024-01-01', '2023-12-31T23:59:59.999Z', '2026-01-02T03:04:10.5Z'),
  )
  const value = (name: string) =>
    fc.constantFrom(...new Set(all.map((row) => String(row[name]))), 'XXX')
  const query = fc
    .record(
      {
        currency: value('currency'),
        status: fc.constantFrom('NEW', 'PENDING', 'SETTLED', 'SUSPENDED', 'FAILED'),
        source: value('source'),
        request_id: value('request_id'),
        from_created_at: time,
        to_created_at: time,
      },
      { requiredKeys: [] },
    )
    .map((fields) => new URLSearchParams(fields))

  await fc.assert(
    fc.asyncProperty(
      query,
      fc.nat(12),
      fc.integer({ min: 10, max: 60 }),
      async (asked, n, size) => {
        const page: Answered = await get(`/api/v1/charges?${asked}&page_num=${n}&page_size=${size}`)
        const expected = filtered(all, asked)
        expect(items(page)).toEqual(expected.slice(n * size, (n + 1) * size))
        expect(Object(page.body).has_more).toBe(expected.length > (n + 1) * size)
      },
    ),
    { numRuns: runs(300) },
  )
})

it('finds all that have a status, a currency or a source, and no others', async () => {
  const { get, all } = await account('ascending')
  for (const name of ['status', 'currency', 'source']) {
    for (const value of new Set(all.slice(100).map((row) => String(row[name])))) {
      const query = new URLSearchParams({ [name]: value })
      expect(await everyItem(get, String(query), 50)).toEqual(filtered(all, query))
    }
  }
})

it('reads times of any shape, those without an offset in UTC', async () => {
  const { get } = await open({ charges: 100 })
  const upTo = async (to_created_at: string) =>
    (await everyItem(get, String(new URLSearchParams({ to_created_at })))).length
  const all = await upTo('2024-01-01T00:02:00+0000')
  expect(all).toBeGreaterThan(1)
  for (const same of ['2024-01-01T00:02', '2024-01-01T00:02:00', '2024-01-01T01:02+01']) {
    expect([same, await upTo(same)]).toEqual([same, all])
  }
})

it('finds one by its request_id within a range only', async () => {
  const { get } = await open({ charges: 50 })
  const all = await everyItem(get, '')
  const within = async (from: number, to: number) => {
    const query = new URLSearchParams({
      request_id: String(all[20]?.request_id),
      from_created_at: String(all[from]?.created_at),
      to_created_at: String(all[to]?.created_at),
    })
    return (await everyItem(get, String(query))).length
  }
  expect([await within(10, 15), await within(20, 20), await within(25, 30)]).toEqual([0, 1, 0])
})

it('includes both ends of a range', async () => {
  const { get } = await open({ charges: 50 })
  const all = await everyItem(get, '')
  const at = (n: number) => String(all[n]?.created_at)
  const range = new URLSearchParams({ from_created_at: at(10), to_created_at: at(30) })
  const found = await everyItem(get, String(range))
  expect(found[0]?.created_at).toBe(at(10))
  expect(found.at(-1)?.created_at).toBe(at(30))
})
