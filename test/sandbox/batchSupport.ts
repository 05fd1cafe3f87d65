import { expect } from 'vitest'
import { items, open } from './support.js'

export const BATCHES = '/api/v1/batch_transfers'

export const newItem = (request_id: string, change: object = {}) => ({
  reason: 'wages_salary',
  reference: 'Salary January',
  request_id,
  source_currency: 'USD',
  transfer_currency: 'EUR',
  transfer_method: 'LOCAL',
  transfer_amount: 920,
  beneficiary: {
    entity_type: 'PERSONAL',
    bank_details: {
      account_currency: 'EUR',
      account_name: 'Zoë Müller',
      bank_country_code: 'DE',
      iban: 'DE89370400440532013000',
    },
  },
  ...change,
})

const newBatch = {
  request_id: 'payroll-1',
  name: 'Payroll',
  remarks: 'January',
  metadata: { run: '7' },
}

/** A sandbox with one batch, and calls on it. */
export const openedBatch = async (
  options: Parameters<typeof open>[0] = {},
  asked: Record<string, unknown> = newBatch,
) => {
  const all = await open(options)
  const created = await all.post(`${BATCHES}/create`, asked)
  const id = String(Object(created.body).id)
  return {
    ...all,
    created,
    id,
    call: (name: string, body: unknown = {}) => all.post(`${BATCHES}/${id}/${name}`, body),
    retrieve: (headers: Record<string, string> = {}) => all.get(`${BATCHES}/${id}`, headers),
    items: async () => items(await all.get(`${BATCHES}/${id}/items`)),
  }
}

/** The batch of `openedBatch`, as it is answered at first. */
export const batch = {
  id: expect.stringMatching(/^bat_[0-9a-f]{8}$/),
  request_id: 'payroll-1',
  short_reference_id: expect.stringMatching(/^BT[0-9a-f]{8}$/),
  status: 'DRAFTING',
  name: 'Payroll',
  remarks: 'January',
  metadata: { run: '7' },
  transfer_date: '2026-01-02',
  total_item_count: 0,
  valid_item_count: 0,
  funding: { deposit_type: null, funding_source_id: null, reference: null },
  quote_summary: null,
  updated_at: '2026-01-02T03:04:05+0000',
}

/** How a call on a batch is refused. */
export const refused = (code: string, source?: string) => ({
  status: 400,
  body: { code, ...(source === undefined ? {} : { source }) },
})
