/**
 * Types that are part of the types of other exports, such as the parameters of a call. A program that emits
 * declarations may have to name them.
 */
export type { Errors, ListRow, PathName, Place, Repeatable, Unspecified } from './api/Endpoint.js'
export type { Environment } from './api/limits.js'
export type { Paging, SizedPaging } from './api/Paging.js'
export type { BatchItemFilter } from './codec/BatchItem.js'
export type { QuoteRequest } from './codec/BatchTransfer.js'
export type { ByCardNumber } from './codec/Bin.js'
export type { Described } from './codec/Codec.js'
export type { ById, Nothing } from './codec/common.js'
export type { ByCurrencyPair } from './codec/conversion.js'
export type { IndustryKind } from './codec/IndustryCategory.js'
export type { InstantBrand } from './codec/Instant.js'
export type { ItemsToAdd, ItemsToDelete } from './codec/NewBatchItem.js'
export type { QuotaFilter } from './codec/Quota.js'
export type {
  DeletedWebhook,
  PartnerWebhookFilter,
  WebhookConnection,
  WebhookDisconnection,
  WebhookFilter,
  WebhookUpdate,
} from './codec/Webhook.js'
export type { OpenC } from './decode/open.js'
export type { Codes, FieldError } from './http/answer/errors.js'
export type { KyOptions } from './http/transport/kyTransport.js'
