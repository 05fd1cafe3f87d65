import { describe, expect, it } from 'vitest'
import { Charge } from '../../src/codec/Charge.js'
import { E } from '../../src/fp.js'
import { BATCHES, newItem, openedBatch } from './batchSupport.js'
import { items, newCharge, open } from './support.js'

const fieldRequired = (source: string) => ({
  status: 400,
  body: { code: 'field_required', message: `${source} is required.`, source },
})

const invalidArgument = (source: string, wanted: string) => ({
  status: 400,
  body: { code: 'invalid_argument', message: `${source} must be ${wanted}.`, source },
})

describe('POST /api/v1/charges/create', () => {
  it.each(Object.keys(newCharge))('requires %s', async (name) => {
    const { post } = await open()
    const value = Object.fromEntries(Object.entries(newCharge).filter(([key]) => key !== name))
    expect(await post('/api/v1/charges/create', value)).toEqual(fieldRequired(name))
  })

  it.each([
    ['amount', 'twelve', 'a number of at least 0, or plain decimal text such as "9.99"'],
    ['amount', '-1', 'a number of at least 0, or plain decimal text such as "9.99"'],
    ['currency', 'eur', 'a currency code of 3 capital letters'],
    ['reference', '', 'a string of 1 to 140 characters'],
    ['reference', 'x'.repeat(141), 'a string of 1 to 140 characters'],
    ['request_id', '', 'a string of 1 to 50 characters'],
    ['request_id', 'x'.repeat(51), 'a string of 1 to 50 characters'],
    ['source', 7, 'string'],
  ])('refuses %s %j', async (name, value, wanted) => {
    const { post } = await open()
    const body = { ...newCharge, [name]: value }
    expect(await post('/api/v1/charges/create', body)).toEqual(invalidArgument(name, wanted))
  })

  it.each([101, 307, 400])('refuses amounts of %i digits, and makes no charge', async (digits) => {
    const { post, get } = await open({ charges: 0 })
    const body = { ...newCharge, amount: '9'.repeat(digits) }
    const refused = await post('/api/v1/charges/create', body)
    expect(refused).toEqual(invalidArgument('amount', 'at most 10^100'))
    expect(items(await get('/api/v1/charges'))).toEqual([])
  })

  it('takes an amount of a hundred digits', async () => {
    const { post } = await open()
    const amount = '9'.repeat(100)
    const made = await post('/api/v1/charges/create', { ...newCharge, amount })
    expect(E.isRight(Charge.decode(made.body))).toBe(true)
  })

  it('refuses a reason that the interface does not list', async () => {
    const { post } = await open()
    const refused = await post('/api/v1/charges/create', { ...newCharge, reason: 'gift' })
    const body = { code: 'invalid_argument', source: 'reason' }
    expect(refused).toMatchObject({ status: 400, body })
  })

  it.each([
    { reference: 'x'.repeat(140) },
    { reference: 'x' },
    { request_id: 'x'.repeat(50) },
    { request_id: 'x' },
    { amount: 12.5 },
    { amount: '1' },
  ])('takes %j', async (change) => {
    const { post } = await open()
    const created = await post('/api/v1/charges/create', { ...newCharge, ...change })
    expect(created).toMatchObject({ status: 201 })
  })

  it('keeps text as it came', async () => {
    const { post, get } = await open()
    const reference = 'Zoë "€" \\ 支払い\n🧾'
    const created = await post('/api/v1/charges/create', { ...newCharge, reference })
    expect(created.body).toMatchObject({ reference })
    const found = await get('/api/v1/charges?request_id=order-17')
    expect(found.body).toEqual({ has_more: false, items: [created.body] })
  })

  it('refuses what is no JSON object', async () => {
    const { post } = await open()
    expect(await post('/api/v1/charges/create', '{"amount":')).toEqual({
      status: 400,
      body: { code: 'invalid_argument', message: 'The body is not JSON.' },
    })
    expect(await post('/api/v1/charges/create', '[]')).toEqual({
      status: 400,
      body: { code: 'invalid_argument', message: 'The body is not a JSON object.' },
    })
  })
})

