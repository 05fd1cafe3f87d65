/** The page of events: the names that are known, by what their payload is. */
import {
  accountEvents,
  batchTransferEvents,
  chargeEvents,
  connectionEvents,
  issuingDisputeEvents,
  issuingTransactionEvents,
  spendBillEvents,
  spendExpenseEvents,
} from '../../../src/codec/EventName.js'
import { NOT_SPECIFIED } from './words.js'

interface Group {
  readonly title: string
  readonly names: ReadonlyArray<string>
  /** What `payloadOf` makes of them. */
  readonly payload: string
  readonly note: string
}

const groups: ReadonlyArray<Group> = [
  {
    title: 'Accounts',
    names: accountEvents,
    payload: 'Account',
    note: '`account.dormant` and `account.closed` from API version 2026-08-21 on.',
  },
  {
    title: 'Spend bills',
    names: spendBillEvents,
    payload: 'Bill',
    note: '`line_items[].accounting_field_selections[].source_id` from 2026-08-21 on.',
  },
  {
    title: 'Spend expenses',
    names: spendExpenseEvents,
    payload: 'Expense',
    note: '`accounting_field_selections[].source_id`, and the same under `line_items[]`, from 2026-08-21 on.',
  },
  {
    title: 'Issuing transactions',
    names: issuingTransactionEvents,
    payload: 'Transaction',
    note: '`card_transaction_data` from 2026-07-17 on, for transactions since January 2025, in place of `lifecycle_id`; `transacted_at` from 2026-08-21 on, in place of `transaction_date_time`.',
  },
  {
    title: 'Issuing disputes',
    names: issuingDisputeEvents,
    payload: 'Dispute',
    note: '`card_transaction_data` from 2026-07-17 on; `card_transaction_event_id` from 2026-08-21 on, in place of `transaction_id`.',
  },
  {
    title: `Charges (${NOT_SPECIFIED})`,
    names: chargeEvents,
    payload: 'Charge',
    note: 'The charge, as its call answers it.',
  },
  {
    title: `Batch transfers (${NOT_SPECIFIED})`,
    names: batchTransferEvents,
    payload: 'BatchTransfer',
    note: 'The batch, as its call answers it. Webhooks before version 2024-09-27 leave out `payout.`.',
  },
  {
    title: `Connections (${NOT_SPECIFIED})`,
    names: connectionEvents,
    payload: 'Other',
    note: 'As it came.',
  },
]

const section = ({ title, names, payload, note }: Group): string =>
  [
    `### ${title}`,
    names.map((name) => `\`${name}\``).join(', '),
    `\`payloadOf\` gives \`${payload}\`. ${note}`,
  ].join('\n\n')

export const printEvents = (): string =>
  [
    '## Events',
    'What is sent to the URL of a webhook. `WebhookEvent` reads its envelope in either spelling, `payloadOf` its `data`. A name may be any other text, and what is read is open for more.',
    ...groups.map(section),
  ].join('\n\n')
