/** The page of the dated versions of the interface, and what each touches in this package. */

interface Version {
  readonly date: string
  /** As the interface lists them. */
  readonly changes: string
  readonly here: string
}

const versions: ReadonlyArray<Version> = [
  {
    date: '2026-08-21',
    changes:
      'Account status adds DORMANT and CLOSED, also as the `account_status` list filter; events `account.dormant` and `account.closed`; spend accounting selections use `source_id`; of card transaction events `transaction_date_time` is renamed `transacted_at`; transaction disputes use `card_transaction_event_id` instead of `transaction_id`; issuing simulation uses card transaction lifecycle identifiers; card create and update gain the optional `auto_close_date` (YYYY-MM-DD).',
    here: 'Webhooks: both event names are in `eventNames`. `payloadOf` reads both spellings: `EventAccount.status`, `source_id` of `EventBill` and `EventExpense`, `transacted_at` of `EventTransaction`, `card_transaction_event_id` of `EventDispute`.',
  },
  {
    date: '2026-07-17',
    changes:
      '`country_code` is required in account address objects; `lifecycle_id` is removed from issuing authorizations and transactions in favour of `card_transaction_data.card_transaction_lifecycle_id`; issuing events carry `card_transaction_data`.',
    here: 'Webhooks: `card_transaction_data` of `EventTransaction` and `EventDispute`; it is left out for transactions created before January 2025. `lifecycle_id` is read before this version.',
  },
  {
    date: '2026-06-30',
    changes:
      'Payment acceptance timestamps use the offset `+00:00` instead of `+0000`; payment acceptance error codes are refined; settlement `id` is renamed `settlement_id`; transfers get a `failure` object in place of `failure_reason` and `failure_type`; `funding.failure_details` replaces `funding.failure_reason` in transfers and batch transfers.',
    here: 'Batch transfers: `funding.failure_details` and `funding.failure_reason` are both in [BatchFunding](responses.md#batchfunding). Times: both offsets are read in every response.',
  },
  {
    date: '2026-05-29',
    changes:
      'Billing checkout `customer_data_collection.enabled` is removed; `tax_id` and `billing_address` enums are added.',
    here: 'Nothing.',
  },
  { date: '2026-02-27', changes: 'Financial report status can be FAILED.', here: 'Nothing.' },
  {
    date: '2025-11-11',
    changes: 'Payment source `external_id` references a payment method.',
    here: 'Nothing.',
  },
  {
    date: '2025-09-30',
    changes:
      'Funding limit query changes (`effective_at`, `mandate_type`, `availables`, `page_num` and `page_size`); balance history source and amount changes for issuing.',
    here: 'Nothing.',
  },
  {
    date: '2025-08-29',
    changes:
      'Billing pagination by `page`, `page_before` and `page_after`; subscription duration; invoice auto-charge; checkout modes PAYMENT and SETUP.',
    here: 'Nothing. Rows of your own read such lists with `byCursor`.',
  },
  {
    date: '2025-06-30',
    changes:
      'Transfers: `lock_rate_on_create`, `conversion` and prepayment objects; `bank_account_category` for US ACH beneficiaries.',
    here: 'Batch items: `bank_account_category` of [BankDetails](parameters.md#bankdetails).',
  },
]

export const printVersions = (): string =>
  [
    '# Versions of the interface',
    'Paths carry `/api/v1` (partner paths `/partner-api/v1`); incompatible changes come under a new dated version only. The interface lists nine. It does not show how a request selects one: this client sends `apiVersion` as `x-api-version`, and nothing when it is left out ([defaults](defaults.md#version-other-accounts)). A webhook has a `version` of its own, which selects the structure of its payloads. [Upgrading](../upgrading.md) says how to move.',
    ...versions.map(({ date, changes, here }) =>
      [`## ${date}`, changes, `**Here:** ${here}`].join('\n\n'),
    ),
    '## Earlier versions',
    'Their changes are not shown. `WebhookEvent` reads the camel case of webhooks before 2024-02-22, and the event names of batches before 2024-09-27, which lack `payout.`: both are defaults, not specified by the interface document.',
  ].join('\n\n')
