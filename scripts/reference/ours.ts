/**
 * Rules that are our assumption where the codecs do not say so: the API description has the field, but not the rule. They are
 * here and not in the codecs, since only documentation uses them.
 */

/** Patterns of texts for which the interface shows none. */
export const INVENTED_PATTERNS: ReadonlyArray<string> = [
  String.raw`^\d+(\.\d+)?$`, // amounts: "string"
  '^[!-~]+$', // a token
  '^[!-~]([ -~]*[!-~])?$', // values of headers
]

/** Rules of parameters, by route and name: the interface bounds these from above only. */
export const inventedRules: Readonly<
  Record<string, Readonly<Record<string, ReadonlyArray<string>>>>
> = {
  'GET /api/v1/batch_transfers': { page_size: ['minimum'] },
  'GET /api/v1/webhooks': { page_size: ['minimum'] },
  'GET /partner-api/v1/webhooks': { page_size: ['minimum'] },
  'POST /api/v1/webhooks/create': { request_id: ['minLength'] },
  'POST /partner-api/v1/webhooks/create': { request_id: ['minLength'] },
}

/** Fields of named objects that are required here, and of which the interface does not say so, with their notes. */
export const requiredByUs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  FeeOption: {
    type: '`FIXED`: an `amount`. `PERCENTAGE`: a share of the base that `source_type` names; required for a `CONVERSION`.',
  },
}

/** Notes of parameters whose object has the field names of others, so that its comments are not found. */
export const parameterNotes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'GET /api/v1/reference/order_items/quota': {
    type: 'Which limit. The default is not documented.',
  },
  'GET /api/v1/reference/order_items/expiring_quota': {
    type: 'Which limit. The default is not documented.',
  },
}

/** The `request_id` of a create. */
export const REQUEST_ID_NOTE =
  'Unique. Generated if omitted: one per call, reused by all its attempts and subscriptions.'

/** The `id` in the path of a call, by resource: it says what is identified. */
export const idNotes: Readonly<Record<string, string>> = {
  charges: 'Identifier of the charge.',
  batchTransfers: 'Identifier of the batch.',
  webhooks: 'Identifier of the webhook.',
  partnerWebhooks: 'Identifier of the webhook.',
}
