import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AnyEndpoint, isList } from '../../src/api/Endpoint.js'
import { rows } from '../../src/api/index.js'
import { Envelope } from '../../src/codec/common.js'
import { causes } from '../../src/decode/index.js'
import { E } from '../../src/fp.js'
import { prepareRequest } from '../../src/http/request/prepareRequest.js'
import { services } from '../../src/sandbox/handlers/index.js'
import type { FaultName, SandboxOptions } from '../../src/sandbox/index.js'
import { runs } from '../support/runs.js'
import { newItem } from './batchSupport.js'
import { type Answered, items, newCharge, open, order, partnerHeaders } from './support.js'

it('every row of the interface is answered', () => {
  expect(services.map(({ row }) => row.route).toSorted()).toEqual(
    rows.map(({ route }) => route).toSorted(),
  )
})

/** Ids from earlier responses, by the names that later calls use. */
type Known = Readonly<Record<string, unknown>>

const hook = {
  events: ['account.active'],
  request_id: 'hook-1',
  url: 'https://shop.test',
  version: '2026-08-21',
}

const batch = 'POST /api/v1/batch_transfers/{id}'
const partner = '/partner-api/v1/webhooks'

/** A call of every row, as a client sends it, and what its answer makes known. */
const calls: ReadonlyArray<
  readonly [route: string, params: (known: Known) => object, learn?: (answered: Answered) => Known]
> = [
  ['POST /api/v1/authentication/login', () => ({ client_id: 'sandbox', api_key: 'sandbox-key' })],
  ['POST /api/v1/charges/create', () => newCharge, ({ body }) => ({ charge: Object(body).id })],
  ['GET /api/v1/charges/{id}', ({ charge }) => ({ id: charge })],
  ['GET /api/v1/charges', () => ({})],
  [
    'POST /api/v1/batch_transfers/create',
    () => ({ request_id: 'b-1', metadata: { a: 1 }, name: 'x' }),
    ({ body }) => ({ batch: Object(body).id }),
  ],
  [
    `${batch}/add_items`,
    ({ batch }) => ({
      id: batch,
      items: ['a', 'b', 'c', 'd'].map((id) => newItem(id, { reference: `${id}_failed` })),
    }),
  ],
  [
    `${batch}/add_items`,
    ({ batch }) => ({ id: batch, items: [newItem('e'), newItem('f', { reference: '_invalid' })] }),
  ],
  ['GET /api/v1/batch_transfers/{id}', ({ batch }) => ({ id: batch })],
  [
    'GET /api/v1/batch_transfers/{id}/items',
    ({ batch }) => ({ id: batch }),
    (answered) => ({ item: items(answered)[0]?.id }),
  ],
  [`${batch}/delete_items`, ({ batch, item }) => ({ id: batch, item_ids: [item] })],
  [`${batch}/quote`, ({ batch }) => ({ id: batch, validity: 'HR_24' })],
  [`${batch}/submit`, ({ batch }) => ({ id: batch })],
  ['GET /api/v1/batch_transfers/{id}/items', ({ batch }) => ({ id: batch })],
  ['GET /api/v1/batch_transfers/{id}', ({ batch }) => ({ id: batch })],
  ['GET /api/v1/batch_transfers/{id}/items', ({ batch }) => ({ id: batch, page_size: 2 })],
  [
    'POST /api/v1/batch_transfers/create',
    () => ({ request_id: 'b-2', funding_source: { id: 'la_1' } }),
    ({ body }) => ({ draft: Object(body).id }),
  ],
  ['GET /api/v1/batch_transfers', () => ({})],
  [`${batch}/delete`, ({ draft }) => ({ id: draft })],
  ['GET /api/v1/reference/industry_categories', () => ({})],
  ['GET /api/v1/reference/invalid_conversion_dates', () => ({ currency_pair: 'EURUSD' })],
  ['GET /api/v1/reference/supported_currencies', () => ({})],
  [
    'POST /api/v1/reference/order_items/upload',
    () => ({ items: [order], types: ['ID_OUTBOUND', 'CN_INBOUND'], allow_partial_success: true }),
  ],
  ['GET /api/v1/reference/order_items/expiring_quota', () => ({ type: 'ID_OUTBOUND' })],
  ['GET /api/v1/reference/order_items/quota', () => ({})],
  ['GET /api/v1/pa/reference/bin/lookup', () => ({ pan: '4242 4242-42424242' })],
  ['POST /api/v1/webhooks/create', () => hook, ({ body }) => ({ hook: Object(body).id })],
  ['GET /api/v1/webhooks/{id}', ({ hook }) => ({ id: hook })],
  ['GET /api/v1/webhooks', () => ({})],
  ['POST /api/v1/webhooks/{id}/update', ({ hook }) => ({ id: hook, url: 'https://b.test' })],
  ['POST /api/v1/webhooks/{id}/delete', ({ hook }) => ({ id: hook })],
  [`POST ${partner}/create`, () => hook, ({ body }) => ({ theirs: Object(body).id })],
  [`GET ${partner}/{id}`, ({ theirs }) => ({ id: theirs })],
  [`GET ${partner}`, () => ({ page_size: 1 })],
  [`POST ${partner}/{id}/update`, ({ theirs }) => ({ id: theirs, url: 'https://b.test' })],
  [`POST ${partner}/{id}/connect`, ({ theirs }) => ({ id: theirs, account_id: 'acct_1' })],
  [`POST ${partner}/{id}/disconnect`, ({ theirs }) => ({ id: theirs, account_id: 'acct_1' })],
  [`POST ${partner}/{id}/delete`, ({ theirs }) => ({ id: theirs })],
]

