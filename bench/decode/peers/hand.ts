/** A check as one would write it by hand for one kind of page. */
import * as p from '../texts.ts'

type Fields = Readonly<Record<string, unknown>>

const isObject = (u: unknown): u is Fields =>
  typeof u === 'object' && u !== null && !Array.isArray(u)
const isText = (u: unknown): u is string => typeof u === 'string'
const isNumber = (u: unknown): u is number => typeof u === 'number'
const within = (values: ReadonlyArray<string>): ((u: unknown) => boolean) => {
  const set = new Set<unknown>(values)
  return (u) => set.has(u)
}

const isBatchStatus = within(p.batchStatuses)
const isFunding = within(p.fundings)
const isDeposit = within(p.deposits)
const isValidity = within(p.validities)
const isClearing = within(p.clearings)

const isStatus = (u: unknown): boolean => {
  switch (u) {
    case 'NEW':
    case 'PENDING':
    case 'SETTLED':
    case 'SUSPENDED':
    case 'FAILED':
      return true
    default:
      return false
  }
}

const isReason = (u: unknown): boolean => {
  switch (u) {
    case 'wages_salary':
    case 'donation_charitable_contribution':
    case 'personal_remittance':
    case 'transfer_to_own_account':
    case 'pension':
    case 'family_support':
    case 'living_expenses':
    case 'education_training':
    case 'travel':
    case 'investment_proceeds':
    case 'investment_capital':
    case 'loan_credit_repayment':
    case 'taxes':
    case 'goods_purchased':
    case 'business_expenses':
    case 'medical_services':
    case 'professional_business_services':
    case 'technical_services':
    case 'other_services':
    case 'construction':
    case 'freight':
    case 'real_estate':
      return true
    default:
      return false
  }
}

export const isCharge = (u: unknown): boolean =>
  isObject(u) &&
  isText(u.id) &&
  isNumber(u.amount) &&
  isText(u.currency) &&
  isReason(u.reason) &&
  isText(u.reference) &&
  isText(u.request_id) &&
  isText(u.source) &&
  isNumber(u.fee) &&
  isText(u.short_reference_id) &&
  isStatus(u.status) &&
  isText(u.created_at) &&
  isText(u.updated_at)

const isQuote = (u: unknown): boolean =>
  isObject(u) &&
  isNumber(u.amount_beneficiary_receives) &&
  isNumber(u.amount_payer_pays) &&
  (u.client_rate === null || isNumber(u.client_rate)) &&
  (u.currency_pair === null || isText(u.currency_pair)) &&
  isNumber(u.fee_amount) &&
  isText(u.fee_currency) &&
  isText(u.source_currency) &&
  isText(u.transfer_currency)

const isProviderFailure = (u: unknown): boolean =>
  isObject(u) && isText(u.code) && isClearing(u.local_clearing_system) && isText(u.message)

const isFailure = (u: unknown): boolean =>
  isObject(u) &&
  isText(u.code) &&
  isText(u.iso_code) &&
  isProviderFailure(u.provider_failure_details)

const isTexts = (u: unknown): boolean => {
  if (!isObject(u)) return false
  for (const key in u) if (!isText(u[key])) return false
  return true
}

export const isTransfer = (u: unknown): boolean =>
  isObject(u) &&
  isText(u.id) &&
  isText(u.request_id) &&
  isText(u.short_reference_id) &&
  isText(u.name) &&
  isText(u.remarks) &&
  isTexts(u.metadata) &&
  isText(u.transfer_date) &&
  isBatchStatus(u.status) &&
  isNumber(u.total_item_count) &&
  isNumber(u.valid_item_count) &&
  isObject(u.funding) &&
  isFunding(u.funding.status) &&
  isDeposit(u.funding.deposit_type) &&
  (u.funding.funding_source_id === null || isText(u.funding.funding_source_id)) &&
  isText(u.funding.reference) &&
  isText(u.funding.failure_reason) &&
  (u.funding.failure_details === undefined || isFailure(u.funding.failure_details)) &&
  isObject(u.quote_summary) &&
  isText(u.quote_summary.expires_at) &&
  isText(u.quote_summary.last_quoted_at) &&
  isValidity(u.quote_summary.validity) &&
  Array.isArray(u.quote_summary.quotes) &&
  u.quote_summary.quotes.every(isQuote) &&
  isText(u.updated_at)
