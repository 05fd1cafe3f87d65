/** The table of errors in the interface, row by row, as the rows of the calls have it. */
import { expect, it } from 'vitest'
import { rows } from '../../src/api/index.js'

const both = ['field_required', 'invalid_argument']

const HOOKS = '/api/v1/webhooks'

const PARTNER = '/partner-api/v1/webhooks'

const BATCHES = '/api/v1/batch_transfers'

const REFERENCE = '/api/v1/reference'

it.each([
  ['POST /api/v1/charges/create', { 400: both }],
  ['GET /api/v1/charges/{id}', { 400: both }],
  ['GET /api/v1/charges', { 400: both }],
  [`POST ${BATCHES}/create`, {}],
  [`GET ${BATCHES}/{id}`, { 400: both }],
  [`GET ${BATCHES}`, { 400: both }],
  [`GET ${REFERENCE}/industry_categories`, {}],
  [`GET ${REFERENCE}/invalid_conversion_dates`, { 400: both }],
  [`GET ${REFERENCE}/supported_currencies`, { 400: both }],
  [`GET ${REFERENCE}/order_items/expiring_quota`, { 400: [] }],
  [`GET ${REFERENCE}/order_items/quota`, { 400: [] }],
  [`POST ${REFERENCE}/order_items/upload`, {}],
  [
    'GET /api/v1/pa/reference/bin/lookup',
    {
      400: ['validation_error'],
      401: ['unauthorized'],
      403: [],
      404: ['not_found'],
      500: ['internal_error'],
    },
  ],
  [`POST ${HOOKS}/create`, { 400: both, 401: ['unauthorized'], 409: ['already_exists'] }],
  [`GET ${HOOKS}/{id}`, { 400: ['invalid_argument'], 401: ['unauthorized'], 404: [] }],
  [`GET ${HOOKS}`, { 400: ['invalid_argument'] }],
  [`POST ${HOOKS}/{id}/update`, { 400: both, 401: ['unauthorized'], 404: [] }],
  [`POST ${HOOKS}/{id}/delete`, { 400: both, 404: [] }],
  [`POST ${PARTNER}/create`, { 400: [], 401: [] }],
  [`GET ${PARTNER}`, { 400: [], 401: [] }],
  [`GET ${PARTNER}/{id}`, { 400: [], 401: [], 404: [] }],
  [`POST ${PARTNER}/{id}/update`, { 400: [], 401: [], 404: [] }],
  [`POST ${PARTNER}/{id}/connect`, { 400: [], 401: [], 404: [] }],
  [`POST ${PARTNER}/{id}/disconnect`, { 400: [], 401: [], 404: [] }],
  [`POST ${PARTNER}/{id}/delete`, { 400: [], 401: [], 404: [] }],
])('%s', (route, errors) => {
  expect(rows.find((row) => row.route === route)?.errors).toEqual(errors)
})
