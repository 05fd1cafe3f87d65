/** The resources of the API, by name. */

export { BatchItem } from './BatchItem.js'
export {
  BatchFilter,
  type BatchFunding,
  type BatchQuoteSummary,
  BatchStatus,
  BatchTransfer,
  NewBatchTransfer,
  type NewFundingSource,
} from './BatchTransfer.js'
export { type Address, type BankDetails, Beneficiary } from './Beneficiary.js'
export { Charge, ChargeFilter, ChargeReason, ChargeStatus, NewCharge } from './Charge.js'
export type { Codec } from './Codec.js'
export type { LoginParams, Session } from './common.js'
export { Instant, toDate } from './Instant.js'
export { type FeeOption, NewBatchItem } from './NewBatchItem.js'
export { OrderItem, OrderUpload } from './OrderItem.js'
export {
  Bin,
  ExpiringQuota,
  IndustryCategory,
  type IndustryKind,
  InvalidConversionDates,
  industriesUnder,
  industryKindOf,
  Quota,
  SupportedCurrencies,
} from './reference.js'
export { EventName, eventNames, NewWebhook, Webhook, WebhookWithSecret } from './Webhook.js'
