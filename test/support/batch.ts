import type { NewBatchItem } from '../../src/index.js'

/** A batch that was just created, as the API shows it. */
export const BATCH = {
  id: 'bat_1',
  request_id: 'request-1',
  short_reference_id: 'B1',
  status: 'DRAFTING',
  total_item_count: 0,
  valid_item_count: 0,
  updated_at: '2024-05-06T07:08:09+0000',
} as const

/** Returns an item to add, by its number. */
export const item = (n: number): NewBatchItem => ({
  reason: 'wages_salary',
  reference: `Pay ${n}`,
  request_id: `item-${n}`,
  source_currency: 'USD',
  transfer_currency: 'USD',
  transfer_method: 'LOCAL',
  transfer_amount: 100,
  beneficiary_id: 'ben_1',
})
