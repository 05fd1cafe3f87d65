/** Params to add transfers to a batch, and to delete them again. */
import * as t from 'io-ts'
import { open } from '../decode/index.js'
import { isRecord } from '../decode/unknown.js'
import { E } from '../fp.js'
import { Address, Beneficiary } from './Beneficiary.js'
import { type Codec, optional, type Rule, rule, ruled, unspecified } from './Codec.js'
import {
  Country,
  Currency,
  Empty,
  Filled,
  heldBy,
  isEmpty,
  listOf,
  Metadata,
  MinorAmount,
  NumberAmount,
} from './scalars.js'

// fees

const feeOption = t.intersection([
  t.type({
    /** `FIXED`: an `amount`. `PERCENTAGE`: a part of what `source_type` names. */
    type: t.keyof({ FIXED: null, PERCENTAGE: null }),
  }),
  optional({
    /** The base of the fee. */
    source_type: t.keyof({ CONVERSION: null, TRANSFER: null }),
    /** In the smallest unit of `currency`, as text; for `FIXED`. */
    amount: MinorAmount,
    /**
     * Needed for `FIXED`. For `PERCENTAGE` on a `CONVERSION` it is one of the item's two currencies; when
     * left out, the contra currency of the quote.
     */
    currency: Currency,
    /** For `PERCENTAGE`: a markup on the rate of a conversion, else a part of the amount. */
    percentage: t.string,
    /** Keys and values that belong to the fee. */
    metadata: Metadata,
  }),
])

/** A fee for the platform. */
export interface FeeOption extends t.TypeOf<typeof feeOption> {}

export const FeeOption: Codec<FeeOption> = ruled<FeeOption>(
  rule(
    'type',
    '"PERCENTAGE" when source_type is CONVERSION',
    ({ type, source_type }) => source_type !== 'CONVERSION' || type === 'PERCENTAGE',
  ),
  rule(
    'amount',
    'given when type is FIXED',
    ({ type, amount }) => type !== 'FIXED' || amount !== undefined,
  ),
  rule(
    'currency',
    'given when type is FIXED',
    ({ type, currency }) => type !== 'FIXED' || currency !== undefined,
  ),
  rule(
    'percentage',
    'filled when type is PERCENTAGE',
    ({ type, percentage = '' }) => type !== 'PERCENTAGE' || percentage !== '',
  ),
)(feeOption)

// items

const payer = unspecified(
  optional({
    /** A company or a person. */
    entity_type: t.string,
    /** The address of the payer; its `country_code` is required. */
    address: t.intersection([unspecified(t.type({ country_code: Country })), Address]),
    /** A company's name. */
    company_name: t.string,
    /** A person's first name. */
    first_name: t.string,
    /** A person's last name. */
    last_name: t.string,
    /** A person's date of birth, `YYYY-MM-DD`. */
    date_of_birth: t.string,
    /** More about the payer. */
    additional_info: t.UnknownRecord,
  }),
)

const newBatchItem = t.intersection([
  t.type({
    /** The reason for the payment. */
    reason: t.string,
    /** Text on the beneficiary's bank statement. */
    reference: t.string,
    /** Unique; any text, not only a UUID. An item with one that was seen before is ignored, so a call can be sent again. */
    request_id: Filled,
    /** The currency that the payer funds with: a 3-letter ISO 4217 code. */
    source_currency: Currency,
    /** The currency that the beneficiary receives: a 3-letter ISO 4217 code. */
    transfer_currency: Currency,
    /** Over SWIFT, or a local clearing system. */
    transfer_method: t.keyof({ SWIFT: null, LOCAL: null }),
  }),
  optional({
    /** A fee for the platform. */
    application_fee_options: t.readonlyArray(FeeOption, 'a list of fee options'),
    /** Left out, or empty, when `beneficiary_id` is given. */
    beneficiary: t.union([Beneficiary, Empty]),
  }),
  unspecified(
    optional({
      /** A beneficiary that is known already. */
      beneficiary_id: t.string,
      /**
       * The amount to send, in major units of `source_currency`: decimal text such as `'12.50'`, or a number; or give
       * `transfer_amount`.
       */
      source_amount: NumberAmount,
      /**
       * The amount to arrive, in major units of `transfer_currency`: decimal text such as `'12.50'`, or a number; or give
       * `source_amount`.
       */
      transfer_amount: NumberAmount,
      /** The payer, if that is not the account. */
      payer,
      /** A payer that is known already. */
      payer_id: t.string,
      /** The party that bears the fees. */
      fee_paid_by: open('PAYER', 'BENEFICIARY'),
      /** The party that bears the charges of a transfer over SWIFT. */
      swift_charge_option: open('SHARED', 'PAYER'),
      /** Extra information, in words. */
      remarks: t.string,
      /** Keys and values that are stored with the item. */
      metadata: Metadata,
    }),
  ),
])

/** One transfer of a batch, to add. */
export interface NewBatchItem extends t.TypeOf<typeof newBatchItem> {}

