import * as t from 'io-ts'
import { fieldsOf, isRecord } from '../decode/unknown.js'
import { E } from '../fp.js'
import { type Codec, closed, LenientType, noted, optional, type Rule, ruled } from './Codec.js'
import { QuotaType } from './reference.js'
import {
  Flag,
  HeaderText,
  heldBy,
  listOf,
  NumberAmount,
  repeated,
  textOf,
  Whole,
} from './scalars.js'
import { DateTime, toMillis } from './times.js'

/** A category of goods or services sold. */
const category = t.keyof({
  goods_trade_online: null,
  goods_trade_offline: null,
  services_trade_education_and_training: null,
  services_trade_international_logistics: null,
  services_trade_software: null,
  services_trade_professional: null,
  services_trade_travel: null,
  services_trade_travel_and_hospitality: null,
})

// biome-ignore format: a line for each first letter, as in the API description
const orderCurrency = t.keyof({
  AED: null, ALL: null, AMD: null, ANG: null, AOA: null, ARS: null, AUD: null, AWG: null, AZN: null,
  BAM: null, BBD: null, BDT: null, BGN: null, BIF: null, BMD: null, BND: null, BOB: null, BRL: null, BSD: null, BTN: null, BWP: null, BZD: null,
  CAD: null, CHF: null, CLP: null, COP: null, CRC: null, CVE: null, CZK: null,
  DJF: null, DKK: null, DOP: null, DZD: null,
  EGP: null, ERN: null, ETB: null, EUR: null,
  FJD: null, FKP: null,
  GBP: null, GEL: null, GHS: null, GIP: null, GMD: null, GNF: null, GTQ: null, GYD: null,
  HKD: null, HNL: null, HRK: null, HUF: null,
  IDR: null, ILS: null, INR: null, ISK: null,
  JMD: null, JOD: null, JPY: null,
  KES: null, KGS: null, KHR: null, KMF: null, KRW: null, KWD: null, KYD: null, KZT: null,
  LAK: null, LBP: null, LKR: null, LRD: null, LSL: null, LYD: null,
  MAD: null, MDL: null, MGA: null, MKD: null, MNT: null, MOP: null, MRU: null, MUR: null, MVR: null, MWK: null, MXN: null, MYR: null,
  NAD: null, NIO: null, NOK: null, NPR: null, NZD: null,
  OMR: null,
  PAB: null, PEN: null, PGK: null, PHP: null, PKR: null, PLN: null, PYG: null,
  QAR: null,
  RON: null, RSD: null, RWF: null,
  SAR: null, SBD: null, SCR: null, SEK: null, SGD: null, SHP: null, SLL: null, SRD: null, STN: null, SVC: null, SZL: null,
  THB: null, TJS: null, TMT: null, TND: null, TOP: null, TRY: null, TTD: null, TWD: null, TZS: null,
  UAH: null, UGX: null, USD: null, UYU: null, UZS: null,
  VND: null, VUV: null,
  WST: null,
  XAF: null, XCD: null, XOF: null, XPF: null,
  ZAR: null, ZMW: null,
})

/** A currency that an order can have. */
export type OrderCurrency = t.TypeOf<typeof orderCurrency>

export const OrderCurrency = orderCurrency

const orderItem = closed(
  t.intersection([
    t.type({
      /** The category of the goods or services sold. */
      category,
      /** One of the listed currencies. */
      currency: OrderCurrency,
      /** The name of the item: 2 to 256 characters. */
      item_name: textOf(2, 256),
      /** The quantity: a whole number. */
      item_quantity: Whole,
      /** The unit price, in major units of `currency`: a decimal string or a number, with any number of decimals. */
      item_unit_price: NumberAmount,
      /** The URL of the item: 1 to 1,000 characters. */
      item_url: textOf(1, 1_000),
      /**
       * Quantity times unit price, in major units of `currency`: a decimal string or a number. Because of rounding, it is not
       * compared with the product.
       */
      line_total: NumberAmount,
      /** The time of the order: at most 350 days ago. */
      order_datetime: DateTime,
      /** The id of the order that contains this line, 1 to 50 characters. Send all lines of an order in one call. */
      order_id: textOf(1, 50),
      /** The carrier's name. */
      shipment_provider: t.string,
      /** The tracking number of the shipment: 5 to 35 characters. */
      shipment_tracking_number: textOf(5, 35),
    }),
    optional({
      /** A description of the order. */
      description: t.string,
      /** Your own reference, for reconciliation. It is not passed on. */
      item_reference: t.string,
    }),
  ]),
)

