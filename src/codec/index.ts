/** The resources of the interface, name by name. */
export { Acknowledgement } from './Acknowledgement.js'
export { BatchFunding, DepositType, type FundingFailure, NewFundingSource } from './BatchFunding.js'
export { BatchItem, BatchItemFilter, type TransferDraft } from './BatchItem.js'
export { type BatchQuote, BatchQuoteSummary, QuoteValidity } from './BatchQuote.js'
export {
  BatchFilter,
  BatchStatus,
  BatchTransfer,
  NewBatchTransfer,
  QuoteRequest,
} from './BatchTransfer.js'
export { Address, BankDetails, Beneficiary } from './Beneficiary.js'
export { Bin, ByCardNumber } from './Bin.js'
export { ById } from './ById.js'
export { Charge, ChargeFilter, ChargeReason, ChargeStatus, NewCharge } from './Charge.js'
export type { Codec } from './Codec.js'
export { ByCurrencyPair, InvalidConversionDates, SupportedCurrencies } from './conversion.js'
export { EventName, eventNames, type KnownEvent } from './EventName.js'
export {
  type EventAccount,
  type EventBill,
  type EventDispute,
  type EventExpense,
  type EventTransaction,
  type Payload,
  payloadOf,
} from './eventPayload.js'
export { FeeOption } from './FeeOption.js'
export {
  IndustryCategory,
  type IndustryKind,
  industriesUnder,
  industryKindOf,
} from './IndustryCategory.js'
export { fromDate, Instant, type InstantBrand, toDate } from './Instant.js'
export { ItemsToAdd, ItemsToDelete, NewBatchItem } from './NewBatchItem.js'
export type { Nothing } from './Nothing.js'
export { OrderCategory, OrderItem, OrderUpload } from './OrderItem.js'
export { OrderCurrency } from './orderCurrency.js'
export { ExpiringQuota, Quota, QuotaFilter, QuotaType } from './Quota.js'
export type { Described } from './Schema.js'
export type { UndecodableEvent } from './UndecodableEvent.js'
export {
  DeletedWebhook,
  NewWebhook,
  PartnerWebhookFilter,
  Webhook,
  WebhookConnection,
  WebhookDisconnection,
  WebhookFilter,
  WebhookUpdate,
  WebhookWithSecret,
} from './Webhook.js'
export { WebhookEvent } from './WebhookEvent.js'
