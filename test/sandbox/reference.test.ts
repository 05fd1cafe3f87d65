import { describe, expect, it } from 'vitest'
import { IndustryCategories, industryKindOf } from '../../src/codec/reference.js'
import { E } from '../../src/fp.js'
import { type Answered, open, order } from './support.js'

const REFERENCE = '/api/v1/reference'

const body = (answered: Answered) => Object(answered.body)

describe('GET /api/v1/reference/industry_categories', () => {
  const kinds = async (options: Parameters<typeof open>[0], version?: string) => {
    const { get } = await open(options)
    const headers: Record<string, string> =
      version === undefined ? {} : { 'x-api-version': version }
    const answered = await get(`${REFERENCE}/industry_categories`, headers)
    const tree = IndustryCategories.decode(answered.body)
    return E.isRight(tree)
      ? [answered.status, ...new Set(tree.right.map(industryKindOf))]
      : tree.left
  }

  it('has either shape, by version', async () => {
    expect(await kinds({})).toEqual([200, 'list'])
    expect(await kinds({}, '2025-06-30')).toEqual([200, 'list'])
    expect(await kinds({}, '2025-06-29')).toEqual([200, 'category'])
    expect(await kinds({ apiVersion: '2024-01-01' })).toEqual([200, 'category'])
  })

  it('has the one it is told to have', async () => {
    expect(await kinds({ industryTree: 'codes' }, '2020-01-01')).toEqual([200, 'list'])
    expect(await kinds({ industryTree: 'categories' })).toEqual([200, 'category'])
  })

  it('has codes under questions, with types in any letter case', async () => {
    const { get } = await open()
    const text = JSON.stringify((await get(`${REFERENCE}/industry_categories`)).body)
    for (const type of ['LIST', 'CODE', 'code', 'QUESTION', 'question']) {
      expect(text).toContain(`"type":"${type}"`)
    }
    expect(text).toContain('"answer":"Yes"')
  })
})

describe('GET /api/v1/reference/invalid_conversion_dates', () => {
  it('tells weekends and holidays of the year to come', async () => {
    const { get } = await open()
    const answered = await get(`${REFERENCE}/invalid_conversion_dates?currency_pair=EURUSD`)
    expect(answered).toMatchObject({
      status: 200,
      body: {
        currency_pair: 'EURUSD',
        invalid_conversion_dates: expect.arrayContaining([
          { date: '2026-01-03', reason: 'Weekend' },
          { date: '2026-01-04', reason: 'Weekend' },
          { date: '2026-12-25', reason: 'Christmas Day' },
          { date: '2027-01-01', reason: "New Year's Day" },
        ]),
      },
    })
    expect(body(answered).invalid_conversion_dates).toHaveLength(52 * 2 + 2)
  })

  it.each([
    ['', 'field_required'],
    ['?currency_pair=EUR', 'invalid_argument'],
    ['?currency_pair=EUREUR', 'invalid_argument'],
    ['?currency_pair=EURXXX', 'invalid_argument'],
  ])('refuses "%s"', async (query, code) => {
    const { get } = await open()
    const answered = await get(`${REFERENCE}/invalid_conversion_dates${query}`)
    expect(answered).toMatchObject({ status: 400, body: { code, source: 'currency_pair' } })
  })
})

it('GET /api/v1/reference/supported_currencies', async () => {
  const { get } = await open()
  expect(await get(`${REFERENCE}/supported_currencies`)).toMatchObject({
    status: 200,
    body: {
      conversion: {
        buy_currencies: expect.arrayContaining(['EUR', 'USD']),
        sell_currencies: expect.arrayContaining(['EUR', 'USD']),
      },
    },
  })
})

const orderWith = (change: object) => ({ ...order, ...change })

/** A sandbox with its limits. */
const limits = async (options: Parameters<typeof open>[0] = {}) => {
  const all = await open({ tokenLife: 10 * 86_400_000, ...options })
  const quota = async (type = 'CN_INBOUND') =>
    (await all.get(`${REFERENCE}/order_items/quota?type=${type}`)).body
  const expiring = async (type = 'CN_INBOUND') =>
    (await all.get(`${REFERENCE}/order_items/expiring_quota?type=${type}`)).body
  const upload = (items: unknown, query = '') =>
    all.post(`${REFERENCE}/order_items/upload${query}`, items)
  return { ...all, quota, expiring, upload }
}

const left = (available_order_amount: number, history_order_amount = 0) => ({
  available_order_amount,
  currency: 'USD',
  history_order_amount,
})

