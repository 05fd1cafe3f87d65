/** The page of the API's dated versions, with the parts of this package that each one affects. */

interface Version {
  readonly date: string
  /** The changes, as listed in the API description. */
  readonly changes: string
  readonly here?: string
}

const versions: ReadonlyArray<Version> = [
  {
    date: '2026-08-21',
    changes:
      'Account status adds DORMANT and CLOSED, also as the `account_status` list filter; events `account.dormant` and `account.closed`; spend accounting selections use `source_id`; in card transaction events, `transaction_date_time` is renamed `transacted_at`; transaction disputes use `card_transaction_event_id` instead of `transaction_id`; issuing simulation uses card transaction lifecycle identifiers; card create and update gain the optional `auto_close_date` (YYYY-MM-DD).',
    here: 'Webhooks: `eventNames` has both event names. `payloadOf` reads the old and the new spelling: `EventAccount.status`, `source_id` in `EventBill` and `EventExpense`, `transacted_at` in `EventTransaction`, `card_transaction_event_id` in `EventDispute`.',
  },
  {
    date: '2026-07-17',
    changes:
      '`country_code` is required in account address objects; `lifecycle_id` is removed from issuing authorizations and transactions in favour of `card_transaction_data.card_transaction_lifecycle_id`; issuing events carry `card_transaction_data`.',
    here: 'Webhooks: `card_transaction_data` in `EventTransaction` and `EventDispute`; it is missing for transactions created before January 2025. Before this version, `lifecycle_id` is decoded instead.',
  },
  {
    date: '2026-06-30',
    changes:
      'Payment acceptance timestamps use the offset `+00:00` instead of `+0000`; payment acceptance error codes are refined; settlement `id` is renamed `settlement_id`; transfers get a `failure` object in place of `failure_reason` and `failure_type`; `funding.failure_details` replaces `funding.failure_reason` in transfers and batch transfers.',
    here: 'Batch transfers: `funding.failure_details` and `funding.failure_reason` are both in [BatchFunding](objects.md#batchfunding). Times: every response may use either offset.',
  },
  {
    date: '2026-05-29',
    changes:
      'Billing checkout `customer_data_collection.enabled` is removed; `tax_id` and `billing_address` enums are added.',
  },
  { date: '2026-02-27', changes: 'Financial report status can be FAILED.' },
  {
    date: '2025-11-11',
    changes: 'Payment source `external_id` references a payment method.',
  },
  {
    date: '2025-09-30',
    changes:
      'Funding limit query changes (`effective_at`, `mandate_type`, `availables`, `page_num` and `page_size`); balance history source and amount changes for issuing.',
  },
  {
    date: '2025-08-29',
    changes:
      'Billing pagination by `page`, `page_before` and `page_after`; subscription duration; invoice auto-charge; checkout modes PAYMENT and SETUP.',
    here: 'Read these lists with your own endpoint and `byCursor`.',
  },
  {
    date: '2025-06-30',
    changes:
      'Transfers: `lock_rate_on_create`, `conversion` and prepayment objects; `bank_account_category` for US ACH beneficiaries.',
    here: 'Batch items: `bank_account_category` of [BankDetails](objects.md#bankdetails).',
  },
]

export const printVersions = (): string =>
  [
    '# Versions and upgrading',
    '## This package',
    'The package follows semantic versioning; the [changelog](../../CHANGELOG.md) lists the promises for every 1.x. Finish interrupted exports before you upgrade, because `--resume` refuses an output with different columns. Then run the compiler and your tests against [the sandbox](../testing.md). `rxjs`, `fp-ts` and `io-ts` are peers: install one copy of each.',
    '## The API',
    'Paths contain `/api/v1` (partner paths `/partner-api/v1`). Incompatible changes are made only in a new dated version. Pin a version with `createClient({ apiVersion })`; otherwise the version stored with your account applies. The API description does not show how a request selects a version. The client sends `apiVersion` as `x-api-version`, which is our assumption.',
    "To try a newer version, use `payments.with({ apiVersion: '2026-08-21' })`, and `drift: true` to count [new fields and values](../decoding.md#drift), which pass through. If a required field is missing, the call fails with an `Undecodable` that names it; [your own endpoint](defaults.md#change-a-default) can read the response without it.",
    'A webhook keeps the version with which it was created. To upgrade, create a second webhook with the new `version`, and delete the old one once the new one delivers. `payloadOf` [reads both](../webhooks.md#receive-events).',
    ...versions.map(({ date, changes, here }) =>
      [`## ${date}`, changes, ...(here === undefined ? [] : [`**In this package:** ${here}`])].join(
        '\n\n',
      ),
    ),
    '## Earlier versions',
    'Their changes are not documented. `WebhookEvent` also reads the camel case of webhooks before 2024-02-22, and the event names of batches before 2024-09-27, which lack `payout.`; both are our assumptions.',
  ].join('\n\n')
