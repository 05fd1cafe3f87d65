import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { generatedBatch } from '../../src/sandbox/batches/Batch.js'
import { checkItem } from '../../src/sandbox/batches/batchItems.js'
import { settingsOf } from '../../src/sandbox/options.js'
import { BATCHES, batch, newItem, openedBatch as opened, refused } from './batchSupport.js'
import { items, open } from './support.js'

describe('POST /api/v1/batch_transfers/create', () => {
  it('answers the batch, without a status of its funding', async () => {
    const { created } = await opened()
    expect(created).toEqual({ status: 200, body: batch })
  })

  it('refuses a request_id twice, also that of a batch that was deleted', async () => {
    const { post, call } = await opened()
    const duplicate = refused('batch_request_id_duplicate', 'request_id')
    expect(await post(`${BATCHES}/create`, { request_id: 'payroll-1' })).toMatchObject(duplicate)
    await call('delete')
    expect(await post(`${BATCHES}/create`, { request_id: 'payroll-1' })).toMatchObject(duplicate)
  })

  it.each([
    [{}, 'field_required', 'request_id'],
    [{ request_id: '' }, 'invalid_argument', 'request_id'],
    [{ transfer_date: 'tomorrow' }, 'invalid_argument', 'transfer_date'],
    [{ transfer_date: '2025-12-31' }, 'transfer_date_invalid', 'transfer_date'],
    [{ metadata: { a: 'x'.repeat(4_492) } }, 'metadata_above_size_limit', 'metadata'],
    [
      { metadata: Object.fromEntries(Array.from({ length: 15 }, (_, n) => [n, ''])) },
      'metadata_above_size_limit',
      'metadata',
    ],
    [
      { funding_source: { deposit_type: 'CASH' } },
      'invalid_argument',
      'funding_source.deposit_type',
    ],
    [{ funding_source: { id: 'la_unknown' } }, 'invalid_funding_source', 'funding_source.id'],
    [
      { funding_source: { id: 'la_1' }, transfer_date: '2026-02-01' },
      'invalid_argument',
      'transfer_date',
    ],
  ])('refuses %j', async (change, code, source) => {
    const { post } = await open()
    const required = code === 'field_required' ? {} : { request_id: 'payroll-1' }
    const created = await post(`${BATCHES}/create`, { ...required, ...change })
    expect(created).toMatchObject(refused(code, source))
  })

  it.each([
    {},
    { transfer_date: '2026-01-02' },
    { transfer_date: '2026-01-02T10:00:00+0000' },
    { transfer_date: '' },
    { transfer_date: '', funding_source: { id: 'la_1' } },
    { funding_source: { id: 'la_1', deposit_type: 'FASTER_DIRECT_DEBIT', reference: 'PAYROLL' } },
    { metadata: Object.fromEntries(Array.from({ length: 14 }, (_, n) => [n, ''])) },
    { metadata: { a: 'x'.repeat(4_491) } },
  ])('takes %j', async (change) => {
    const { created } = await opened({}, { request_id: 'payroll-1', ...change })
    expect(created).toMatchObject({ status: 200, body: { status: 'DRAFTING' } })
  })

  it.each([
    ['', '2026-01-02'],
    ['2026-01-03', '2026-01-03'],
    ['2026-01-03T08:30', '2026-01-03T08:30:00+0000'],
  ])('writes the transfer_date %j as %s', async (transfer_date, written) => {
    const { created } = await opened({}, { request_id: 'payroll-1', transfer_date })
    expect(created.body).toMatchObject({ transfer_date: written })
  })
})

describe('GET /api/v1/batch_transfers/{id}', () => {
  it('has the status of its funding, as a list has', async () => {
    const { retrieve, get } = await opened()
    const body = { ...batch, funding: { status: 'SCHEDULED', ...batch.funding } }
    expect(await retrieve()).toEqual({ status: 200, body })
    const list = { items: [body], page_after: null, page_before: null }
    expect(await get(BATCHES)).toEqual({ status: 200, body: list })
  })

  it.each(['bat_00000000', 'bat_', 'other'])('there is no %s', async (id) => {
    const { get } = await opened()
    const notFound = { status: 404, body: { code: 'not_found' } }
    expect(await get(`${BATCHES}/${id}`)).toMatchObject(notFound)
    expect(await get(`${BATCHES}/${id}/items`)).toMatchObject(notFound)
  })

  it('names the linked account that pays', async () => {
    const funding_source = { id: 'la_1', reference: 'PAYROLL' }
    const { retrieve } = await opened({}, { request_id: 'payroll-1', funding_source })
    expect((await retrieve()).body).toMatchObject({
      funding: {
        status: 'SCHEDULED',
        deposit_type: 'DIRECT_DEBIT',
        funding_source_id: 'la_1',
        reference: 'PAYROLL',
      },
    })
  })
})

