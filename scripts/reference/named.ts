/** The codecs that docs refer to by name. */
import type * as t from 'io-ts'
import * as batchItems from '../../src/codec/BatchItem.js'
import * as batches from '../../src/codec/BatchTransfer.js'
import * as beneficiaries from '../../src/codec/Beneficiary.js'
import * as charges from '../../src/codec/Charge.js'
import * as common from '../../src/codec/common.js'
import * as items from '../../src/codec/NewBatchItem.js'
import * as orders from '../../src/codec/OrderItem.js'
import * as reference from '../../src/codec/reference.js'
import * as hooks from '../../src/codec/Webhook.js'

const { BatchItem } = batchItems
const { BatchFunding, BatchQuoteSummary, BatchTransfer, NewFundingSource } = batches
const { Address, BankDetails, Beneficiary } = beneficiaries
const { Charge } = charges
const { Session } = common
const { FeeOption, NewBatchItem } = items
const { OrderItem } = orders
const { Bin, ExpiringQuota, IndustryCategory, InvalidConversionDates, Quota, SupportedCurrencies } =
  reference
const { DeletedWebhook, Webhook, WebhookWithSecret } = hooks

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

const allParams: ReadonlyMap<unknown, string> = new Map(
  [batchItems, batches, charges, common, items, orders, reference, hooks].flatMap((module) =>
    Object.entries(module).map(([name, codec]): [unknown, string] => [codec, name]),
  ),
)

/** The name of the type of a call's parameters. */
export const paramsName = (codec: t.Mixed): string | undefined => allParams.get(codec)
