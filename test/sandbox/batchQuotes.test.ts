import { describe, expect, it } from 'vitest'
import { BatchTransfer } from '../../src/codec/BatchTransfer.js'
import { digitsOf } from '../../src/decode/index.js'
import { E, O } from '../../src/fp.js'
import { BATCHES, batch, newItem, openedBatch as opened, refused } from './batchSupport.js'
import { items } from './support.js'

describe('POST /api/v1/batch_transfers/{id}/delete_items', () => {
  it('takes out what it names, and passes over what is not there', async () => {
    const { call, items } = await opened()
    await call('add_items', { items: ['a', 'b', 'c'].map((id) => newItem(id)) })
    const [a, , c] = (await items()).map((row) => row.id)
    const deleted = await call('delete_items', { item_ids: [a, c, 'bti_000000000000', 'other'] })
    expect(deleted).toMatchObject({ status: 200, body: { total_item_count: 1 } })
    expect((await items()).map((row) => row.request_id)).toEqual(['b'])
    const again = await call('add_items', { items: [newItem('a')] })
    expect(again.body).toMatchObject({ total_item_count: 2 })
    expect((await items()).map((row) => row.id)).not.toContain(a)
  })

  it('takes an id by the letter', async () => {
    const { call, items } = await opened()
    await call('add_items', { items: [newItem('a')] })
    const id = String((await items())[0]?.id)
    const others = [id.replace(/(?=....$)/, '0'), id.toUpperCase(), `${id} `]
    await call('delete_items', { item_ids: others })
    expect(await items()).toMatchObject([{ id }])
  })

  it.each([
    [{}, 'field_required'],
    [{ item_ids: [1] }, 'invalid_argument'],
  ])('refuses %j', async (body, code) => {
    const { call } = await opened()
    expect(await call('delete_items', body)).toMatchObject(refused(code, 'item_ids'))
  })
})

it('an item that was deleted has an id that no other gets, and no item changes nothing', async () => {
  const { call, items, retrieve } = await opened()
  await call('add_items', { items: [newItem('a'), newItem('b')] })
  const [a] = await items()
  await call('delete_items', { item_ids: [a?.id] })
  await call('add_items', { items: [newItem('c')] })
  const ids = (await items()).map(({ id }) => id)
  expect(new Set([a?.id, ...ids]).size).toBe(3)

  await call('quote')
  const quoted = await retrieve()
  expect(quoted.body).toMatchObject({ total_item_count: 2, quote_summary: expect.anything() })
  await call('delete_items', { item_ids: [a?.id] })
  expect(await retrieve()).toEqual(quoted)
})

describe('POST /api/v1/batch_transfers/{id}/delete', () => {
  it('answers the batch as it stood; then there is none', async () => {
    const { call, retrieve, get } = await opened()
    expect(await call('delete')).toEqual({ status: 200, body: batch })
    expect(await retrieve()).toMatchObject({ status: 404 })
    expect(items(await get(BATCHES))).toEqual([])
    expect(await call('delete')).toMatchObject({ status: 404 })
  })
})

