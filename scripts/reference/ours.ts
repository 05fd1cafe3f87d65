/**
 * Rules that are our assumption but not marked in the codecs: the API description has the field, but not the rule. They are
 * kept here because only the documentation uses them.
 */

/** Patterns of strings for which the API description has none. */
export const INVENTED_PATTERNS: ReadonlyArray<string> = [
  String.raw`^\d+(\.\d+)?$`, // amounts: "string"
  '^[!-~]+$', // a token
  '^[!-~]([ -~]*[!-~])?$', // values of headers
]

/** Rules of parameters, by route and name, for which the API description sets only an upper bound. */
export const inventedRules: Readonly<
  Record<string, Readonly<Record<string, ReadonlyArray<string>>>>
> = {
  'GET /api/v1/batch_transfers': { page_size: ['minimum'] },
  'GET /api/v1/webhooks': { page_size: ['minimum'] },
  'GET /partner-api/v1/webhooks': { page_size: ['minimum'] },
  'POST /api/v1/webhooks/create': { request_id: ['minLength'] },
  'POST /partner-api/v1/webhooks/create': { request_id: ['minLength'] },
}

/** Fields of named objects that we require although the API description does not say so, with their notes. */
export const requiredByUs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  FeeOption: {
    type: '`FIXED`: an `amount`. `PERCENTAGE`: a share of the base given by `source_type`; required for a `CONVERSION`.',
  },
}

/** Notes of parameters whose object has the same field names as another one, so that its comments are not found. */
export const parameterNotes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'GET /api/v1/reference/order_items/quota': {
    type: 'The limit to select. The default is not documented.',
  },
  'GET /api/v1/reference/order_items/expiring_quota': {
    type: 'The limit to select. The default is not documented.',
  },
}

/** The `request_id` of a create. */
export const REQUEST_ID_NOTE =
  'Unique. If omitted, the client generates one per call and reuses it for all attempts and subscriptions of the call.'

/** Notes for the `id` in the path of a call, by resource: the kind of resource that it identifies. */
export const idNotes: Readonly<Record<string, string>> = {
  charges: 'Identifier of the charge.',
  batchTransfers: 'Identifier of the batch.',
  webhooks: 'Identifier of the webhook.',
  partnerWebhooks: 'Identifier of the webhook.',
}
