/** Pages as the service sends them, generated from a seed. */

/** A generator of numbers from 0 to 1 (mulberry32). */
const random = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let n = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  n = (n + Math.imul(n ^ (n >>> 7), 61 | n)) ^ n
  return ((n ^ (n >>> 14)) >>> 0) / 2 ** 32
}

type Random = () => number

const oneOf = <A>(all: ReadonlyArray<A>, next: Random): A => {
  const one = all[Math.floor(next() * all.length)]
  if (one === undefined) throw new Error('nothing to choose from')
  return one
}

const hex = (length: number, next: Random): string =>
  Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join('')

const uuid = (next: Random): string => [8, 4, 4, 4, 12].map((length) => hex(length, next)).join('-')

const cents = (most: number, next: Random): number => Math.round(next() * most * 100) / 100

const time = (next: Random): string =>
  `${new Date(1.75e12 + Math.floor(next() * 3e10)).toISOString().slice(0, 19)}+0000`

export const currencies = ['EUR', 'USD', 'GBP', 'AUD', 'SGD', 'HKD', 'JPY', 'CNY'] as const
export const statuses = ['NEW', 'PENDING', 'SETTLED', 'SUSPENDED', 'FAILED'] as const
export const reasons = [
  ...(['wages_salary', 'donation_charitable_contribution', 'personal_remittance'] as const),
  ...(['transfer_to_own_account', 'pension', 'family_support', 'living_expenses'] as const),
  ...(['education_training', 'travel', 'investment_proceeds', 'investment_capital'] as const),
  ...(['loan_credit_repayment', 'taxes', 'goods_purchased', 'business_expenses'] as const),
  ...(['medical_services', 'professional_business_services', 'technical_services'] as const),
  ...(['other_services', 'construction', 'freight', 'real_estate'] as const),
] as const
export const batchStatuses = [
  ...(['DRAFTING', 'QUOTED', 'SCHEDULED', 'BOOKING', 'COMPLETED', 'FAILED', 'DELETED'] as const),
] as const
export const fundings = ['SCHEDULED', 'PROCESSING', 'FUNDED', 'FAILED', 'REVERSED'] as const
export const deposits = ['DIRECT_DEBIT', 'FASTER_DIRECT_DEBIT'] as const
export const validities = ['MIN_1', 'MIN_15', 'MIN_30', 'HR_1', 'HR_4', 'HR_8', 'HR_24'] as const
export const clearings = ['AU_BECS', 'US_ACH', 'GB_BACS', 'EU_SEPA'] as const

const charge = (next: Random): object => ({
  id: uuid(next),
  amount: cents(10_000, next),
  currency: oneOf(currencies, next),
  reason: oneOf(reasons, next),
  reference: `Invoice ${hex(8, next)}`,
  request_id: uuid(next),
  source: `acct_${hex(22, next)}`,
  fee: cents(50, next),
  short_reference_id: hex(12, next),
  status: oneOf(statuses, next),
  created_at: time(next),
  updated_at: time(next),
})

const quote = (next: Random): object => {
  const pure = next() < 0.3
  return {
    amount_beneficiary_receives: cents(50_000, next),
    amount_payer_pays: cents(50_000, next),
    client_rate: pure ? null : Math.round(next() * 1e6) / 1e6,
    currency_pair: pure ? null : `${oneOf(currencies, next)}${oneOf(currencies, next)}`,
    fee_amount: cents(50, next),
    fee_currency: oneOf(currencies, next),
    source_currency: oneOf(currencies, next),
    transfer_currency: oneOf(currencies, next),
  }
}

const failure = (next: Random): object => ({
  code: 'insufficient_funds',
  iso_code: 'AM04',
  provider_failure_details: {
    code: hex(4, next),
    local_clearing_system: oneOf(clearings, next),
    message: 'Insufficient funds in the account of the debtor',
  },
})

const transfer = (next: Random): object => {
  const status = oneOf(fundings, next)
  return {
    id: uuid(next),
    request_id: uuid(next),
    short_reference_id: hex(12, next),
    name: `Payroll ${hex(6, next)}`,
    remarks: `Salaries of the month ${hex(6, next)}`,
    metadata: { department: hex(6, next), cost_center: hex(4, next) },
    transfer_date: time(next).slice(0, 10),
    status: oneOf(batchStatuses, next),
    total_item_count: Math.floor(next() * 1000),
    valid_item_count: Math.floor(next() * 1000),
    funding: {
      status,
      deposit_type: oneOf(deposits, next),
      funding_source_id: next() < 0.3 ? null : uuid(next),
      reference: `Batch ${hex(8, next)}`,
      failure_reason: '',
      ...(status === 'FAILED' ? { failure_details: failure(next) } : {}),
    },
    quote_summary: {
      expires_at: time(next),
      last_quoted_at: time(next),
      validity: oneOf(validities, next),
      quotes: [quote(next), quote(next)],
    },
    updated_at: time(next),
  }
}

const page = (item: (next: Random) => object, size: number, seed: number): string => {
  const next = random(seed)
  return JSON.stringify(Array.from({ length: size }, () => item(next)))
}

export const charges = (seed: number): string => page(charge, 2_000, seed)
export const transfers = (seed: number): string => page(transfer, 50, seed)