/** A fee on a conversion is in one of the two currencies of the pair. */
const feeCurrencies: Rule<NewBatchItem> = {
  field: 'application_fee_options[].currency',
  expected: "one of the item's currencies for a PERCENTAGE of a CONVERSION",
  broken: ({ application_fee_options, source_currency, transfer_currency }) =>
    (application_fee_options ?? []).flatMap(({ type, source_type, currency }, i) =>
      type !== 'PERCENTAGE' ||
      source_type !== 'CONVERSION' ||
      currency === undefined ||
      [source_currency, transfer_currency].includes(currency)
        ? []
        : [['application_fee_options', i, 'currency']],
    ),
}

export const NewBatchItem: Codec<NewBatchItem> = ruled<NewBatchItem>(
  rule(
    'beneficiary',
    'left out or empty when beneficiary_id is given',
    ({ beneficiary, beneficiary_id }) =>
      beneficiary === undefined || beneficiary_id === undefined || isEmpty(beneficiary),
  ),
  rule(
    'beneficiary',
    'left out or filled when beneficiary_id is not given',
    ({ beneficiary, beneficiary_id }) =>
      beneficiary === undefined || beneficiary_id !== undefined || !isEmpty(beneficiary),
  ),
  {
    ...rule<NewBatchItem>(
      'source_amount',
      'left out when transfer_amount is given',
      ({ source_amount, transfer_amount }) =>
        source_amount === undefined || transfer_amount === undefined,
    ),
    unspecified: true,
  },
  { ...heldBy<NewBatchItem>('source_amount', 'source_currency'), unspecified: true },
  { ...heldBy<NewBatchItem>('transfer_amount', 'transfer_currency'), unspecified: true },
  feeCurrencies,
)(newBatchItem)

// what is sent

/** The most items of one call (interface, Limits). */
export const ITEMS_PER_CALL = 100

/** The most items of a batch (interface, Limits). */
export const ITEMS_PER_BATCH = 1_000

const itemsToAdd = t.exact(
  t.type({
    /** The id of the batch. */
    id: t.string,
    /** 1 to 100; a batch takes up to 1,000. */
    items: listOf(NewBatchItem, {
      min: 1,
      max: ITEMS_PER_CALL,
      noun: 'items',
      advice: 'addAllItems sends more',
    }),
  }),
)

/** The items to add, and the batch. Nothing else of the batch is sent. */
export type ItemsToAdd = t.TypeOf<typeof itemsToAdd>

export const ItemsToAdd: Codec<ItemsToAdd> = itemsToAdd

const itemsToDelete = t.exact(
  t.type({
    /** The id of the batch. */
    id: t.string,
    /** The `id` of each item, not its `request_id`. */
    item_ids: listOf<string>(t.string, { min: 1, noun: 'item id' }),
  }),
)

/** The items to delete, and the batch. Nothing else of the batch is sent. */
export type ItemsToDelete = t.TypeOf<typeof itemsToDelete>

export const ItemsToDelete: Codec<ItemsToDelete> = itemsToDelete

// items with one request_id

/** The rule for the `request_id` of an item, in words. */
export const UNIQUE_REQUEST_ID = 'one that no different item has'

/** An item as JSON with sorted keys, or a unique symbol if it has none, and its index. */
export interface FirstItem {
  readonly json: unknown
  readonly index: number
}

/** The first item of each `request_id`. */
export type FirstItems = ReadonlyMap<string, FirstItem>

interface Comparison {
  /** Each item that differs from the first one of its `request_id`, by its index. */
  readonly different: ReadonlyArray<{
    readonly at: number
    readonly json: unknown
    readonly first: FirstItem
  }>
  readonly firstItems: FirstItems
}

/**
 * Finds the items of a batch that differ from an earlier one with the same `request_id`. The service keeps the first
 * and ignores the others (interface, Batch item): the same item can be sent again, but a different one is lost.
 * There were `before` items before these.
 */
export const compareItems = (
  items: ReadonlyArray<NewBatchItem>,
  firstItems: FirstItems = new Map(),
  before = 0,
): Comparison => {
  const all = new Map(firstItems)
  const different = items.flatMap((item, at) => {
    const one = { json: sortedJson(item), index: before + at }
    const first = all.get(item.request_id) ?? one
    all.set(item.request_id, first)
    return first.json === one.json ? [] : [{ at, json: one.json, first }]
  })
  return { different, firstItems: all }
}

/** Rejects items of one call that differ and have the same `request_id`. */
export const uniqueRequestIds: Rule<ItemsToAdd> = {
  field: 'items[].request_id',
  expected: UNIQUE_REQUEST_ID,
  broken: ({ items }) => compareItems(items).different.map(({ at }) => ['items', at, 'request_id']),
  unspecified: true,
}

/** Returns the JSON of an item with sorted keys; a unique symbol if it has none. */
export const sortedJson = (item: NewBatchItem): unknown =>
  E.getOrElse((): unknown => Symbol())(
    E.tryCatch(() => JSON.stringify(JSON.parse(JSON.stringify(item)), sortKeys), String),
  )

const sortKeys = (_name: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
