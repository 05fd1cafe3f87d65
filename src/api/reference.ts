import { Acknowledgement, Nothing } from '../codec/common.js'
import { OrderUpload, orderUploadRules } from '../codec/OrderItem.js'
import {
  Bins,
  ByCardNumber,
  ByCurrencyPair,
  ExpiringQuota,
  IndustryCategories,
  InvalidConversionDates,
  Quota,
  QuotaFilter,
  SupportedCurrencies,
} from '../codec/reference.js'
import { endpoint } from './Endpoint.js'

export const reference = {
  /** Returns the tree of industries. */
  industryCategories: endpoint('GET /api/v1/reference/industry_categories', {
    params: Nothing,
    success: IndustryCategories,
  }),

  /** Lists the days on which a pair of currencies cannot be converted. */
  invalidConversionDates: endpoint('GET /api/v1/reference/invalid_conversion_dates', {
    params: ByCurrencyPair,
    success: InvalidConversionDates,
    errors: { 400: ['field_required', 'invalid_argument'] },
  }),

  /** Lists the currencies that this account can buy and sell. */
  supportedCurrencies: endpoint('GET /api/v1/reference/supported_currencies', {
    params: Nothing,
    success: SupportedCurrencies,
    errors: { 400: ['field_required', 'invalid_argument'] },
  }),

  /** Returns the part of a limit that expires within the next week. */
  expiringQuota: endpoint('GET /api/v1/reference/order_items/expiring_quota', {
    params: QuotaFilter,
    success: ExpiringQuota,
    errors: { 400: [] },
  }),

  /** Returns the amount left of a limit. */
  quota: endpoint('GET /api/v1/reference/order_items/quota', {
    params: QuotaFilter,
    success: Quota,
    errors: { 400: [] },
  }),

  /** Uploads up to 500 items of cross-border sales orders, which raise a limit. */
  upload: endpoint('POST /api/v1/reference/order_items/upload', {
    params: OrderUpload,
    success: Acknowledgement,
    answer: 'anything',
    at: {
      items: 'whole body',
      allow_partial_success: 'query',
      types: 'query',
      jwt_oauth_client_id: 'header x-jwt-oauth-client-id',
      jwt_type: 'header x-jwt-type',
    },
    rules: orderUploadRules,
    unspecified: ['success'],
  }),

  /** Looks up a card number, which is sent only in a header. */
  lookUpBin: endpoint('GET /api/v1/pa/reference/bin/lookup', {
    params: ByCardNumber,
    success: Bins,
    errors: {
      400: ['validation_error'],
      401: ['unauthorized'],
      403: [],
      404: ['not_found'],
      500: ['internal_error'],
    },
    at: { pan: 'header x-pan' },
  }),
}
