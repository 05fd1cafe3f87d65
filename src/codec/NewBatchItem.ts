/** Parameters to add transfers to a batch, and to delete them. */
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
    /** `FIXED`: an `amount`. `PERCENTAGE`: a share of the base that `source_type` names. */
    type: t.keyof({ FIXED: null, PERCENTAGE: null }),
  }),
  optional({
    /** The base of the fee. */
    source_type: t.keyof({ CONVERSION: null, TRANSFER: null }),
    /** Required for `FIXED`: the fee in the smallest unit of `currency`, as a string. */
    amount: MinorAmount,
    /**
     * Required for `FIXED`. For a `PERCENTAGE` of a `CONVERSION`, one of the item's two currencies. Default: the contra
     * currency of the quote.
     */
    currency: Currency,
    /** Required for `PERCENTAGE`: a markup on the conversion rate, or a percentage of the amount. */
    percentage: t.string,
    /** Keys and values to store with the fee. */
    metadata: Metadata,
  }),
])

/** A fee that the platform charges. */
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
    'non-empty when type is PERCENTAGE',
    ({ type, percentage = '' }) => type !== 'PERCENTAGE' || percentage !== '',
  ),
)(feeOption)

// items

/**
 * The fields with amounts. Exactly one of them is required, and it must be the same one for all items of a currency pair (our
 * assumption: not in the API description).
 */
export const AMOUNTS = ['source_amount', 'transfer_amount'] as const

const payer = unspecified(
  optional({
    /** A company or a person. */
    entity_type: t.string,
    /** The payer's address; its `country_code` is required. */
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
    /** Unique; any string. The platform ignores an item whose `request_id` it has already seen, so a call can be retried. */
    request_id: Filled,
    /** The currency that the payer funds with: a 3-letter ISO 4217 code. */
    source_currency: Currency,
    /** The currency that the beneficiary receives: a 3-letter ISO 4217 code. */
    transfer_currency: Currency,
    /** SWIFT, or a local clearing system. */
    transfer_method: t.keyof({ SWIFT: null, LOCAL: null }),
  }),
  optional({
    /** A fee that the platform charges. */
    application_fee_options: t.readonlyArray(FeeOption, 'a list of fee options'),
    /** Omit it, or leave it empty, if you pass `beneficiary_id`. */
    beneficiary: t.union([Beneficiary, Empty]),
  }),
  unspecified(
    optional({
      /** The id of an existing beneficiary. */
      beneficiary_id: t.string,
      /**
       * The amount to send, in major units of `source_currency`: a decimal string such as `'12.50'`, or a number. Give either
       * this or `transfer_amount`.
       */
      source_amount: NumberAmount,
      /**
       * The amount to arrive, in major units of `transfer_currency`: a decimal string such as `'12.50'`, or a number. Give
       * either this or `source_amount`.
       */
      transfer_amount: NumberAmount,
      /** The payer, if not the account itself. */
      payer,
      /** The id of an existing payer. */
      payer_id: t.string,
      /** The party that pays the fees. */
      fee_paid_by: open('PAYER', 'BENEFICIARY'),
      /** The party that pays the charges of a SWIFT transfer. */
      swift_charge_option: open('SHARED', 'PAYER'),
      /** Free text. */
      remarks: t.string,
      /** Keys and values to store with the item. */
      metadata: Metadata,
    }),
  ),
])

/** A transfer to add to a batch. */
export interface NewBatchItem extends t.TypeOf<typeof newBatchItem> {}

/** Requires a fee on a conversion to be in one of the two currencies of the pair. */
const feeCurrencies: Rule<NewBatchItem> = {
  field: 'application_fee_options[].currency',
  expected: "one of the item's currencies for a PERCENTAGE fee on a CONVERSION",
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
    'omitted or empty when beneficiary_id is given',
    ({ beneficiary, beneficiary_id }) =>
      beneficiary === undefined || beneficiary_id === undefined || isEmpty(beneficiary),
  ),
  rule(
    'beneficiary',
    'omitted or non-empty when beneficiary_id is missing',
    ({ beneficiary, beneficiary_id }) =>
      beneficiary === undefined || beneficiary_id !== undefined || !isEmpty(beneficiary),
  ),
  {
    ...rule<NewBatchItem>(
      'source_amount',
      'omitted when transfer_amount is given',
      ({ source_amount, transfer_amount }) =>
        source_amount === undefined || transfer_amount === undefined,
    ),
    unspecified: true,
  },
  { ...heldBy<NewBatchItem>('source_amount', 'source_currency'), unspecified: true },
  { ...heldBy<NewBatchItem>('transfer_amount', 'transfer_currency'), unspecified: true },
  feeCurrencies,
)(newBatchItem)

// params

/** The maximum number of items in one call. */
export const ITEMS_PER_CALL = 100

/** The maximum number of items in one batch. */
export const ITEMS_PER_BATCH = 1_000

const itemsToAdd = t.exact(
  t.type({
    /** The id of the batch. */
    id: t.string,
    /** 1 to 100 items; a batch holds up to 1,000. */
    items: listOf(NewBatchItem, {
      min: 1,
      max: ITEMS_PER_CALL,
      noun: 'items',
      advice: 'to send more, use addAllItems',
    }),
  }),
)

/** The batch, and the items to add. No other field of the batch is sent. */
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

/** The batch, and the items to delete. No other field of the batch is sent. */
export type ItemsToDelete = t.TypeOf<typeof itemsToDelete>

export const ItemsToDelete: Codec<ItemsToDelete> = itemsToDelete

// items with the same request_id

/** The rule for an item's `request_id`. */
export const UNIQUE_REQUEST_ID = 'unique, except among identical items'

/** JSON of an item with sorted keys (or a unique symbol if the item has no JSON), and the index of the item. */
export interface FirstItem {
  readonly json: unknown
  readonly index: number
}

/** The first item of each `request_id`. */
export type FirstItems = ReadonlyMap<string, FirstItem>

interface Comparison {
  /** Each item that differs from the first one with the same `request_id`, by index. */
  readonly different: ReadonlyArray<{
    readonly at: number
    readonly json: unknown
    readonly first: FirstItem
  }>
  readonly firstItems: FirstItems
}

/**
 * Finds the items of a batch that differ from an earlier one with the same `request_id`. The service keeps the first item and
 * ignores the others, so an identical item can safely be sent again, but a different one is lost. `before` items precede these.
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

/** Rejects different items of one call with the same `request_id`. */
export const uniqueRequestIds: Rule<ItemsToAdd> = {
  field: 'items[].request_id',
  expected: UNIQUE_REQUEST_ID,
  broken: ({ items }) => compareItems(items).different.map(({ at }) => ['items', at, 'request_id']),
  unspecified: true,
}

/** Returns the item's JSON with sorted keys, or a unique symbol if the item has no JSON. */
export const sortedJson = (item: NewBatchItem): unknown =>
  E.getOrElse((): unknown => Symbol())(
    E.tryCatch(() => JSON.stringify(JSON.parse(JSON.stringify(item)), sortKeys), String),
  )

const sortKeys = (_name: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
