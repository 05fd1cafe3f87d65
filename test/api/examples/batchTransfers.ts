import type { Example } from './Example.js'

const ID = '7a1fc1b4-56ae-4d0e-bd0a-8b2f0f5e3c11'

const path = `/api/v1/batch_transfers/${ID}`

const batch = {
  id: ID,
  request_id: 'payroll-2026-01',
  short_reference_id: 'BT260110-XYZ',
  name: 'Payroll January',
  remarks: 'Second run',
  metadata: { department: 'engineering' },
  transfer_date: '2026-01-31',
  status: 'DRAFTING',
  total_item_count: 2,
  valid_item_count: 1,
  funding: {
    status: 'FAILED',
    deposit_type: 'DIRECT_DEBIT',
    funding_source_id: 'la_1NTk',
    reference: 'PAYROLL 01',
    failure_details: {
      code: 'insufficient_funds',
      iso_code: 'AM04',
      provider_failure_details: {
        code: 'R01',
        local_clearing_system: 'US_ACH',
        message: 'Insufficient funds',
      },
    },
  },
  quote_summary: {
    expires_at: '2026-01-10T09:00:00+0000',
    last_quoted_at: '2026-01-10T08:45:00+0000',
    validity: 'MIN_15',
    quotes: [
      {
        amount_beneficiary_receives: 900,
        amount_payer_pays: 1_003.5,
        client_rate: 0.9,
        currency_pair: 'USDEUR',
        fee_amount: 3.5,
        fee_currency: 'USD',
        source_currency: 'USD',
        transfer_currency: 'EUR',
      },
      {
        amount_beneficiary_receives: 500,
        amount_payer_pays: 500,
        client_rate: null,
        currency_pair: null,
        fee_amount: 0,
        fee_currency: 'USD',
        source_currency: 'USD',
        transfer_currency: 'USD',
      },
    ],
  },
  updated_at: '2026-01-10T08:45:00+0000',
}

/** As it is right after it was made: paid from the wallet, before API version 2026-06-30. */
const fresh = {
  id: ID,
  request_id: 'payroll-2026-01',
  short_reference_id: 'BT260110-XYZ',
  status: 'DRAFTING',
  total_item_count: 0,
  valid_item_count: 0,
  updated_at: '2026-01-10T08:30:00+0000',
  funding: { funding_source_id: null, deposit_type: null, failure_reason: '' },
  metadata: null,
}

const newBatch = {
  request_id: 'payroll-2026-01',
  funding_source: { deposit_type: 'FASTER_DIRECT_DEBIT', id: 'la_1NTk', reference: 'PAYROLL 01' },
  metadata: { department: 'engineering' },
  name: 'Payroll January',
  remarks: 'Second run',
}

const item = {
  reason: 'wages_salary',
  reference: 'Salary January',
  request_id: 'payroll-2026-01-0001',
  source_currency: 'USD',
  transfer_currency: 'EUR',
  transfer_method: 'LOCAL',
  source_amount: 1_000,
  application_fee_options: [
    { type: 'FIXED', source_type: 'TRANSFER', amount: '150', currency: 'USD' },
    { type: 'PERCENTAGE', source_type: 'CONVERSION', percentage: '0.5', currency: 'EUR' },
  ],
  beneficiary: {
    entity_type: 'PERSONAL',
    bank_details: {
      account_currency: 'EUR',
      account_name: 'Erika Mustermann',
      bank_country_code: 'DE',
      iban: 'DE89370400440532013000',
      intermediary_bank_swift_code: 'COBADEFFXXX',
    },
    additional_info: { external_identifier: 'employee-17' },
  },
}

export const batchTransfers: ReadonlyArray<Example> = [
  {
    route: 'POST /api/v1/batch_transfers/create',
    params: newBatch,
    sent: { target: '/api/v1/batch_transfers/create', body: newBatch },
    answer: fresh,
  },
  {
    route: 'GET /api/v1/batch_transfers/{id}',
    params: { id: ID },
    sent: { target: path },
    answer: batch,
  },
  {
    route: 'GET /api/v1/batch_transfers',
    params: { page: 'bmV4dA==', page_size: 50, status: 'PARTIALLY_BOOKED' },
    sent: {
      target: '/api/v1/batch_transfers?page=bmV4dA%3D%3D&page_size=50&status=PARTIALLY_BOOKED',
    },
    answer: { items: [batch, fresh], page_after: 'YWZ0ZXI=', page_before: null },
  },
  {
    route: 'POST /api/v1/batch_transfers/{id}/add_items',
    params: { id: ID, items: [item] },
    sent: { target: `${path}/add_items`, body: { items: [item] } },
    answer: { ...fresh, total_item_count: 1, valid_item_count: 1 },
  },
  {
    route: 'POST /api/v1/batch_transfers/{id}/quote',
    params: { id: ID, validity: 'HR_24' },
    sent: { target: `${path}/quote`, body: { validity: 'HR_24' } },
    answer: batch,
  },
  {
    route: 'POST /api/v1/batch_transfers/{id}/submit',
    params: { id: ID },
    sent: { target: `${path}/submit`, body: {} },
    answer: { ...batch, status: 'SCHEDULED' },
  },
  {
    route: 'POST /api/v1/batch_transfers/{id}/delete',
    params: { id: ID },
    sent: { target: `${path}/delete`, body: {} },
    answer: fresh,
  },
  {
    route: 'POST /api/v1/batch_transfers/{id}/delete_items',
    params: { id: ID, item_ids: ['itm_1', 'itm_2'] },
    sent: { target: `${path}/delete_items`, body: { item_ids: ['itm_1', 'itm_2'] } },
    answer: fresh,
  },
  {
    route: 'GET /api/v1/batch_transfers/{id}/items',
    params: { id: ID, page_size: 1_000 },
    sent: { target: `${path}/items?page_size=1000` },
    answer: {
      items: [
        {
          id: 'itm_1',
          request_id: 'payroll-2026-01-0001',
          status: 'VALIDATION_FAILED',
          updated_at: '2026-01-10T08:45:00+0000',
          transfer_id: null,
          errors: [{ code: '025', source: 'beneficiary.bank_details.iban', params: {} }],
        },
        {
          id: 'itm_2',
          request_id: 'payroll-2026-01-0002',
          status: 'BOOKED',
          updated_at: '2026-01-10T08:45:00+0000',
          transfer_id: 'trf_1',
        },
      ],
      page_after: null,
      page_before: null,
    },
  },
]