describe('GET /api/v1/batch_transfers', () => {
  it('is narrowed by request_id, short_reference_id and status', async () => {
    const { post, get, call, id } = await opened()
    await post(`${BATCHES}/create`, { request_id: 'payroll-2' })
    await call('add_items', { items: [newItem('a')] })
    await call('submit')
    const found = async (query: string) =>
      items(await get(`${BATCHES}?${query}`)).map((row) => row.request_id)
    const [first] = items(await get(`${BATCHES}?request_id=payroll-1`))
    expect(first?.id).toBe(id)
    expect(await found(`short_reference_id=${first?.short_reference_id}`)).toEqual(['payroll-1'])
    expect(await found('status=SCHEDULED')).toEqual(['payroll-1'])
    expect(await found('status=DRAFTING')).toEqual(['payroll-2'])
    expect(await found('status=DRAFTING&request_id=payroll-1')).toEqual([])
    expect(await found('')).toEqual(['payroll-1', 'payroll-2'])
  })

  const WRONG = ['page_size=0', 'page_size=51', 'status=DONE', 'page=1', 'page=']
  it.each(WRONG)('refuses %s', async (query) => {
    const { get } = await open()
    expect(await get(`${BATCHES}?${query}`)).toMatchObject(refused('invalid_argument'))
  })
})

describe('POST /api/v1/batch_transfers/{id}/add_items', () => {
  it('answers the batch with its counts', async () => {
    const { call } = await opened()
    expect(await call('add_items', { items: [newItem('a'), newItem('b')] })).toEqual({
      status: 200,
      body: { ...batch, total_item_count: 2, valid_item_count: 2 },
    })
  })

  it('takes an empty beneficiary beside a beneficiary_id', async () => {
    const { call, items } = await opened()
    const known = { beneficiary: {}, beneficiary_id: 'ben_1' }
    const given = [newItem('a', known), newItem('b', { beneficiary: {} })]
    const added = await call('add_items', { items: given })
    expect(added.body).toMatchObject({ total_item_count: 2, valid_item_count: 1 })
    await call('quote')
    const [first, second] = await items()
    expect(first?.transfer_draft).toMatchObject({ beneficiary: null, beneficiary_id: 'ben_1' })
    expect(second?.errors).toMatchObject([{ source: 'beneficiary' }])
  })

  it('keeps items with wrong data, as invalid ones', async () => {
    const { call, items } = await opened()
    const wrong = [
      newItem('a', { transfer_method: 'PIGEON' }),
      newItem('b', { reason: undefined }),
      newItem('c', { reference: 'Salary_invalid' }),
      newItem('d', { beneficiary_id: 'ben_1' }), // besides a beneficiary
      { request_id: 'e' },
      newItem('f'),
    ]
    const added = await call('add_items', { items: wrong })
    expect(added.body).toMatchObject({ total_item_count: 6, valid_item_count: 1 })
    const rows = await items()
    const failed = Array(5).fill('VALIDATION_FAILED')
    expect(rows.map((row) => row.status)).toEqual([...failed, 'VALIDATED'])
    const params = { expected: '"SWIFT" | "LOCAL"' }
    expect(rows[0]).toEqual({
      id: expect.stringMatching(/^bti_[0-9a-f]{12}$/),
      request_id: 'a',
      status: 'VALIDATION_FAILED',
      transfer_id: null,
      transfer_draft: null,
      errors: [{ code: 'invalid_argument', source: 'transfer_method', params }],
      updated_at: '2026-01-02T03:04:05+0000',
    })
    expect(rows[1]?.errors).toMatchObject([{ code: 'field_required', source: 'reason' }])
    expect(rows[3]?.errors).toMatchObject([{ source: 'beneficiary' }])
    expect(rows[5]?.errors).toBeNull()
  })

  it('says that an object is required that is left out', async () => {
    const { call, items } = await opened()
    await call('add_items', { items: [newItem('a', { beneficiary: { entity_type: 'COMPANY' } })] })
    expect((await items())[0]?.errors).toContainEqual({
      code: 'field_required',
      source: 'beneficiary.bank_details',
      params: { expected: 'object' },
    })
  })

  it('ignores items whose request_id the batch has', async () => {
    const { call, items } = await opened()
    await call('add_items', { items: [newItem('a')] })
    const again = [newItem('a', { reference: 'Other' }), newItem('b'), newItem('b')]
    expect((await call('add_items', { items: again })).body).toMatchObject({ total_item_count: 2 })
    expect((await items()).map((row) => row.request_id)).toEqual(['a', 'b'])
  })

  it('refuses them when told so, and adds none', async () => {
    const { call, items } = await opened({ repeatedItems: 'refused' })
    await call('add_items', { items: [newItem('a')] })
    const duplicate = refused('request_id_in_batch_duplicate')
    const again = { items: [newItem('b'), newItem('a')] }
    expect(await call('add_items', again)).toMatchObject(duplicate)
    const twice = { items: [newItem('c'), newItem('c')] }
    expect(await call('add_items', twice)).toMatchObject(duplicate)
    expect(await items()).toHaveLength(1)
  })

  it('takes 100 items per call, and 1,000 in all', async () => {
    const { call } = await opened()
    const some = (from: number, count: number) => ({
      items: Array.from({ length: count }, (_, n) => newItem(`item-${from + n}`)),
    })
    expect(await call('add_items', some(0, 101))).toMatchObject(refused('invalid_argument'))
    for (let n = 0; n < 10; n++) {
      const added = await call('add_items', some(n * 100, 100))
      expect(added.body).toMatchObject({ total_item_count: (n + 1) * 100 })
    }
    expect(await call('add_items', some(1_000, 1))).toMatchObject(refused('invalid_argument'))
    const again = await call('add_items', some(900, 100))
    expect(again.body).toMatchObject({ total_item_count: 1_000 })
  })

  it.each([
    [{}, 'field_required', 'items'],
    [{ items: 'a' }, 'invalid_argument', 'items'],
    [{ items: [newItem('a'), {}] }, 'field_required', 'items[1].request_id'],
    [{ items: [newItem('')] }, 'invalid_argument', 'items[0].request_id'],
    [{ items: [7] }, 'field_required', 'items[0].request_id'],
  ])('refuses %j', async (body, code, source) => {
    const { call } = await opened()
    expect(await call('add_items', body)).toMatchObject(refused(code, source))
  })

  it('takes an empty list, and items without an amount or a beneficiary', async () => {
    const { call } = await opened()
    expect(await call('add_items', { items: [] })).toMatchObject({ status: 200 })
    const bare = newItem('a', { transfer_amount: undefined, beneficiary: undefined })
    const added = await call('add_items', { items: [bare] })
    expect(added.body).toMatchObject({ valid_item_count: 1 })
  })
})