const rowOf = (route: string): AnyEndpoint => {
  const row = rows.find((one) => one.route === route)
  if (row === undefined) throw new Error(`no row ${route}`)
  return row
}

/** The paths of a success that the codec of the row rejects. */
const wrong = (row: AnyEndpoint, { body }: Answered): ReadonlyArray<string> => {
  const envelope = Envelope.decode(body)
  const all = isList(row) ? (E.isRight(envelope) ? envelope.right.items : [undefined]) : [body]
  return all.flatMap((value) => {
    const decoded = row.success.decode(value)
    return E.isRight(decoded) ? [] : causes(decoded.left).map(({ path }) => `${row.route} ${path}`)
  })
}

/** Makes every call, with a fault that befalls each of them; `pause` ms lie between two. */
const play = async (options: SandboxOptions, pause = 0, fault?: FaultName) => {
  const { send, authorization, clock } = await open(options)
  const seen: Array<readonly [AnyEndpoint, Answered]> = []
  let known: Known = {}
  for (const [route, params, learn] of calls) {
    const row = rowOf(route)
    const asked = prepareRequest(row, { check: true, now: clock.now })(params(known))
    if (E.isLeft(asked)) throw new Error(`${route}: ${asked.left[0].path}`)
    const { method, target, headers, body } = asked.right
    const again = fault === undefined || method === 'POST' ? [undefined] : [undefined, fault]
    for (const drawFault of again) {
      const answered = await send(target, {
        method,
        headers: {
          ...(row.auth === 'basic'
            ? partnerHeaders
            : row.auth === 'bearer'
              ? { authorization }
              : {}),
          ...headers,
          ...(drawFault === undefined ? {} : { 'x-sandbox-fault': drawFault }),
        },
        ...(body === undefined ? {} : { body }),
      })
      if (drawFault === fault || fault === undefined) seen.push([row, answered])
      if (drawFault === undefined) known = { ...known, ...learn?.(answered) }
    }
    clock.pass(pause)
  }
  return seen
}

describe('every call', () => {
  it('is made by this test', () => {
    expect(new Set(calls.map(([route]) => route))).toEqual(new Set(rows.map(({ route }) => route)))
  })

  it('is answered as its row says, whatever the options are and whenever it is made', async () => {
    const options = fc.record({
      seed: fc.nat(),
      order: fc.constantFrom('ascending' as const, 'descending' as const),
      apiVersion: fc.constantFrom('2024-01-01', '2026-06-29', '2026-08-21'),
      funding: fc.constantFrom('funded', 'failed', 'overdue', 'reversed', 'cancelled'),
      approval: fc.constantFrom('none', 'approved', 'rejected', 'recalled', 'blocked', 'undecided'),
      fundAfter: fc.constantFrom(0, 100),
      bookEvery: fc.constantFrom(0, 100, 1_000),
    })
    await fc.assert(
      fc.asyncProperty(options, fc.constantFrom(0, 50, 300, 5_000), async (sandbox, pause) => {
        for (const [row, answered] of await play(sandbox, pause)) {
          expect([row.route, answered.status]).toEqual([row.route, row.status])
          expect(wrong(row, answered)).toEqual([])
        }
      }),
      { numRuns: runs(20) },
    )
  })

  it.each(['unknown-field', 'unknown-enum'] as const)('still decodes with %s', async (fault) => {
    const seen = await play({}, 0, fault)
    expect(seen.flatMap(([row, answered]) => wrong(row, answered))).toEqual([])
  })

  it('that reads something does not decode with malformed-row', async () => {
    const seen = await play({}, 0, 'malformed-row')
    expect(seen.length).toBeGreaterThan(12)
    for (const [row, answered] of seen) {
      expect([row.route, wrong(row, answered).length > 0]).toEqual([row.route, true])
    }
  })

  it('is refused without credentials', async () => {
    const { send } = await open()
    for (const { route, auth } of rows) {
      const [method = '', path = ''] = route.split(' ')
      const { status } = await send(path.replace('{id}', 'x'), { method })
      expect([route, status]).toEqual([route, 401])
      expect(['bearer', 'basic', 'none']).toContain(auth)
    }
  })
})
