/** The page of events: the names that are known, by what their payload is. */
import { eventNames } from '../../../src/codec/Webhook.js'
import type { Payload } from '../../../src/codec/WebhookEvent.js'
import { NOT_SPECIFIED } from './words.js'

interface Group {
  readonly title: string
  /** How the names begin; empty for those that are left. */
  readonly prefix: string
  /** The `_tag` of what `payloadOf` makes of them. */
  readonly tag: Payload['_tag']
  /** The field beside it, and its type. */
  readonly field: string
  readonly note: string
}

const groups: ReadonlyArray<Group> = [
  {
    title: 'Accounts',
    prefix: 'account.',
    tag: 'Account',
    field: 'an `EventAccount` in `account`',
    note: '`account.dormant` and `account.closed` from API version 2026-08-21 on.',
  },
  {
    title: 'Spend bills',
    prefix: 'spend.bill.',
    tag: 'Bill',
    field: 'an `EventBill` in `bill`',
    note: '`line_items[].accounting_field_selections[].source_id` from 2026-08-21 on.',
  },
  {
    title: 'Spend expenses',
    prefix: 'spend.expense.',
    tag: 'Expense',
    field: 'an `EventExpense` in `expense`',
    note: '`accounting_field_selections[].source_id`, and the same under `line_items[]`, from 2026-08-21 on.',
  },
  {
    title: 'Issuing transactions',
    prefix: 'issuing.transaction.',
    tag: 'Transaction',
    field: 'an `EventTransaction` in `transaction`',
    note: '`card_transaction_data` from 2026-07-17 on, for transactions since January 2025, in place of `lifecycle_id`; `transacted_at` from 2026-08-21 on, in place of `transaction_date_time`.',
  },
  {
    title: 'Issuing disputes',
    prefix: 'issuing.transaction_dispute.',
    tag: 'Dispute',
    field: 'an `EventDispute` in `dispute`',
    note: '`card_transaction_data` from 2026-07-17 on; `card_transaction_event_id` from 2026-08-21 on, in place of `transaction_id`.',
  },
  {
    title: `Charges (${NOT_SPECIFIED})`,
    prefix: 'charge.',
    tag: 'Charge',
    field: 'a [Charge](#charge) in `charge`',
    note: 'It is as its call answers it.',
  },
  {
    title: `Batch transfers (${NOT_SPECIFIED})`,
    prefix: 'payout.batch_transfers.',
    tag: 'BatchTransfer',
    field: 'a [BatchTransfer](#batchtransfer) in `batchTransfer`',
    note: 'It is as its call answers it. Webhooks before version 2024-09-27 leave out `payout.`.',
  },
  {
    title: `Connections (${NOT_SPECIFIED})`,
    prefix: '',
    tag: 'Other',
    field: 'what came, as it came, in `data`',
    note: '',
  },
]

const isOf = (name: string, prefix: string): boolean =>
  prefix === ''
    ? !groups.some((other) => other.prefix !== '' && name.startsWith(other.prefix))
    : name.startsWith(prefix)

const section = ({ title, prefix, tag, field, note }: Group): string =>
  [
    `### ${title}`,
    eventNames
      .filter((name) => isOf(name, prefix))
      .map((name) => `\`${name}\``)
      .join(', '),
    `\`payloadOf\` tags it \`${tag}\`, with ${field}. ${note}`.trim(),
  ].join('\n\n')

export const printEvents = (): string =>
  [
    '## Events',
    'What is sent to the URL of a webhook. `WebhookEvent` reads its envelope in either spelling, `payloadOf` its `data`. A name may be any other text, and what is read is open for more.',
    ...groups.map(section),
  ].join('\n\n')
