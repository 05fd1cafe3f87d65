/** The client, the sandbox and the OpenAPI description agree: every call, held against the page. */
import { readFileSync } from 'node:fs'
import { lastValueFrom, toArray } from 'rxjs'
import { expect, it } from 'vitest'
import { rows } from '../../src/api/index.js'
import {
  createClient,
  type Failure,
  type ObservableEither,
  orThrow,
  toError,
} from '../../src/index.js'
import { createSandbox, sandboxCredentials, sandboxPartner } from '../../src/sandbox/index.js'
import { judge } from './contract.js'

const page = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))

const watched = () => {
  const sandbox = createSandbox({ charges: 50, bookEvery: 0, fundAfter: 0 })
  const judged = judge(page)
  const seen = new Set<string>()
  const all: Array<string> = []
  const watch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const copy = request.clone()
    const response = await sandbox.fetch(request)
    const { operation, found } = await judged(copy, response.clone())
    seen.add(operation)
    all.push(...found.map((what) => `${operation}: ${what}`))
    return response
  }
  const payments = createClient({
    baseUrl: 'https://platform.test',
    credentials: sandboxCredentials,
    partner: sandboxPartner,
    apiVersion: '2026-08-21',
    onBehalfOf: 'acct_1',
    fetch: watch,
    limits: { global: 1e6, endpoint: 1e6, concurrency: 100 },
  })
  return { payments, found: all, seen }
}

const one = <A>(call: ObservableEither<Failure, A>): Promise<A> =>
  lastValueFrom(call.pipe(orThrow(toError)))

const all = <A>(call: ObservableEither<Failure, A>): Promise<ReadonlyArray<A>> =>
  lastValueFrom(call.pipe(orThrow(toError), toArray()))

const item = {
  reason: 'wages_salary',
  reference: 'Salary',
  source_currency: 'USD',
  transfer_currency: 'EUR',
  transfer_method: 'LOCAL',
  source_amount: 100,
  beneficiary_id: 'ben_1',
} as const

const order = {
  category: 'goods_trade_online',
  currency: 'USD',
  item_name: 'Desk lamp',
  item_quantity: 3,
  item_unit_price: 19.9,
  item_url: 'https://shop.test/lamps/1',
  line_total: 59.7,
  order_datetime: new Date(),
  order_id: 'SO-1',
  shipment_provider: 'DHL',
  shipment_tracking_number: 'JD0146000',
} as const

const hook = { events: ['account.active'], url: 'https://shop.test', version: '2026-08-21' }

it('nothing that is sent or answered contradicts the description', async () => {
  const { payments, found, seen } = watched()
  const { charges, batchTransfers, reference, webhooks, partnerWebhooks } = payments

  const charge = await one(
    charges.create({
      amount: 9.99,
      currency: 'EUR',
      reason: 'travel',
      reference: 'r',
      source: 's',
    }),
  )
  await one(charges.retrieve(charge))
  await all(charges.list({ page_size: 10, from_created_at: new Date(0), status: 'SETTLED' }))

  const batch = await one(batchTransfers.create({ name: 'Payroll', metadata: { a: 'b' } }))
  const items = ['a', 'b', 'c'].map((request_id) => ({ ...item, request_id }))
  await one(batchTransfers.addItems({ id: batch.id, items }))
  const [first] = await all(batchTransfers.items({ id: batch.id, page_size: 2 }))
  await one(batchTransfers.deleteItems({ id: batch.id, item_ids: [first?.id ?? ''] }))
  await one(batchTransfers.quote({ id: batch.id, validity: 'MIN_30' }))
  await one(batchTransfers.submit({ id: batch.id }))
  await one(batchTransfers.retrieve({ id: batch.id }))
  await all(batchTransfers.list({ page_size: 1 }))
  const other = await one(batchTransfers.create({ funding_source: { id: 'la_1' } }))
  await one(batchTransfers.delete({ id: other.id }))

  await one(reference.industryCategories())
  await one(payments.with({ apiVersion: '2024-01-01' }).reference.industryCategories())
  await one(reference.invalidConversionDates({ currency_pair: 'EURUSD' }))
  await one(reference.supportedCurrencies())
  await one(
    reference.upload({ items: [order], types: ['CN_INBOUND'], allow_partial_success: true }),
  )
  await one(reference.quota({ type: 'CN_INBOUND' }))
  await one(reference.expiringQuota())
  await one(reference.lookUpBin({ pan: '4242 4242 4242 4242' }))

  const { id } = await one(webhooks.create(hook))
  await one(webhooks.retrieve({ id }))
  await one(webhooks.update({ id, url: 'https://shop.test/2' }))
  await all(webhooks.list())
  await one(webhooks.delete({ id }))

  const { id: theirs } = await one(partnerWebhooks.create(hook))
  await one(partnerWebhooks.retrieve({ id: theirs }))
  await one(partnerWebhooks.update({ id: theirs, url: 'https://shop.test/2' }))
  await all(partnerWebhooks.list())
  await one(partnerWebhooks.connect({ id: theirs, account_id: 'acct_2' }))
  await one(partnerWebhooks.disconnect({ id: theirs, account_id: 'acct_2' }))
  await one(partnerWebhooks.delete({ id: theirs }))

  // refused: the answers are described as well
  await lastValueFrom(charges.retrieve({ id: 'nobody' }))
  await lastValueFrom(payments.with({ check: false }).charges.list({ page_size: 10, page_num: -1 }))
  expect(found).toEqual(['charges.list: query/page_num must be >= 0'])
  expect(seen.size).toBe(rows.length)
})
