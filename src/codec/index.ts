/** The resources of the interface, name by name. */

export { BatchItem } from './BatchItem.js'
export { BatchFilter, BatchStatus, BatchTransfer, NewBatchTransfer } from './BatchTransfer.js'
export { Beneficiary } from './Beneficiary.js'
export { Charge, ChargeFilter, ChargeReason, ChargeStatus, NewCharge } from './Charge.js'
export type { Codec } from './Codec.js'
export type { LoginParams, Session } from './common.js'
export { fromDate, Instant, toDate } from './Instant.js'
export { NewBatchItem } from './NewBatchItem.js'
export { OrderItem, OrderUpload } from './OrderItem.js'
export {
  Bin,
  ExpiringQuota,
  IndustryCategory,
  InvalidConversionDates,
  industriesUnder,
  industryKindOf,
  Quota,
  SupportedCurrencies,
} from './reference.js'
export { EventName, eventNames, NewWebhook, Webhook, WebhookWithSecret } from './Webhook.js'
