import type { Example } from './Example.js'

const charge = {
  id: '4f9a34ee-5b3c-4b30-a25d-d7a3a0f5e2f1',
  amount: 100.5,
  currency: 'USD',
  reason: 'goods_purchased',
  reference: 'Invoice 4711',
  request_id: 'a1b2c3d4-0001',
  source: 'acct_yDH6dU6mNnyCZf0D',
  fee: 0.25,
  short_reference_id: 'CH20260110-AB12',
  status: 'NEW',
  created_at: '2026-01-10T08:30:00+0000',
  updated_at: '2026-01-10T08:30:00+0000',
}

const newCharge = {
  amount: '100.50',
  currency: 'USD',
  reason: 'goods_purchased',
  reference: 'Invoice 4711',
  request_id: 'a1b2c3d4-0001',
  source: 'acct_yDH6dU6mNnyCZf0D',
}

export const charges: ReadonlyArray<Example> = [
  {
    route: 'POST /api/v1/charges/create',
    params: newCharge,
    sent: { target: '/api/v1/charges/create', body: newCharge },
    answer: charge,
  },
  {
    route: 'GET /api/v1/charges/{id}',
    params: { id: '4f9a34ee-5b3c-4b30-a25d-d7a3a0f5e2f1' },
    sent: { target: '/api/v1/charges/4f9a34ee-5b3c-4b30-a25d-d7a3a0f5e2f1' },
    answer: { ...charge, status: 'SETTLED', updated_at: '2026-01-10T08:31:12+00:00' },
  },
  {
    route: 'GET /api/v1/charges',
    params: {
      currency: 'USD',
      from_created_at: '2026-01-01T00:00:00+0000',
      to_created_at: new Date('2026-01-31T23:59:59Z'),
      page_num: 0,
      page_size: 2_000,
      request_id: 'a1b2c3d4-0001',
      source: 'acct_yDH6dU6mNnyCZf0D',
      status: 'SETTLED',
    },
    sent: {
      target:
        '/api/v1/charges?currency=USD&from_created_at=2026-01-01T00%3A00%3A00%2B0000' +
        '&to_created_at=2026-01-31T23%3A59%3A59%2B0000&page_num=0&page_size=2000' +
        '&request_id=a1b2c3d4-0001&source=acct_yDH6dU6mNnyCZf0D&status=SETTLED',
    },
    answer: { has_more: false, items: [charge, { ...charge, status: 'SUSPENDED' }] },
  },
]
