/** Reference data: conversion, limits, industries and card ranges. */
import * as t from 'io-ts'
import { open } from '../decode/index.js'
import { type Codec, closed, described, optional, patternOf } from './Codec.js'
import { Instant } from './Instant.js'
import { Currency, Finite, nullable } from './scalars.js'

// currency conversion

const byCurrencyPair = closed(
  t.type({
    /** Six letters, such as `EURUSD`. */
    currency_pair: t.string,
  }),
)

/** The currency pair to look up. */
export type ByCurrencyPair = t.TypeOf<typeof byCurrencyPair>

export const ByCurrencyPair: Codec<ByCurrencyPair> = byCurrencyPair

const invalidConversionDates = t.type({
  /** The requested pair. */
  currency_pair: t.string,
  /** The days on which the pair cannot be converted. */
  invalid_conversion_dates: t.array(
    t.type({
      /** The day, `YYYY-MM-DD`. */
      date: Instant,
      /** Description of the reason. */
      reason: t.string,
    }),
  ),
})

/** The days on which a currency pair cannot be converted. */
export interface InvalidConversionDates extends t.TypeOf<typeof invalidConversionDates> {}

export const InvalidConversionDates: Codec<InvalidConversionDates> = invalidConversionDates

const supportedCurrencies = t.type({
  /** The currencies that can be bought and sold. */
  conversion: t.type({
    /** 3-letter ISO 4217 codes. */
    buy_currencies: t.array(Currency),
    /** 3-letter ISO 4217 codes. */
    sell_currencies: t.array(Currency),
  }),
})

/** The currencies that the account can buy and sell. */
export interface SupportedCurrencies extends t.TypeOf<typeof supportedCurrencies> {}

export const SupportedCurrencies: Codec<SupportedCurrencies> = supportedCurrencies

// limits on the transfers and deposits of an account; the orders that it has supplied raise them

const quotaType = t.keyof({ CN_INBOUND: null, ID_OUTBOUND: null, VN_OUTBOUND: null })

/** A kind of limit. */
export type QuotaType = t.TypeOf<typeof quotaType>

export const QuotaType = quotaType

const quotaFilter = closed(
  optional({
    /** The limit to select. The default is not documented. */
    type: quotaType,
  }),
)

/** Selects a limit. */
export type QuotaFilter = t.TypeOf<typeof quotaFilter>

export const QuotaFilter: Codec<QuotaFilter> = quotaFilter

const quota = t.type({
  /** The amount left, in major units of `currency`. */
  available_order_amount: Finite,
  /** A 3-letter ISO 4217 code. */
  currency: Currency,
  /** The amount used, in major units of `currency`. */
  history_order_amount: Finite,
})

/** The amount left of a limit. */
export interface Quota extends t.TypeOf<typeof quota> {}

export const Quota: Codec<Quota> = quota

const expiringQuota = t.intersection([
  t.type({
    /** A 3-letter ISO 4217 code. */
    currency: Currency,
    /** The expiring amount, in major units of `currency`. */
    expiring_order_amount: Finite,
  }),
  t.partial({
    /** The day on which it expires. */
    expire_by: nullable(Instant),
  }),
])

/** The part of a limit that expires within the next week. */
export interface ExpiringQuota extends t.TypeOf<typeof expiringQuota> {}

export const ExpiringQuota: Codec<ExpiringQuota> = expiringQuota

// industries

/**
 * A node of the tree of industries. It has one of two shapes: `LIST`, `CODE` and `QUESTION` nodes with `values`, or categories
 * with `sub_items`. The API description does not say which API version uses which shape. Nodes of other types are passed on
 * unchanged.
 */
export interface IndustryCategory {
  /** The type, in any letter case; `industryKindOf` reads it. */
  readonly type: string
  /** The name, or null for a code under a question. */
  readonly name?: string | null
  /** The code itself. Only codes have it. */
  readonly value?: string | null
  /** The text of the question. Only questions have it. */
  readonly question?: string | null
  /** `Yes` or `No`. Only codes under a question have it. */
  readonly answer?: string | null
  /** The children of lists and questions. */
  readonly values?: Array<IndustryCategory> | null
  /** The children of categories and sub-categories. */
  readonly sub_items?: Array<IndustryCategory> | null
}

export const IndustryCategory: Codec<IndustryCategory> = t.recursion('IndustryCategory', (node) =>
  t.intersection([
    t.type({ type: t.string }),
    t.partial({
      name: nullable(t.string),
      value: nullable(t.string),
      question: nullable(t.string),
      answer: nullable(open('Yes', 'No')),
      values: nullable(t.array(node)),
      sub_items: nullable(t.array(node)),
    }),
  ]),
)

