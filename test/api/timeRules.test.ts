/** Rules that need the time, and rules between the parameters of one call. */
import { describe, expect, it } from 'vitest'
import { paramsAt, untyped } from '../../src/api/Endpoint.js'
import { api } from '../../src/api/index.js'
import { causes } from '../../src/decode/index.js'
import { E } from '../../src/fp.js'
import { prepareRequest } from '../../src/http/request/prepareRequest.js'

const NOW = Date.UTC(2026, 0, 10, 12)

const first = (row: { readonly route: `POST /${string}` | `GET /${string}` }, params: unknown) => {
  const decoded = paramsAt(NOW)(untyped(row)).decode(params)
  return E.isLeft(decoded) ? causes(decoded.left)[0] : undefined
}

describe('the day of a batch', () => {
  const day = (transfer_date: string) =>
    first(api.batchTransfers.create, { request_id: 'r', transfer_date })

  it.each([
    '',
    '2026-01-10',
    '2026-01-11',
    '2030-01-01',
    '2026-01-10T00:00:00Z',
    '2026-01-10T00:00',
  ])('may be %j at noon of 2026-01-10 in UTC', (date) => expect(day(date)).toBeUndefined())

  it('may be yesterday for as long as it is yesterday somewhere', () => {
    const past = { path: 'transfer_date', expected: 'today or later', actual: expect.any(String) }
    // west of Greenwich, the 9th lasts until noon of the 10th in UTC
    expect(day('2026-01-09')).toEqual(past)
    const earlier = paramsAt(NOW - 1)(untyped(api.batchTransfers.create))
    expect(E.isRight(earlier.decode({ request_id: 'r', transfer_date: '2026-01-09' }))).toBe(true)
    expect(day('2020-01-01')).toEqual(past)
  })

  it('may be given with a funding source that names no account', () => {
    const params = { request_id: 'r', transfer_date: '2026-01-10', funding_source: {} }
    expect(first(api.batchTransfers.create, params)).toBeUndefined()
  })
})

it('a webhook is connected to an account, an organization or both', () => {
  const { connect } = api.partnerWebhooks
  expect(first(connect, { id: 'w', account_id: 'a' })).toBeUndefined()
  expect(first(connect, { id: 'w', org_id: 'o' })).toBeUndefined()
  expect(first(connect, { id: 'w' })).toEqual({
    path: 'account_id',
    expected: 'given when org_id is not',
    actual: 'missing',
  })
})

it('a resource does in place of its id, and nothing else of it is sent', () => {
  const now = () => NOW
  const batch = { id: 'b', status: 'DRAFTING', funding: {} }
  const target = '/api/v1/batch_transfers/b'
  const write = (row: { readonly route: `POST /${string}` | `GET /${string}` }) =>
    prepareRequest(untyped(row), { check: true, now })(batch)
  expect(write(api.batchTransfers.retrieve)).toMatchObject({ right: { target } })
  expect(write(api.batchTransfers.items)).toMatchObject({ right: { target: `${target}/items` } })
  expect(write(api.batchTransfers.quote)).toMatchObject({ right: { body: '{}' } })
  expect(write(api.batchTransfers.submit)).toMatchObject({ right: { body: '{}' } })
})

it.each([api.webhooks, api.partnerWebhooks])(
  'a webhook keeps its secret, checked or not',
  (table) => {
    const hook = {
      id: 'wh_1',
      url: 'https://shop.test',
      events: ['account.active'],
      secret: 'whsec_1',
    }
    for (const check of [true, false]) {
      const write = (row: { readonly route: `POST /${string}` | `GET /${string}` }) =>
        prepareRequest(untyped(row), { check, now: () => NOW })(hook)
      expect(write(table.update)).toMatchObject({ right: { body: '{"url":"https://shop.test"}' } })
      expect(write(table.delete)).toMatchObject({ right: { body: '{}' } })
      expect(write(table.retrieve)).toMatchObject({
        right: { target: expect.stringMatching(/\/webhooks\/wh_1$/) },
      })
    }
  },
)

it('unchecked parameters are sent as they are where the interface shows none', () => {
  const write = (row: { readonly route: `POST /${string}` | `GET /${string}` }, params: unknown) =>
    prepareRequest(untyped(row), { check: false, now: () => NOW })(params)
  const { items, quote, submit } = api.batchTransfers
  expect(write(items, { id: 'b', status: 'BOOKED', page_size: 5 })).toMatchObject({
    right: { target: '/api/v1/batch_transfers/b/items?status=BOOKED&page_size=5' },
  })
  expect(write(quote, { id: 'b', validity: 'HR_48', lock: true })).toMatchObject({
    right: { body: '{"validity":"HR_48","lock":true}' },
  })
  expect(write(submit, { id: 'b', skip: ['r'] })).toMatchObject({
    right: { body: '{"skip":["r"]}' },
  })
})

it('an amount is written without an exponent', () => {
  const write = prepareRequest(untyped(api.charges.create), { check: true, now: () => NOW })
  const sent = (amount: number) => {
    const asked = write({
      amount,
      currency: 'QQQ', // which may have any decimals
      reason: 'travel',
      reference: 'r',
      source: 's',
      request_id: 'q',
    })
    return E.isRight(asked) ? JSON.parse(asked.right.body ?? '').amount : asked.left
  }
  expect(sent(1e-7)).toBe('0.0000001')
  expect(sent(1.25e-9)).toBe('0.00000000125')
  expect(sent(1e21)).toBe('1000000000000000000000')
  expect(sent(1.5e22)).toBe('15000000000000000000000')
  expect(sent(9.99)).toBe('9.99')
})

it('unchecked parameters are sent as they are', () => {
  const write = prepareRequest(untyped(api.reference.upload), { check: false, now: () => NOW })
  const items = [{ order_datetime: '1999-01-01T00:00:00Z' }]
  expect(write({ items })).toMatchObject({ right: { body: JSON.stringify(items) } })
})
