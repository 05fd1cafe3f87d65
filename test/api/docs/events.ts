/** The page of events: the names that are known, by what their payload is. */
import { eventNames } from '../../../src/codec/EventName.js'
import { NOT_SPECIFIED } from './words.js'

interface Group {
  readonly title: string
  /** How the names begin; empty for those that are left. */
  readonly prefix: string
  /** What `payloadOf` makes of them. */
  readonly payload: string
  readonly note: string
}

const groups: ReadonlyArray<Group> = [
  {
    title: 'Accounts',
    prefix: 'account.',
    payload: 'Account',
    note: '`account.dormant` and `account.closed` from API version 2026-08-21 on.',
  },
  {
    title: 'Spend bills',
    prefix: 'spend.bill.',
    payload: 'Bill',
    note: '`line_items[].accounting_field_selections[].source_id` from 2026-08-21 on.',
  },
  {
    title: 'Spend expenses',
    prefix: 'spend.expense.',
    payload: 'Expense',
    note: '`accounting_field_selections[].source_id`, and the same under `line_items[]`, from 2026-08-21 on.',
  },
  {
    title: 'Issuing transactions',
    prefix: 'issuing.transaction.',
    payload: 'Transaction',
    note: '`card_transaction_data` from 2026-07-17 on, for transactions since January 2025, in place of `lifecycle_id`; `transacted_at` from 2026-08-21 on, in place of `transaction_date_time`.',
  },
  {
    title: 'Issuing disputes',
    prefix: 'issuing.transaction_dispute.',
    payload: 'Dispute',
    note: '`card_transaction_data` from 2026-07-17 on; `card_transaction_event_id` from 2026-08-21 on, in place of `transaction_id`.',
  },
  {
    title: `Charges (${NOT_SPECIFIED})`,
    prefix: 'charge.',
    payload: 'Charge',
    note: 'The charge, as its call answers it.',
  },
  {
    title: `Batch transfers (${NOT_SPECIFIED})`,
    prefix: 'payout.batch_transfers.',
    payload: 'BatchTransfer',
    note: 'The batch, as its call answers it. Webhooks before version 2024-09-27 leave out `payout.`.',
  },
  {
    title: `Connections (${NOT_SPECIFIED})`,
    prefix: '',
    payload: 'Other',
    note: 'As it came.',
  },
]

const isOf = (name: string, prefix: string): boolean =>
  prefix === ''
    ? !groups.some((other) => other.prefix !== '' && name.startsWith(other.prefix))
    : name.startsWith(prefix)

const section = ({ title, prefix, payload, note }: Group): string =>
  [
    `### ${title}`,
    eventNames
      .filter((name) => isOf(name, prefix))
      .map((name) => `\`${name}\``)
      .join(', '),
    `\`payloadOf\` gives \`${payload}\`. ${note}`,
  ].join('\n\n')

export const printEvents = (): string =>
  [
    '## Events',
    'What is sent to the URL of a webhook. `WebhookEvent` reads its envelope in either spelling, `payloadOf` its `data`. A name may be any other text, and what is read is open for more.',
    ...groups.map(section),
  ].join('\n\n')
