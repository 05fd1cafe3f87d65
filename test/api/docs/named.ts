/** The codecs that docs refer to by name. */
import type * as t from 'io-ts'
import { BatchItem } from '../../../src/codec/BatchItem.js'
import {
  BatchFunding,
  BatchQuoteSummary,
  BatchTransfer,
  NewFundingSource,
} from '../../../src/codec/BatchTransfer.js'
import { Address, BankDetails, Beneficiary } from '../../../src/codec/Beneficiary.js'
import { Charge } from '../../../src/codec/Charge.js'
import { Session } from '../../../src/codec/common.js'
import { FeeOption, NewBatchItem } from '../../../src/codec/NewBatchItem.js'
import { OrderItem } from '../../../src/codec/OrderItem.js'
import {
  Bin,
  ExpiringQuota,
  IndustryCategory,
  InvalidConversionDates,
  Quota,
  SupportedCurrencies,
} from '../../../src/codec/reference.js'
import { DeletedWebhook, Webhook, WebhookWithSecret } from '../../../src/codec/Webhook.js'

/** The codecs of answers. */
export const answered: Readonly<Record<string, t.Mixed>> = {
  Session,
  Charge,
  BatchTransfer,
  BatchFunding,
  BatchQuoteSummary,
  BatchItem,
  IndustryCategory,
  InvalidConversionDates,
  SupportedCurrencies,
  ExpiringQuota,
  Quota,
  Bin,
  Webhook,
  WebhookWithSecret,
  DeletedWebhook,
}

/** The codecs of params. */
export const sent: Readonly<Record<string, t.Mixed>> = {
  NewFundingSource,
  NewBatchItem,
  FeeOption,
  Beneficiary,
  BankDetails,
  Address,
  OrderItem,
}

export const nameOf: ReadonlyMap<t.Mixed, string> = new Map(
  Object.entries({ ...answered, ...sent }).map(([name, codec]) => [codec, name]),
)