export const IndustryCategories: Codec<Array<IndustryCategory>> = t.array(IndustryCategory)

/** The kind of a node, in either shape of the tree. */
export type IndustryKind = 'list' | 'code' | 'question' | 'category' | 'sub-category' | 'level 3'

const kinds: Readonly<Record<string, IndustryKind>> = {
  list: 'list',
  code: 'code',
  question: 'question',
  industry_category: 'category',
  industry_sub_category: 'sub-category',
  industry_category_level3: 'level 3',
}

/** Returns the kind of a node from its type, in any letter case; undefined for an unknown type. */
export const industryKindOf = ({ type }: IndustryCategory): IndustryKind | undefined =>
  Object.hasOwn(kinds, type.toLowerCase()) ? kinds[type.toLowerCase()] : undefined

/** Returns the children of a node, in either shape of the tree. */
export const industriesUnder = ({
  values,
  sub_items,
}: IndustryCategory): ReadonlyArray<IndustryCategory> => values ?? sub_items ?? []

// card account ranges

const digits = (text: string): string => text.replace(/[ -]/g, '')

const shape = /^\d{12,19}$/

const isNumber = (u: unknown): u is string => typeof u === 'string' && shape.test(u)

/**
 * A card number of 12 to 19 digits (our assumption: not in the API description). Spaces and hyphens are removed. Errors never
 * contain the number.
 */
const CardNumber: Codec<string> = described(
  new t.Type<string, unknown, unknown>(
    'a card number of 12 to 19 digits',
    isNumber,
    (u, context) => {
      const bare = typeof u === 'string' ? digits(u) : u
      return isNumber(bare) ? t.success(bare) : t.failure(u, context)
    },
    (text) => (typeof text === 'string' ? digits(text) : text),
  ),
  patternOf(shape, { 'x-not-specified': ['pattern'] }),
)

const byCardNumber = t.exact(
  t.type({
    /** The card number. Sent as `x-pan`, and never repeated in an error, event or log. */
    pan: CardNumber,
  }),
)

/** The card to look up. Handling card numbers is subject to PCI DSS. */
export type ByCardNumber = t.TypeOf<typeof byCardNumber>

export const ByCardNumber: Codec<ByCardNumber> = byCardNumber

const bin = t.intersection([
  t.type({
    /** The card scheme. */
    card_brand: open('visa', 'mastercard', 'union pay', 'american express'),
    /**
     * The card type. Visa: `credit`, `debit`, `prepaid`, `charge`, `deferred_debit`, `not_applicable`. Mastercard: `debit`,
     * `prepaid`, `credit`, `non_mastercard`. Union Pay: `debit`, `prepaid`, `credit`. American Express: `consumer`, `corporate`,
     * `small_business`, `debit`, `prepaid`, `prepaid_reloadable`.
     */
    card_type: open(
      'credit',
      'debit',
      'prepaid',
      'charge',
      'deferred_debit',
      'not_applicable',
      'non_mastercard',
      'consumer',
      'corporate',
      'small_business',
      'prepaid_reloadable',
    ),
    /** True for a business card. */
    commercial_card: t.boolean,
  }),
  t.partial({
    /** The country of the issuer, as a code. */
    issuer_country_code: nullable(t.string),
    /** The issuer of the card. */
    issuer_name: nullable(t.string),
    /**
     * The product. Visa: the description of its product id. Mastercard: the `Card_Program_ID` of its account ranges. Union
     * Pay: `UNKNOWN`, `UNION_PAY_CLASSIC`, `RESERVED_2`, `UNION_PAY_GOLD`, `UNION_PAY_PLATINUM`, `UNION_PAY_DIAMOND`,
     * `RESERVED_6`.
     */
    product_code: nullable(t.string),
    /** The description of `product_code`. */
    product_description: nullable(t.string),
    /** Visa: its sub-type id; Mastercard: the GCMS product id; Union Pay: the level of the card. */
    product_subtype_code: nullable(t.string),
    /** The description of `product_subtype_code`. */
    product_subtype_description: nullable(t.string),
  }),
])

/** The account range of a card. */
export interface Bin extends t.TypeOf<typeof bin> {}

export const Bin: Codec<Bin> = bin

export const Bins: Codec<Array<Bin>> = t.array(bin)
