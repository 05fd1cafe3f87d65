/** What is sent to add transfers to a batch, and to take them out again. */
import * as t from 'io-ts'
import { open } from '../decode/index.js'
import { isRecord } from '../decode/unknown.js'
import { E } from '../fp.js'
import { Address, Beneficiary } from './Beneficiary.js'
import { type Codec, unspecified } from './Codec.js'
import { FeeOption } from './FeeOption.js'
import { type Rule, rule, ruled } from './Rule.js'
import { Country, Currency, Filled, Finite } from './scalars.js'
import { Empty, isEmpty, listOf, Metadata } from './shapes.js'

// model

const payer = unspecified(
  t.partial({
    /** Whether it is a company or a person. */
    entity_type: t.string,
    /** Where the payer lives or works; its `country_code` is needed. */
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
    /** Why the money moves. */
    reason: t.string,
    /** What the beneficiary's bank statement shows. */
    reference: t.string,
    /** Unique. An item with one that was seen before is ignored, so a call can be sent again. */
    request_id: Filled,
    /** What the payer funds with: a 3-letter ISO 4217 code. */
    source_currency: Currency,
    /** What the beneficiary receives: a 3-letter ISO 4217 code. */
    transfer_currency: Currency,
    /** Over SWIFT, or a local clearing system. */
    transfer_method: t.keyof({ SWIFT: null, LOCAL: null }),
  }),
  t.partial({
    /** What the platform takes for itself. */
    application_fee_options: t.readonlyArray(FeeOption, 'a list of fee options'),
    /** Left out, or empty, when `beneficiary_id` is given. */
    beneficiary: t.union([Beneficiary, Empty]),
  }),
  unspecified(
    t.partial({
      /** A beneficiary that is known already. */
      beneficiary_id: t.string,
      /** What is sent, in whole units of `source_currency`; or give `transfer_amount`. */
      source_amount: Finite,
      /** What arrives, in whole units of `transfer_currency`; or give `source_amount`. */
      transfer_amount: Finite,
      /** Who pays, if that is not the account. */
      payer,
      /** A payer that is known already. */
      payer_id: t.string,
      /** Who bears the fees. */
      fee_paid_by: open('PAYER', 'BENEFICIARY'),
      /** Who bears the charges of a transfer over SWIFT. */
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
  feeCurrencies,
)(newBatchItem)

// what is sent

/** Items a call takes (interface, Limits). */
export const ITEMS_PER_CALL = 100

/** Items a batch takes (interface, Limits). */
export const ITEMS_PER_BATCH = 1_000

const itemsToAdd = t.exact(
  t.type({
    /** The id of the batch. */
    id: t.string,
    /** 1 to 100; a batch takes up to 1,000. */
    items: listOf(NewBatchItem, {
      min: 1,
      max: ITEMS_PER_CALL,
      what: 'items',
      advice: 'addAllItems sends more',
    }),
  }),
)

/** The items to add, and the batch that takes them. Of the batch itself nothing else is sent. */
export interface ItemsToAdd extends t.TypeOf<typeof itemsToAdd> {}

export const ItemsToAdd: Codec<ItemsToAdd> = itemsToAdd

const itemsToDelete = t.exact(
  t.type({
    /** The id of the batch. */
    id: t.string,
    /** The `id` of each item, not its `request_id`. */
    item_ids: listOf<string>(t.string, { min: 1, what: 'item id' }),
  }),
)

/** The items to take out, and the batch that has them. Of the batch itself nothing else is sent. */
export interface ItemsToDelete extends t.TypeOf<typeof itemsToDelete> {}

export const ItemsToDelete: Codec<ItemsToDelete> = itemsToDelete

// items with one request_id

/** What the `request_id` of an item should be. */
export const OWN_ID = 'one that no different item has'

/** The first item of each `request_id`: what was written of it, and which item it was, from 0. */
export type Firsts = ReadonlyMap<string, { readonly written: unknown; readonly n: number }>

interface Compared {
  /** Each item that differs from the first one of its `request_id`: its place, and which that one was. */
  readonly different: ReadonlyArray<{ readonly at: number; readonly first: number }>
  /** With those of these items. */
  readonly firsts: Firsts
}

/** Compares items with one another, and with those before them, of which there were `before`. */
export const compared = (
  items: ReadonlyArray<NewBatchItem>,
  firsts: Firsts = new Map(),
  before = 0,
): Compared => {
  const all = new Map(firsts)
  const different = items.flatMap((item, at) => {
    const one = { written: written(item), n: before + at }
    const first = all.get(item.request_id) ?? one
    all.set(item.request_id, first)
    return first.written === one.written ? [] : [{ at, first: first.n }]
  })
  return { different, firsts: all }
}

/** Of the items of one call. */
export const itemsWithOwnIds: Rule<ItemsToAdd> = {
  field: 'items[].request_id',
  expected: OWN_ID,
  broken: ({ items }) => compared(items).different.map(({ at }) => ['items', at, 'request_id']),
  unspecified: true,
}

/** As it is sent, whatever the order of its fields; where that fails, like no other. */
const written = (item: NewBatchItem): unknown =>
  E.getOrElse((): unknown => Symbol())(
    E.tryCatch(() => JSON.stringify(JSON.parse(JSON.stringify(item)), inOrder), String),
  )

const inOrder = (_name: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