describe('batches from the start', () => {
  it('are a million as soon as one', async () => {
    const { get, post } = await open({ batches: 1_000_000, order: 'descending' })
    const newest = await get(BATCHES)
    const names = Array.from({ length: 50 }, (_, n) => `Batch ${999_999 - n}`)
    expect(items(newest).map(({ name }) => name)).toEqual(names)
    const [last] = items(newest)
    expect(await get(`${BATCHES}/${last?.id}`)).toMatchObject({ status: 200, body: last })
    const sent = (request_id: string) => post(`${BATCHES}/create`, { request_id, name: 'mine' })
    expect((await sent('batch-999999')).status).toBe(400)
    expect((await sent('batch-1000000')).status).toBe(200)
    const now = items(await get(BATCHES)).map(({ name }) => name)
    expect(now).toEqual(['mine', ...names.slice(0, -1)])
  })

  it('keep what is done to them', async () => {
    const { get, post } = await open({ batches: 300 })
    const [draft] = items(await get(`${BATCHES}?status=DRAFTING`))
    const added = await post(`${BATCHES}/${draft?.id}/add_items`, { items: [newItem('one-more')] })
    const total_item_count = Number(draft?.total_item_count) + 1
    expect(added.body).toMatchObject({ id: draft?.id, total_item_count })
    expect((await get(`${BATCHES}/${draft?.id}`)).body).toMatchObject({ total_item_count })
    await post(`${BATCHES}/${draft?.id}/delete`, {})
    expect((await get(`${BATCHES}/${draft?.id}`)).status).toBe(404)
    expect(items(await get(`${BATCHES}?request_id=${draft?.request_id}`))).toEqual([])
  })

  it('have items that would be taken if they were sent', () => {
    for (let n = 0; n < 200; n++) {
      for (const { checked } of generatedBatch(n, 0, settingsOf({})).items) {
        expect(checked).toEqual(checkItem(E.isRight(checked) ? checked.right : checked.left))
      }
    }
  })
})
