import type { Example } from './Example.js'

const item = {
  category: 'goods_trade_online',
  currency: 'USD',
  item_name: 'Desk lamp',
  item_quantity: 3,
  item_unit_price: 20,
  item_url: 'https://shop.test/lamps/1',
  line_total: 60,
  order_datetime: '2026-01-09T10:00:00+0800',
  order_id: 'SO-1',
  shipment_provider: 'DHL',
  shipment_tracking_number: 'JD0146000',
  description: 'With a bulb',
  item_reference: 'ref-1',
}

export const reference: ReadonlyArray<Example> = [
  {
    route: 'GET /api/v1/reference/industry_categories',
    params: undefined,
    sent: { target: '/api/v1/reference/industry_categories' },
    answer: [
      {
        type: 'LIST',
        name: 'Retail',
        values: [
          { type: 'code', name: 'Books', value: 'ICCV3_000001' },
          {
            type: 'question',
            name: 'Food',
            question: 'Do you sell alcohol?',
            values: [
              { type: 'CODE', name: null, value: 'ICCV3_000002', answer: 'Yes' },
              { type: 'CODE', name: null, value: 'ICCV3_000003', answer: 'No' },
            ],
          },
        ],
      },
      {
        type: 'industry_category',
        name: 'Services',
        sub_items: [
          {
            type: 'industry_sub_category',
            name: 'Software',
            sub_items: [{ type: 'industry_category_level3', name: 'Games' }],
          },
        ],
      },
    ],
  },
  {
    route: 'GET /api/v1/reference/invalid_conversion_dates',
    params: { currency_pair: 'EURUSD' },
    sent: { target: '/api/v1/reference/invalid_conversion_dates?currency_pair=EURUSD' },
    answer: {
      currency_pair: 'EURUSD',
      invalid_conversion_dates: [{ date: '2026-12-25', reason: 'Christmas Day' }],
    },
  },
  {
    route: 'GET /api/v1/reference/supported_currencies',
    params: {},
    sent: { target: '/api/v1/reference/supported_currencies' },
    answer: { conversion: { buy_currencies: ['EUR', 'USD'], sell_currencies: ['GBP'] } },
  },
  {
    route: 'GET /api/v1/reference/order_items/expiring_quota',
    params: { type: 'VN_OUTBOUND' },
    sent: { target: '/api/v1/reference/order_items/expiring_quota?type=VN_OUTBOUND' },
    answer: { currency: 'USD', expire_by: '2026-01-17', expiring_order_amount: 1_250.75 },
  },
  {
    route: 'GET /api/v1/reference/order_items/quota',
    params: { type: 'CN_INBOUND' },
    sent: { target: '/api/v1/reference/order_items/quota?type=CN_INBOUND' },
    answer: { available_order_amount: 5_000, currency: 'USD', history_order_amount: 12_000.5 },
  },
  {
    route: 'POST /api/v1/reference/order_items/upload',
    params: {
      items: [item],
      allow_partial_success: false,
      types: ['CN_INBOUND', 'ID_OUTBOUND'],
      jwt_oauth_client_id: 'client-1',
      jwt_type: 'oauth',
    },
    sent: {
      target:
        '/api/v1/reference/order_items/upload?allow_partial_success=false&types=CN_INBOUND&types=ID_OUTBOUND',
      headers: { 'x-jwt-oauth-client-id': 'client-1', 'x-jwt-type': 'oauth' },
      body: [item],
    },
    answer: undefined,
  },
  {
    route: 'GET /api/v1/pa/reference/bin/lookup',
    params: { pan: '4111 1111-1111 1111' },
    sent: {
      target: '/api/v1/pa/reference/bin/lookup',
      headers: { 'x-pan': '4111111111111111' },
    },
    answer: [
      {
        card_brand: 'visa',
        card_type: 'deferred_debit',
        commercial_card: false,
        issuer_country_code: 'US',
        issuer_name: 'Example Bank',
        product_code: 'F',
        product_description: 'Visa Classic',
        product_subtype_code: 'VA',
        product_subtype_description: 'Visa Access',
      },
      { card_brand: 'union pay', card_type: 'credit', commercial_card: true },
    ],
  },
]
