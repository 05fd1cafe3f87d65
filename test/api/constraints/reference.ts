import { OrderCurrency } from '../../../src/codec/OrderItem.js'
import { examples } from '../examples/index.js'
import { at, type Constraint } from './Constraint.js'
import { lengthOf, needed, optionalText } from './shared.js'

const UPLOAD = 'POST /api/v1/reference/order_items/upload'

const BIN = 'GET /api/v1/pa/reference/bin/lookup'

const limits = {
  good: [undefined, 'CN_INBOUND', 'ID_OUTBOUND', 'VN_OUTBOUND'],
  bad: ['US_INBOUND', 'cn_inbound'],
  expected: '"CN_INBOUND" | "ID_OUTBOUND" | "VN_OUTBOUND"',
}

const upload = examples.find(({ route }) => route === UPLOAD)?.params

const [item] = Object(upload).items

const orders: ReadonlyArray<Constraint> = [
  {
    route: UPLOAD,
    field: 'items[0].category',
    good: [
      'goods_trade_online',
      'goods_trade_offline',
      'services_trade_education_and_training',
      'services_trade_international_logistics',
      'services_trade_software',
      'services_trade_professional',
      'services_trade_travel',
      'services_trade_travel_and_hospitality',
    ],
    bad: [undefined, 'goods'],
    expected:
      '"goods_trade_online" | "goods_trade_offline" | "services_trade_education_and_training" | "services_trade_international_logistics" | "services_trade_software" | "services_trade_professional" | "services_trade_travel" | "services_trade_travel_and_hospitality"',
  },
  {
    route: UPLOAD,
    field: 'items[0].currency',
    good: Object.keys(OrderCurrency.keys),
    bad: [undefined, 'CNY', 'RUB', 'usd'],
    expected:
      '"AED" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | 123 more',
  },
  { route: UPLOAD, field: 'items[0].item_name', ...lengthOf(2, 256) },
  {
    route: UPLOAD,
    field: 'items[0].item_quantity',
    good: [1, 1_000_000],
    bad: [1.5, Number.POSITIVE_INFINITY],
    expected: 'a whole number',
  },
  ...at(UPLOAD, ['items[0].item_unit_price', 'items[0].line_total'], {
    good: [0, 9.99, '9.99', '0', 1e21],
    bad: [Number.NaN, Number.POSITIVE_INFINITY, -1, '-1', '1e3', ''],
    expected: 'a number of at least 0, or plain decimal text such as "9.99"',
  }),
  {
    route: UPLOAD,
    field: 'items[0].item_unit_price',
    good: [0.125, '0.1250001'],
    bad: ['none'],
    expected: 'a number of at least 0, or plain decimal text such as "9.99"',
  },
  {
    route: UPLOAD,
    field: 'items[0].line_total',
    good: ['59.700', 59.7],
    bad: ['59.705', 0.1 + 0.2],
    expected: 'an amount with at most 2 decimals, the maximum for USD',
  },
  { route: UPLOAD, field: 'items[0].item_url', ...lengthOf(1, 1_000) },
  {
    route: UPLOAD,
    field: 'items[0].order_datetime',
    // 350 days before noon of 10 January 2026
    good: ['2025-01-25T12:00:00+0000', '2025-01-25T20:00:00+08:00', '2026-01-10T12:00:00Z'],
    bad: ['2025-01-25T11:59:59+0000', new Date('2025-01-25T11:59:59.999Z'), '2020-01-01T00:00:00Z'],
    expected: 'at most 350 days old',
  },
  {
    route: UPLOAD,
    field: 'items[0].order_datetime',
    good: [new Date('2026-01-09')],
    bad: [undefined, '2026-01-09', 'now', '2025-02-29T00:00:00Z'],
    expected: 'a Date or an ISO 8601 date and time',
  },
  { route: UPLOAD, field: 'items[0].order_id', ...lengthOf(1, 50) },
  { route: UPLOAD, field: 'items[0].shipment_provider', ...needed },
  { route: UPLOAD, field: 'items[0].shipment_tracking_number', ...lengthOf(5, 35) },
  ...at(UPLOAD, ['items[0].description', 'items[0].item_reference'], optionalText),
]

export const reference: ReadonlyArray<Constraint> = [
  {
    route: 'GET /api/v1/reference/invalid_conversion_dates',
    field: 'currency_pair',
    ...needed,
  },
  { route: 'GET /api/v1/reference/order_items/expiring_quota', field: 'type', ...limits },
  { route: 'GET /api/v1/reference/order_items/quota', field: 'type', ...limits },
  {
    route: UPLOAD,
    field: 'items',
    good: [[item], Array(500).fill(item)],
    bad: [[], Array(501).fill(item)],
    expected: 'a list of 1 to 500 items (to send more, use uploadAll)',
  },
  {
    route: UPLOAD,
    field: 'allow_partial_success',
    good: [undefined, true, false, 'true', 'false'],
    bad: ['yes', 1],
    expected: 'boolean',
  },
  {
    route: UPLOAD,
    field: 'types[0]',
    good: ['CN_INBOUND', 'ID_OUTBOUND', 'VN_OUTBOUND'],
    bad: ['US_INBOUND'],
    expected: limits.expected,
  },
  ...at(UPLOAD, ['jwt_oauth_client_id', 'jwt_type'], {
    good: [undefined, 'a b'],
    bad: ['', 'a\nb', 'é'],
    expected: 'a valid header value',
  }),
  ...orders,
  {
    route: BIN,
    field: 'pan',
    good: ['411111111111', '4111111111111111111', '4111-1111 1111-1111'],
    bad: [undefined, '41111111111', '41111111111111111111', '4111x1111y1111', 4111111111111111],
    expected: 'a card number of 12 to 19 digits',
  },
]
