/** Rules that need the time, and rules between the parameters of one call. */
import { type Observable, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { paramsAt, untyped } from '../../src/api/Endpoint.js'
import { api } from '../../src/api/index.js'
import { causes } from '../../src/decode/index.js'
import { E } from '../../src/fp.js'
import type { Client, ClientOptions } from '../../src/index.js'
import { lab } from '../support/lab.js'

const NOW = Date.UTC(2026, 0, 10, 12)

const first = (row: { readonly route: `POST /${string}` | `GET /${string}` }, params: unknown) => {
  const decoded = paramsAt(NOW)(untyped(row)).decode(params)
  return E.isLeft(decoded) ? causes(decoded.left)[0] : undefined
}

/** The request of a client for a call: the path with its query, and the body. */
const sent = (
  callOf: (client: Client) => Observable<unknown>,
  options: Pick<ClientOptions, 'check'> = {},
) => {
  const partner = { clientId: 'partner', clientSecret: 'open sesame' }
  const { client, run, calls } = lab({ partner, ...options })
  run(callOf(client).pipe(take(1)))
  const { url = '', body } = calls()[0]?.request ?? {}
  return { target: url.replace('https://platform.test', ''), body }
}

const UNCHECKED = { check: false }

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
    expected: 'given when org_id is missing',
    actual: 'missing',
  })
})

it('a resource does in place of its id, and nothing else of it is sent', () => {
  const batch = { id: 'b', status: 'DRAFTING', funding: {} }
  const target = '/api/v1/batch_transfers/b'
  expect(sent(({ batchTransfers }) => batchTransfers.retrieve(batch))).toEqual({ target })
  expect(sent(({ batchTransfers }) => batchTransfers.items(batch))).toEqual({
    target: `${target}/items`,
  })
  expect(sent(({ batchTransfers }) => batchTransfers.quote(batch)).body).toBe('{}')
  expect(sent(({ batchTransfers }) => batchTransfers.submit(batch)).body).toBe('{}')
})

it.each(['webhooks', 'partnerWebhooks'] as const)('a webhook keeps its secret: %s', (table) => {
  const hook = {
    id: 'wh_1',
    url: 'https://shop.test',
    events: ['account.active'],
    secret: 'whsec_1',
  }
  for (const check of [true, false]) {
    expect(sent((client) => client[table].update(hook), { check }).body).toBe(
      '{"url":"https://shop.test"}',
    )
    expect(sent((client) => client[table].delete(hook), { check }).body).toBe('{}')
    expect(sent((client) => client[table].retrieve(hook), { check }).target).toMatch(
      /\/webhooks\/wh_1$/,
    )
  }
})

it('unchecked parameters are sent as they are where the interface shows none', () => {
  const filter = { id: 'b', status: 'BOOKED', page_size: 5 }
  expect(sent(({ batchTransfers }) => batchTransfers.items(filter), UNCHECKED)).toEqual({
    target: '/api/v1/batch_transfers/b/items?status=BOOKED&page_size=5',
  })
  const lock = { id: 'b', validity: 'HR_48', lock: true } as const
  expect(sent(({ batchTransfers }) => batchTransfers.quote(lock), UNCHECKED).body).toBe(
    '{"validity":"HR_48","lock":true}',
  )
  const skip = { id: 'b', skip: ['r'] }
  expect(sent(({ batchTransfers }) => batchTransfers.submit(skip), UNCHECKED).body).toBe(
    '{"skip":["r"]}',
  )
})

it.each([
  [1e-7, '0.0000001'],
  [1.25e-9, '0.00000000125'],
  [1e21, '1000000000000000000000'],
  [1.5e22, '15000000000000000000000'],
  [9.99, '9.99'],
])('an amount is written without an exponent: %d', (amount, written) => {
  const { body = '' } = sent(({ charges }) =>
    charges.create({
      amount,
      currency: 'QQQ', // which may have any decimals
      reason: 'travel',
      reference: 'r',
      source: 's',
      request_id: 'q',
    }),
  )
  expect(JSON.parse(body).amount).toBe(written)
})

it('unchecked parameters are sent as they are', () => {
  const items = [{ order_datetime: '1999-01-01T00:00:00Z' }]
  const upload = untyped(api.reference.upload)
  expect(sent(({ request }) => request(upload)({ items }), UNCHECKED).body).toBe(
    JSON.stringify(items),
  )
})
