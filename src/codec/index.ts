/** The resources of the interface, name by name. */

export { BatchItem, BatchItemFilter, type TransferDraft } from './BatchItem.js'
export {
  BatchFilter,
  BatchFunding,
  type BatchQuote,
  BatchQuoteSummary,
  BatchStatus,
  BatchTransfer,
  DepositType,
  type FundingFailure,
  NewBatchTransfer,
  NewFundingSource,
  QuoteRequest,
  QuoteValidity,
} from './BatchTransfer.js'
export { Address, BankDetails, Beneficiary } from './Beneficiary.js'
export { Bin, ByCardNumber } from './Bin.js'
export { Charge, ChargeFilter, ChargeReason, ChargeStatus, NewCharge } from './Charge.js'
export type { Codec, Described } from './Codec.js'
export { Acknowledgement, ById, type Nothing } from './calls.js'
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
  type UndecodableEvent,
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
export { OrderCategory, OrderCurrency, OrderItem, OrderUpload } from './OrderItem.js'
export { ExpiringQuota, Quota, QuotaFilter, QuotaType } from './Quota.js'
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
