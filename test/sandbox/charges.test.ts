import { describe, expect, it } from 'vitest'
import { digitsOf } from '../../src/decode/index.js'
import { O } from '../../src/fp.js'
import { everyItem, items, newCharge, open } from './support.js'

describe('charges', () => {
  it('are created as NEW and settle by themselves', async () => {
    const { post, get, clock } = await open()
    const created = await post('/api/v1/charges/create', newCharge)
    const { id } = Object(created.body)
    const charge = {
      ...newCharge,
      id,
      amount: 12.5,
      fee: 0.04,
      short_reference_id: expect.stringMatching(/^CH[0-9a-f]{8}$/),
      status: 'NEW',
      created_at: '2026-01-02T03:04:05+0000',
      updated_at: '2026-01-02T03:04:05+0000',
    }
    expect(created).toEqual({ status: 201, body: charge })
    clock.pass(1_999)
    expect(await get(`/api/v1/charges/${id}`)).toEqual({ status: 200, body: charge })
    clock.pass(1)
    const settled = { ...charge, status: 'SETTLED', updated_at: '2026-01-02T03:04:07+0000' }
    expect(await get(`/api/v1/charges/${id}`)).toEqual({ status: 200, body: settled })
    expect(await get('/api/v1/charges?request_id=order-17')).toEqual({
      status: 200,
      body: { has_more: false, items: [settled] },
    })
    expect(items(await get('/api/v1/charges?page_num=1')).map((row) => row.id)).toEqual([id])
  })

  it.each([
    ['JPY', '1050', 3],
    ['JPY', '100', 0],
    ['EUR', '10.50', 0.03],
    ['KWD', '1.234', 0.004],
    ['CLF', '1', 0.003],
    ['CLF', '0.1', 0.0003],
    ['XXX', '10.50', 0.03],
  ])('have a fee in the smallest unit of %s', async (currency, amount, fee) => {
    const { post } = await open()
    const created = await post('/api/v1/charges/create', { ...newCharge, currency, amount })
    expect(created).toMatchObject({ status: 201, body: { fee } })
  })

  const LONG = ['9007199254740993', '900719925474099.37', '12345678901234567890.1']
  it.each(LONG)('show an amount that no double holds with its digits: %s', async (amount) => {
    const { post, get } = await open()
    const created = Object((await post('/api/v1/charges/create', { ...newCharge, amount })).body)
    const [listed] = items(await get('/api/v1/charges?request_id=order-17'))
    const found = Object((await get(`/api/v1/charges/${created.id}`)).body)
    for (const charge of [created, listed ?? {}, found]) {
      expect(digitsOf('amount')(charge)).toEqual(O.some(amount))
    }
  })

  it('take the course that their source names', async () => {
    const { post, get, clock } = await open({ settleAfter: 1_000 })
    const courses = {
      acct_pending: ['NEW', 'PENDING', 'PENDING'],
      acct_failed: ['NEW', 'PENDING', 'FAILED'],
      acct_suspended: ['NEW', 'PENDING', 'SUSPENDED'],
      acct_other: ['NEW', 'SETTLED', 'SETTLED'],
    }
    for (const source of Object.keys(courses)) {
      await post('/api/v1/charges/create', { ...newCharge, source, request_id: source })
    }
    const seen: Record<string, Array<unknown>> = {}
    for (let step = 0; step < 3; step++) {
      for (const source of Object.keys(courses)) {
        const [row] = items(await get(`/api/v1/charges?source=${source}`))
        seen[source] = [...(seen[source] ?? []), row?.status]
      }
      clock.pass(1_000)
    }
    expect(seen).toEqual(courses)
  })

  it('refuse a request_id twice, also one of a charge that was there from the start', async () => {
    const { post, get } = await open()
    const refused = {
      status: 400,
      body: {
        code: 'request_id_duplicate',
        message: 'A charge with this request_id already exists.',
        source: 'request_id',
      },
    }
    await post('/api/v1/charges/create', newCharge)
    expect(await post('/api/v1/charges/create', newCharge)).toEqual(refused)
    const [old] = items(await get('/api/v1/charges'))
    const again = { ...newCharge, request_id: old?.request_id }
    expect(await post('/api/v1/charges/create', again)).toEqual(refused)
  })

  it('may have a request_id that only another sandbox has', async () => {
    const [small, large] = [await open({ charges: 10 }), await open({ charges: 20 })]
    const last = (await everyItem(large.get, '')).at(-1)
    const again = { ...newCharge, request_id: last?.request_id }
    expect(await small.post('/api/v1/charges/create', again)).toMatchObject({ status: 201 })
    expect(await large.post('/api/v1/charges/create', again)).toMatchObject({ status: 400 })
  })

  it('settle at once where that takes no time', async () => {
    const { post } = await open({ settleAfter: 0 })
    expect(await post('/api/v1/charges/create', newCharge)).toMatchObject({
      body: { status: 'SETTLED', updated_at: '2026-01-02T03:04:05+0000' },
    })
  })

  it('are never older than those that were there from the start', async () => {
    const { post, get } = await open({ charges: 10, since: new Date('2026-06-01T00:00:00Z') })
    const last = items(await get('/api/v1/charges')).at(-1)
    const made = await post('/api/v1/charges/create', newCharge)
    expect(made).toMatchObject({ body: { created_at: last?.created_at } })
    expect(String(last?.created_at)).toMatch(/^2026-06-01/)
  })

  it('are never older than the account, where there were none', async () => {
    const { post, get } = await open({ charges: 0, since: new Date('2026-06-01T00:00:00.500Z') })
    const { body } = await post('/api/v1/charges/create', newCharge)
    expect(body).toMatchObject({ created_at: '2026-06-01T00:00:00+0000' })
    expect(items(await get('/api/v1/charges?to_created_at=2026-06-01T00:00:00Z'))).toEqual([body])
  })

  it('end a list where it ends', async () => {
    const { get } = await open({ charges: 20 })
    const page = async (n: number) => {
      const { status, body } = await get(`/api/v1/charges?page_size=10&page_num=${n}`)
      return [status, Object(body).has_more, Object(body).items.length]
    }
    expect(await page(0)).toEqual([200, true, 10])
    expect(await page(1)).toEqual([200, false, 10])
    expect(await page(2)).toEqual([200, false, 0])
    expect(await page(1_000_000_000)).toEqual([200, false, 0])
  })

  it('are listed newest first when told so', async () => {
    const up = await open({ charges: 35 })
    const down = await open({ charges: 35, order: 'descending' })
    await up.post('/api/v1/charges/create', newCharge)
    await down.post('/api/v1/charges/create', newCharge)
    const oldestFirst = await everyItem(up.get, '')
    expect(oldestFirst).toHaveLength(36)
    expect(await everyItem(down.get, '')).toEqual([...oldestFirst].reverse())
  })

  it.each(['ascending', 'descending'] as const)('are one page by request_id: %s', async (order) => {
    const { get } = await open({ charges: 10, order })
    const [wanted] = items(await get('/api/v1/charges'))
    const page = async (n: number) =>
      items(await get(`/api/v1/charges?request_id=${wanted?.request_id}&page_num=${n}`))
    expect([await page(0), await page(1)]).toEqual([[wanted], []])
  })

  it('come by themselves while a list is read, when told so', async () => {
    const { get, clock } = await open({ charges: 20, order: 'descending', arrivals: 1_000 })
    const ids = async (n: number) =>
      items(await get(`/api/v1/charges?page_size=10&page_num=${n}`)).map((row) => row.id)
    const first = await ids(0)
    clock.pass(3_000)
    const second = await ids(1)
    expect(second.slice(0, 3)).toEqual(first.slice(7))
    expect((await ids(0)).slice(3)).toEqual(first.slice(0, 7))
  })

  it('come by themselves every millisecond, if told so', async () => {
    const { get, clock } = await open({ charges: 0, arrivals: 1 })
    clock.pass(3)
    expect(items(await get('/api/v1/charges'))).toHaveLength(3)
  })

  it('are each found by an id of its own, whether they came or were made', async () => {
    const { get, post, clock } = await open({ charges: 5, arrivals: 1_000 })
    clock.pass(2_000)
    await post('/api/v1/charges/create', newCharge)
    clock.pass(2_000)
    const all = items(await get('/api/v1/charges'))
    expect(all.map((row) => row.reference).slice(5)).toEqual([
      ...['Order 5', 'Order 6', newCharge.reference, 'Order 8', 'Order 9'],
    ])
    for (const row of all) {
      expect(await get(`/api/v1/charges/${row.id}`)).toMatchObject({ body: row })
      expect(items(await get(`/api/v1/charges?request_id=${row.request_id}`))).toEqual([row])
    }
  })

  it('come by themselves with amounts in the smallest unit of their currency', async () => {
    const { get, clock } = await open({ charges: 0, arrivals: 1_000 })
    clock.pass(100_000)
    const yen = items(await get('/api/v1/charges?currency=JPY')).map((row) => Number(row.amount))
    expect(yen.length).toBeGreaterThan(0)
    expect(yen.filter((amount) => !Number.isInteger(amount))).toEqual([])
  })

  it('has the times at which they came by themselves, however late the list is read', async () => {
    const { get, clock } = await open({ charges: 0, arrivals: 2_000 })
    clock.pass(7_900)
    const times = items(await get('/api/v1/charges')).map((row) => row.created_at)
    const seconds = ['07', '09', '11']
    expect(times).toEqual(seconds.map((second) => `2026-01-02T03:04:${second}+0000`))
  })
})
