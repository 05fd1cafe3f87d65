import { Charge, ChargeFilter, NewCharge } from '../codec/Charge.js'
import { ById } from '../codec/common.js'
import { endpoint } from './Endpoint.js'
import { byNumber } from './Paging.js'

export const charges = {
  /** Charges a connected account and credits the platform's wallet. */
  create: endpoint('POST /api/v1/charges/create', {
    params: NewCharge,
    success: Charge,
    status: 201,
    errors: { 400: ['field_required', 'invalid_argument'] },
    otherErrors: [
      'insufficient_fund',
      'validation_failed',
      'method_not_allowed',
      'request_id_duplicate',
      'not_found',
    ],
    repeatable: 'by request_id',
    foundBy: 'GET /api/v1/charges',
    knownBy: ['amount', 'currency', 'source'],
  }),

  /** Returns one charge, in its current state. */
  retrieve: endpoint('GET /api/v1/charges/{id}', {
    params: ById,
    success: Charge,
    errors: { 400: ['field_required', 'invalid_argument'] },
  }),

  /** Lists the charges that match the filter, by creation time (ascending or descending: not specified). */
  list: endpoint('GET /api/v1/charges', {
    params: ChargeFilter,
    success: Charge,
    errors: { 400: ['field_required', 'invalid_argument'] },
    paging: byNumber(100),
  }),
}
