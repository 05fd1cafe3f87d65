/** Our defaults for topics that the API description does not cover, by the page that they are printed on. */

/** A topic, its default, and how to change it. */
type Default = readonly [topic: string, byDefault: string, change: string]

const ROW = '[your own endpoint](defaults.md#change-a-default)'
const UNCHECKED = '`check: false`'

export const defaults: Readonly<Record<string, ReadonlyArray<Default>>> = {
  charges: [
    [
      'Order of `list`',
      'by creation time, ascending or descending; a [snapshot](../snapshots.md) detects the direction',
      '',
    ],
    [
      'Final statuses',
      '`SETTLED` and `FAILED`; an unknown status is not final',
      '`untilState({ id, states })`',
    ],
    [
      'Longest wait of `untilState`',
      'an hour, polling after 1, 2, 4 … 16 s',
      '`untilState({ id, limit })`',
    ],
    [
      'Meaning of the statuses',
      '`NEW`: already debited; `PENDING`: under review; `SETTLED`: complete; `SUSPENDED`: rejected, and the money is not yet returned; `FAILED`: the money is returned',
      '',
    ],
  ],
  batchTransfers: [
    ['Response to `addItems`, `deleteItems`, `quote`, `submit`', 'the batch', ROW],
    ['Response to `delete`', 'any 2xx is a success, with or without a body', ROW],
    [
      'Batch fields that may be null or missing',
      '`name`, `remarks`, `metadata`, `transfer_date`, `funding`, `quote_summary`, and all fields inside the last two',
      ROW,
    ],
    [
      '`transfer_date`',
      'refused together with a linked account; counts as past once the day is over everywhere on Earth; in a response, any text is accepted',
      UNCHECKED,
    ],
    [
      'Several items in one call with the same `request_id`',
      'refused if they differ, because the platform keeps only the first',
      UNCHECKED,
    ],
    ['`beneficiary` together with a `beneficiary_id`', 'must be omitted or `{}`', UNCHECKED],
    [
      'Final statuses',
      '`BOOKED`, `PARTIALLY_BOOKED`, `FAILED`, `CANCELLED` and the three `APPROVAL_` statuses',
      '`untilState({ id, states })`',
    ],
    ['Statuses that forbid a call', 'none; the platform decides', ''],
    [
      'Assumptions of `payAll` and `pay`',
      'a batch shows the number of all items and of valid ones; the list of a draft includes invalid items with their errors; there is a quote for each currency pair; the amount that the payer pays includes a fee in the same currency; an expired quote cannot be submitted',
      'the calls themselves',
    ],
  ],
  reference: [
    [
      'The tree of industries',
      'either of two shapes; `industryKindOf` and `industriesUnder` read both',
      ROW,
    ],
    ['Response to `upload`', 'any 2xx is a success; the body is read as JSON or text', ROW],
    ['Parameter `types` of `upload`', 'repeated for each value', ROW],
    ['`expire_by` of a quota', 'may be missing or null', ROW],
    ['A card number', '12 to 19 digits; spaces and hyphens are removed', UNCHECKED],
  ],
  webhooks: [
    [
      '`secret`, `request_id` in responses',
      '`secret` is required after `create`; both may be missing elsewhere',
      ROW,
    ],
    [
      'Event names',
      'those in the API description, and names for charges, batches and connections; any other text is accepted',
      '',
    ],
    [
      'Envelope of an event',
      '`id`, `name` and `data` are required; `account_id`, `org_id`, `source_id`, `created_at`, `version` are optional',
      '`raw` has the original',
    ],
    [
      'Older envelopes',
      '`accountId` and similar keys are read; `data` before version 2024-02-22 is converted to snake case',
      '`raw` has the original',
    ],
    [
      '`data` for charges and batches',
      'the resource itself, or nested in `data.object`',
      '`data`, `raw`',
    ],
    [
      'Response to an event',
      '200, before it is processed; 503 if the event is new and nothing is subscribed',
      '`createVerifier` in your own server',
    ],
  ],
  partnerWebhooks: [
    ['Parameters of `connect`', '`account_id`, `org_id` or both', UNCHECKED],
    [
      'Response to `connect`, `disconnect`, `delete`',
      'any 2xx is a success; the body is read as JSON or text',
      ROW,
    ],
    ['Headers for API version and account', 'neither is sent', ROW],
  ],
  authentication: [
    [
      'Headers',
      '`x-client-id` and `x-api-key`, with `{}` as the body',
      '`credentials: { token }`, a function that returns a token',
    ],
    [
      'Another account with the same keys',
      '`x-login-as`, sent only if you set it',
      '`credentials.loginAs`',
    ],
    ['Response', '201, or any other 2xx, with a `token`', '`credentials: { token }`'],
    [
      '`expires_at`',
      'any [time](defaults.md#numbers-and-times); 25 minutes if missing or unreadable',
      '`credentials: { token }` with `expiresAt`',
    ],
    [
      'Refresh',
      '60 s before the token expires, but not in the first half of its lifetime',
      '`renewEarly`',
    ],
    ['401 on a call', 'one new login, then the call is retried once', ''],
    ['401 or 403 on the login', 'not retried; all calls waiting for the token fail as well', ''],
  ],
}

/** The signature of a delivery, and the options of `createVerifier`, `createReceiver` and `sign`. */
export const SIGNATURES = `## Signatures

The API description does not say how deliveries are signed, so all of these are our defaults:

| part | default | how to change it |
|---|---|---|
| time of signing | header \`x-timestamp\`, Unix milliseconds | \`scheme.timestampHeader\`, \`scheme.sentAt\` |
| id of the delivery | none | \`scheme.idHeader\`: the id is then passed to \`scheme.message\`, as [Standard Webhooks](../webhooks.md#standard-webhooks-and-other-signatures) require |
| signature | header \`x-signature\`, hexadecimal in either case | \`scheme.signatureHeader\`, \`scheme.algorithm\` |
| signed text | the value of \`x-timestamp\`, directly followed by the bytes of the body | \`scheme.message\` |
| algorithm | HMAC-SHA256, keyed with the whole text of the secret | \`scheme.algorithm\`, such as \`hmac('SHA-512')\` |
| age | up to 300,000 ms in the past or the future | \`tolerance\`; \`Infinity\` accepts any age |
| secrets | one, or several, in any order | \`secret\` |
| clock | that of RxJS | \`timer\` |
| largest body | 1,048,576 bytes | \`maxBytes\` of a receiver |
| time for a body | 10,000 ms | \`bodyTimeout\` of a receiver; \`Infinity\`: no limit |
| ids remembered | 10,000 | \`remember\` of a receiver; 0 for none |

If \`sentAt\` returns anything but a finite number, the delivery is \`Unsigned\`. For [tests](../testing.md#webhooks), \`sign({ secret, scheme })\` returns the headers that a verifier accepts; its scheme may also have a \`signature\`.`