describe('limits', () => {
  it('are raised by an upload', async () => {
    const { quota, upload, get } = await limits()
    expect(await quota()).toEqual(left(10_000))
    const uploaded = await upload([order, orderWith({ currency: 'EUR', line_total: 92 })])
    expect(uploaded).toEqual({ status: 200, body: {} })
    expect(await quota()).toEqual(left(10_137.5, 137.5))
    expect((await get(`${REFERENCE}/order_items/quota`)).body).toEqual(await quota())
    expect(await quota('ID_OUTBOUND')).toEqual(left(10_000))
    await upload([order], '?types=ID_OUTBOUND&types=VN_OUTBOUND')
    expect(await quota('ID_OUTBOUND')).toEqual(left(10_037.5, 37.5))
    expect(await quota('VN_OUTBOUND')).toEqual(left(10_037.5, 37.5))
    expect(await quota()).toEqual(left(10_137.5, 137.5))
  })

  it('expire with the orders that raised them', async () => {
    const { quota, expiring, upload, clock } = await limits()
    const none = { currency: 'USD', expire_by: '2026-01-09', expiring_order_amount: 0 }
    expect(await expiring()).toEqual(none)
    await upload([
      order,
      orderWith({ order_datetime: '2025-01-18T00:00:00Z', line_total: 100 }), // 350 days: 2026-01-03
      orderWith({ order_datetime: '2025-01-25T00:00:00+00:00', line_total: 1_000 }), // 2026-01-10
    ])
    expect(await quota()).toEqual(left(11_137.5, 1_137.5))
    expect(await expiring()).toEqual({ ...none, expiring_order_amount: 100 })
    clock.pass(86_400_000)
    expect(await quota()).toEqual(left(11_037.5, 1_137.5))
    expect(await expiring()).toEqual({
      ...none,
      expire_by: '2026-01-10',
      expiring_order_amount: 1_000,
    })
  })

  it('end to the second, and are each for themselves', async () => {
    const { quota, expiring, upload } = await limits()
    const inWeek = { order_datetime: '2025-01-24T03:04:05Z' } // 350 days: a week from now
    await upload([orderWith(inWeek)], '?types=ID_OUTBOUND')
    expect(await expiring()).toMatchObject({ expiring_order_amount: 0 })
    expect(await expiring('ID_OUTBOUND')).toMatchObject({ expiring_order_amount: 37.5 })
    await upload([orderWith(inWeek)])
    expect(await expiring()).toMatchObject({ expiring_order_amount: 37.5 })
    await upload([orderWith({ order_datetime: '2025-01-17T03:04:05Z', line_total: 100 })]) // now
    expect(await quota()).toEqual(left(10_037.5, 137.5))
  })

  it('are those that the account has', async () => {
    const { get, upload, quota } = await limits({ quotaTypes: ['ID_OUTBOUND'] })
    const refused = { status: 400, body: { code: 'invalid_argument' } }
    expect(await get(`${REFERENCE}/order_items/quota`)).toMatchObject(refused)
    expect(await get(`${REFERENCE}/order_items/expiring_quota?type=XX`)).toMatchObject(refused)
    expect(await upload([order])).toMatchObject(refused)
    expect(await upload([order], '?types=ID_OUTBOUND&types=CN_INBOUND')).toMatchObject(refused)
    expect(await quota('ID_OUTBOUND')).toEqual(left(10_000))
    expect(await upload([order], '?types=ID_OUTBOUND')).toMatchObject({ status: 200 })
  })
})

describe('POST /api/v1/reference/order_items/upload', () => {
  it.each([
    ['category', 'gifts', 'invalid_argument'],
    ['currency', 'RUB', 'invalid_argument'],
    ['item_name', 'x', 'invalid_argument'],
    ['item_name', 'x'.repeat(257), 'invalid_argument'],
    ['item_quantity', 1.5, 'invalid_argument'],
    ['item_unit_price', 'one', 'invalid_argument'],
    ['item_url', '', 'invalid_argument'],
    ['item_url', 'x'.repeat(1_001), 'invalid_argument'],
    ['line_total', undefined, 'field_required'],
    ['line_total', 1e308, 'invalid_argument'],
    ['order_datetime', '2026-01-01', 'invalid_argument'],
    ['order_datetime', '2025-01-17T03:04:04Z', 'invalid_argument'],
    ['order_id', 'x'.repeat(51), 'invalid_argument'],
    ['shipment_provider', undefined, 'field_required'],
    ['shipment_tracking_number', '1234', 'invalid_argument'],
    ['shipment_tracking_number', 'x'.repeat(36), 'invalid_argument'],
  ])('refuses all of it for %s %j, unless told otherwise', async (name, value, code) => {
    const { upload, quota } = await limits()
    const items = [order, orderWith({ [name]: value })]
    const body = { code, source: `items[1].${name}` }
    expect(await upload(items)).toMatchObject({ status: 400, body })
    expect(await quota()).toEqual(left(10_000))
    expect(await upload(items, '?allow_partial_success=true')).toMatchObject({ status: 200 })
    expect(await quota()).toEqual(left(10_037.5, 37.5))
  })

  it.each([
    { order_datetime: '2025-01-17T03:04:05Z' },
    { item_name: 'xx', item_url: 'x', order_id: 'x' },
    { item_name: 'x'.repeat(256), item_url: 'x'.repeat(1_000), order_id: 'x'.repeat(50) },
    { shipment_tracking_number: 'x'.repeat(35), description: 'Lamps', item_reference: 'r' },
  ])('takes %j', async (change) => {
    const { upload } = await limits()
    expect(await upload([orderWith(change)])).toMatchObject({ status: 200 })
  })

  it('takes up to 500 items', async () => {
    const { upload } = await limits()
    expect(await upload(Array.from({ length: 501 }, () => order))).toMatchObject({ status: 400 })
    expect(await upload(Array.from({ length: 500 }, () => order))).toMatchObject({ status: 200 })
  })

  it.each([
    [{}, ''],
    [[7], ''],
    [[order], '?types=XX'],
    [[order], '?allow_partial_success=maybe'],
  ])('refuses %j%s', async (items, query) => {
    const { upload } = await limits()
    const body = { code: 'invalid_argument' }
    expect(await upload(items, query)).toMatchObject({ status: 400, body })
  })
})
