/**
 * Rules that are ours where the codecs do not say so: the interface names the field, and is silent on the rule. They stand
 * here and not in the codecs, since only documentation reads them.
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
    type: '`FIXED`: an `amount`. `PERCENTAGE`: a part of what `source_type` names; so for a `CONVERSION`.',
  },
}

/** Notes of parameters whose object has the field names of others, so that its comments are not found. */
export const parameterNotes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'GET /api/v1/reference/order_items/quota': {
    type: 'The limit; the interface does not say which one it is when left out.',
  },
  'GET /api/v1/reference/order_items/expiring_quota': {
    type: 'The limit; the interface does not say which one it is when left out.',
  },
}

/** The `request_id` of a create. */
export const REQUEST_ID_NOTE =
  'Unique. Generated if omitted: one for each call, reused by every attempt and subscription.'

/** The `id` in the path of a call, by resource: it says what is identified. */
export const idNotes: Readonly<Record<string, string>> = {
  charges: 'Identifier of the charge.',
  batchTransfers: 'Identifier of the batch.',
  webhooks: 'Identifier of the webhook.',
  partnerWebhooks: 'Identifier of the webhook.',
}