/** One line of a cross-border sales order. */
export interface OrderItem extends t.TypeOf<typeof orderItem> {}

export const OrderItem: Codec<OrderItem> = ruled<OrderItem>(heldBy('line_total', 'currency'))(
  orderItem,
)

/** The maximum number of items in one upload. */
export const ITEMS_PER_UPLOAD = 500

/** The maximum age of an order, in days. */
export const ORDER_AGE = 350

const options = noted(
  optional({
    /**
     * True: the valid items are accepted and the others dropped. False, the default: one invalid item rejects the whole
     * request.
     */
    allow_partial_success: Flag,
    /**
     * The limits to raise. Default: `CN_INBOUND`, which must be enabled for the account. The API description lists all three, and
     * says that `CN_INBOUND` and `ID_OUTBOUND` are supported.
     */
    types: repeated<QuotaType>(QuotaType),
    /** Sent as `x-jwt-oauth-client-id`. Its purpose is not documented. */
    jwt_oauth_client_id: HeaderText,
    /** Sent as `x-jwt-type`. Its purpose is not documented. */
    jwt_type: HeaderText,
  }),
  { allow_partial_success: { default: false }, types: { default: ['CN_INBOUND'] } },
)

const uploadOf = (item: Codec<OrderItem>) =>
  closed(
    t.intersection([
      t.type({
        /** 1 to 500 items. With `allow_partial_success`, only the platform checks each item. */
        items: listOf(item, {
          min: 1,
          max: ITEMS_PER_UPLOAD,
          noun: 'items',
          advice: 'to send more, use uploadAll',
        }),
      }),
      options,
    ]),
  )

const strict = uploadOf(OrderItem)

/** Orders that raise limits. */
export interface OrderUpload extends t.TypeOf<typeof strict> {}

/** Accepts any value as an item. */
const meant = t.refinement(t.unknown, (_: unknown): _ is OrderItem => true)

const anyItem: Codec<OrderItem> = new t.Type<OrderItem, unknown, unknown>(
  OrderItem.name,
  meant.is,
  meant.validate,
  (item) => (isRecord(item) ? { ...item, ...encoded(item) } : item),
)

/** Encodes the fields that can be encoded. */
const encoded = ({
  order_datetime,
  item_unit_price,
  line_total,
}: Readonly<Record<string, unknown>>) => ({
  ...(DateTime.is(order_datetime) ? { order_datetime: DateTime.encode(order_datetime) } : {}),
  ...(NumberAmount.is(item_unit_price)
    ? { item_unit_price: NumberAmount.encode(item_unit_price) }
    : {}),
  ...(NumberAmount.is(line_total) ? { line_total: NumberAmount.encode(line_total) } : {}),
})

const isPartial = (u: unknown): boolean =>
  E.exists((partial) => partial === true)(Flag.decode(fieldsOf(u).allow_partial_success))

export const OrderUpload: Codec<OrderUpload> = new LenientType(strict, uploadOf(anyItem), isPartial)

/** A day, in ms. */
const DAY = 24 * 3_600_000

/** Rules that depend on the time, in ms since 1970. */
export const orderUploadRules = (now: number): ReadonlyArray<Rule<OrderUpload>> => [
  {
    field: 'items[].order_datetime',
    expected: `at most ${ORDER_AGE} days old`,
    broken: ({ items, allow_partial_success }) =>
      allow_partial_success === true
        ? []
        : items.flatMap(({ order_datetime }, i) =>
            toMillis(order_datetime) < now - ORDER_AGE * DAY
              ? [['items', i, 'order_datetime']]
              : [],
          ),
  },
]