describe('POST /api/v1/batch_transfers/{id}/quote', () => {
  /** A quote from USD to a currency, and to USD without a rate. */
  const quote = (
    to: string,
    of: { readonly pays: number; receives: number; fee: number; rate: number | null },
  ) => ({
    amount_beneficiary_receives: of.receives,
    amount_payer_pays: of.pays,
    client_rate: of.rate,
    currency_pair: of.rate && `USD${to}`,
    fee_amount: of.fee,
    fee_currency: 'USD',
    source_currency: 'USD',
    transfer_currency: to,
  })

  it('prices each pair of currencies', async () => {
    const paysTen = { transfer_amount: undefined, source_amount: 10 }
    const { call, items, clock } = await opened()
    await call('add_items', {
      items: [
        newItem('a'),
        newItem('b', { transfer_amount: 460 }),
        newItem('c', { transfer_currency: 'USD', transfer_amount: undefined, source_amount: 50 }),
        newItem('d', { reference: 'wrong_invalid' }),
        newItem('e', { transfer_currency: 'JPY', ...paysTen, fee_paid_by: 'BENEFICIARY' }),
      ],
    })
    clock.pass(1_000)
    const quoted = await call('quote', { validity: 'MIN_15' })
    expect(quoted).toEqual({
      status: 200,
      body: {
        ...batch,
        total_item_count: 5,
        valid_item_count: 4,
        updated_at: '2026-01-02T03:04:06+0000',
        quote_summary: {
          expires_at: '2026-01-02T03:19:06+0000',
          last_quoted_at: '2026-01-02T03:04:06+0000',
          validity: 'MIN_15',
          quotes: [
            quote('EUR', { pays: 1_504.5, receives: 1_380, fee: 4.5, rate: 0.92 }),
            quote('USD', { pays: 50.15, receives: 50, fee: 0.15, rate: null }),
            quote('JPY', { pays: 10, receives: 1_505, fee: 0.03, rate: 151 }),
          ],
        },
      },
    })
    const [first] = await items()
    expect(first?.transfer_draft).toEqual({
      ...newItem('a'),
      source_amount: 1_000,
      transfer_amount: 920,
      fee_amount: 3,
      fee_currency: 'USD',
      fee_paid_by: 'PAYER',
      amount_payer_pays: 1_003,
      amount_beneficiary_receives: 920,
      transfer_date: '2026-01-02',
      payer: null,
      application_fee_options: [],
    })
  })

  it.each(['source_amount', 'transfer_amount'])('has a number whatever the %s', async (name) => {
    const { call, items } = await opened()
    const item = (amount: number, n: number) =>
      newItem(`item-${n}`, { transfer_amount: undefined, [name]: amount })
    await call('add_items', { items: [1e308, -1e308, 1e101].map(item) })
    const errors = [{ code: 'invalid_argument', source: name }]
    for (const row of await items()) {
      expect(row).toMatchObject({ status: 'VALIDATION_FAILED', errors })
    }
    const large = Array.from({ length: 100 }, (_, n) => item(1e100, 10 + n))
    await call('add_items', { items: large })
    const { body } = await call('quote')
    expect(body).toMatchObject({ valid_item_count: 100 })
    expect(E.isRight(BatchTransfer.decode(body))).toBe(true)
  })

  it.each([
    ['900719925474099.37', '2702159776422.3', '903422085250521.67'],
    ['9007199254740993', '27021597764222.98', '9034220852505215.98'],
    ['12345678901234567890.1', '37037036703703703.67', '12382715937938271593.77'],
  ])('shows all digits of an amount of %s, its fee and their sum', async (amount, fee, sum) => {
    const { post, id, call, items } = await opened()
    const usd = { transfer_currency: 'USD', transfer_amount: undefined, source_amount: 0 }
    const json = JSON.stringify({ items: ['a', 'b'].map((one) => newItem(one, usd)) })
    const texts = [amount, `"${amount}"`]
    const body = json.replaceAll('"source_amount":0', () => `"source_amount":${texts.shift()}`)
    await post(`${BATCHES}/${id}/add_items`, body)
    const quoted = Object((await call('quote')).body)
    for (const { transfer_draft } of await items()) {
      const digits = (name: string) => digitsOf(name)(Object(transfer_draft))
      expect(digits('source_amount')).toEqual(O.some(amount))
      expect(digits('transfer_amount')).toEqual(O.some(amount))
      expect(digits('fee_amount')).toEqual(O.some(fee))
      expect(digits('amount_payer_pays')).toEqual(O.some(sum))
    }
    const double = (text: string) => {
      const [whole = '', fraction = ''] = text.split('.')
      const cents = String(2n * BigInt(whole + fraction.padEnd(2, '0')))
      return `${cents.slice(0, -2)}.${cents.slice(-2)}`.replace(/\.?0+$/, '')
    }
    const [quote] = quoted.quote_summary.quotes
    expect(digitsOf('amount_payer_pays')(quote)).toEqual(O.some(double(sum)))
    expect(digitsOf('amount_beneficiary_receives')(quote)).toEqual(O.some(double(amount)))
  })

  it('takes no body, and holds for half an hour then', async () => {
    const { call } = await opened()
    expect((await call('quote', '')).body).toMatchObject({
      quote_summary: { validity: 'MIN_30', expires_at: '2026-01-02T03:34:05+0000', quotes: [] },
    })
    const wrong = await call('quote', { validity: 'DAY_1' })
    expect(wrong).toMatchObject(refused('invalid_argument', 'validity'))
  })

  it('is for the items there were', async () => {
    const { call } = await opened()
    await call('quote')
    const added = await call('add_items', { items: [newItem('a')] })
    expect(added.body).toMatchObject({ quote_summary: null })
  })

  it.each([
    ['MIN_1', {}, 60_000],
    ['HR_1', { quoteLife: 5_000 }, 5_000],
  ] as const)('a quote of %s with %j is good for %i ms', async (validity, options, life) => {
    const { call, clock } = await opened(options)
    await call('add_items', { items: [newItem('a')] })
    await call('quote', { validity })
    clock.pass(life)
    expect(await call('submit')).toMatchObject(refused('invalid_argument', 'quote_summary'))
    await call('quote', { validity })
    clock.pass(life - 1)
    expect(await call('submit')).toMatchObject({ status: 200, body: { status: 'SCHEDULED' } })
  })
})

it('a quote that is to hold for ever does so until the last moment that a time can say', async () => {
  const { call } = await opened({ quoteLife: Number.MAX_SAFE_INTEGER })
  await call('add_items', { items: [newItem('a')] })
  expect(await call('quote')).toMatchObject({
    status: 200,
    body: { quote_summary: { expires_at: '9999-12-31T23:59:59+0000' } },
  })
  expect(await call('submit')).toMatchObject({ status: 200, body: { status: 'SCHEDULED' } })
})

describe('POST /api/v1/batch_transfers/{id}/submit', () => {
  it('refuses a batch without valid items', async () => {
    const { call } = await opened()
    expect(await call('submit')).toMatchObject(refused('invalid_argument'))
    await call('add_items', { items: [newItem('a', { reference: 'x_invalid' })] })
    expect(await call('submit')).toMatchObject(refused('invalid_argument'))
  })

  it('closes the batch', async () => {
    const { call } = await opened()
    await call('add_items', { items: [newItem('a')] })
    expect(await call('submit', '')).toEqual({
      status: 200,
      body: { ...batch, status: 'SCHEDULED', total_item_count: 1, valid_item_count: 1 },
    })
    const closed = refused('add_batch_item_unsupported')
    expect(await call('add_items', { items: [newItem('b')] })).toMatchObject(closed)
    for (const name of ['submit', 'quote', 'delete']) {
      expect(await call(name)).toMatchObject(refused('invalid_argument', 'status'))
    }
    const deleted = await call('delete_items', { item_ids: [] })
    expect(deleted).toMatchObject(refused('invalid_argument', 'status'))
  })
})
