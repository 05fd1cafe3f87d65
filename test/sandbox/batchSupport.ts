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