describe('GET /api/v1/charges', () => {
  it.each([
    ['page_size', '9', 'a whole number from 10 to 2000'],
    ['page_size', '2001', 'a whole number from 10 to 2000'],
    ['page_size', 'ten', 'a whole number from 10 to 2000'],
    ['page_size', '10.5', 'a whole number from 10 to 2000'],
    ['page_num', '-1', 'a whole number from 0'],
    ['currency', 'euro', 'a currency code of 3 capital letters'],
    ['from_created_at', 'yesterday', 'a Date or an ISO 8601 time'],
    ['to_created_at', '2024-01-01T00:00:00+0000', 'a Date or an ISO 8601 time'], // + is a space
    ['status', 'DONE', '"NEW" | "PENDING" | "SETTLED" | "SUSPENDED" | "FAILED"'],
  ])('refuses %s=%s', async (name, value, wanted) => {
    const { get } = await open()
    expect(await get(`/api/v1/charges?${name}=${value}`)).toEqual(invalidArgument(name, wanted))
  })

  const RIGHT = ['page_size=10', 'page_size=2000', 'page_num=0', 'unknown=1']
  it.each(RIGHT)('takes %s', async (query) => {
    const { get } = await open()
    expect(await get(`/api/v1/charges?${query}`)).toMatchObject({ status: 200 })
  })

  it.each(['request_id=', 'source='])('has no row for %s', async (query) => {
    const { get } = await open()
    const body = { has_more: false, items: [] }
    expect(await get(`/api/v1/charges?${query}`)).toEqual({ status: 200, body })
  })

  it('takes a hundred rows per page when it is told nothing', async () => {
    const { get } = await open({ charges: 101 })
    const { body } = await get('/api/v1/charges')
    expect([Object(body).items.length, Object(body).has_more]).toEqual([100, true])
  })
})

describe('a body of many levels', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const batch = (levels: number) => `{"request_id":"b","metadata":${nested(levels - 1)}}`
  const items = (levels: number) =>
    `{"items":[${JSON.stringify(newItem('i')).slice(0, -1)},"metadata":${nested(levels - 3)}}]}`

  it.each([501, 10_000])('is refused: %i', async (levels) => {
    const { post, call, get, id } = await openedBatch()
    const refused = {
      status: 400,
      body: { code: 'invalid_argument', message: 'The body is nested more than 500 levels deep.' },
    }
    expect(await post(`${BATCHES}/create`, batch(levels))).toEqual(refused)
    expect(await call('add_items', items(levels))).toEqual(refused)
    await call('quote')
    expect(await get(`${BATCHES}/${id}/items`)).toMatchObject({ body: { items: [] } })
  })

  it('comes back with 500 of them', async () => {
    const { call, items: listed } = await openedBatch()
    await call('add_items', items(500))
    await call('quote')
    const metadata = JSON.parse(nested(497))
    expect(await listed()).toMatchObject([{ transfer_draft: { metadata } }])
  })
})

describe('a request that cannot be made', () => {
  it.each<readonly [string, RequestInit]>([
    ['/api/v1/charges', {}],
    ['http://sandbox.test/api/v1/charges', { body: 'text' }],
  ])('is rejected, as by fetch: %s %j', async (url, init) => {
    const { sandbox } = await open()
    const answer = sandbox.fetch(url, init)
    await expect(answer).rejects.toThrow(TypeError)
  })
})

describe('elsewhere', () => {
  const notFound = { status: 404, body: { code: 'not_found', message: 'Not found.' } }

  const PATHS = ['/api/v1/charges/chg_00000000', '/api/v1/charges/other', '/api/v1/other', '/']
  it.each(PATHS)('there is no %s', async (path) => {
    const { get } = await open()
    expect(await get(path)).toEqual(notFound)
  })

  it('there is no other method', async () => {
    const { send, authorization } = await open()
    const init = { method: 'DELETE', headers: { authorization } }
    expect(await send('/api/v1/charges', init)).toEqual(notFound)
  })
})

it('a value in the path goes before one of that name in the query or the body', async () => {
  const { get, post } = await open({ charges: 10 })
  const [first, second] = items(await get('/api/v1/charges'))
  expect(await get(`/api/v1/charges/${first?.id}?id=${second?.id}`)).toMatchObject({
    ...{ status: 200, body: { id: first?.id } },
  })
  const made = await post('/api/v1/batch_transfers/create', { request_id: 'b', name: 'B' })
  const { id } = Object(made.body)
  const deleted = await post(`/api/v1/batch_transfers/${id}/delete`, { id: 'other' })
  expect(deleted).toMatchObject({ status: 200 })
})
