/** The known events of webhooks, by the type of their payload. */
import * as t from 'io-ts'
import { BatchTransfer } from '../../src/codec/BatchTransfer.js'
import { Charge } from '../../src/codec/Charge.js'
import { eventNames } from '../../src/codec/Webhook.js'
import {
  EventAccount,
  EventBill,
  EventDispute,
  EventExpense,
  EventTransaction,
  type Payload,
} from '../../src/codec/WebhookEvent.js'
import { NOT_SPECIFIED } from './words.js'

interface Group {
  readonly title: string
  /** Prefix of the names; empty for all remaining events. */
  readonly prefix: string
  /** The `_tag` of the payload that `payloadOf` returns for them. */
  readonly tag: Payload['_tag']
  /** The payload's field besides the tag, and its type. */
  readonly field: string
  readonly codec: t.Mixed
  readonly note: string
}

const groups: ReadonlyArray<Group> = [
  {
    title: 'Accounts',
    prefix: 'account.',
    tag: 'Account',
    field: 'an `EventAccount` in `account`',
    codec: EventAccount,
    note: '`account.dormant` and `account.closed` exist since API version 2026-08-21.',
  },
  {
    title: 'Spend bills',
    prefix: 'spend.bill.',
    tag: 'Bill',
    field: 'an `EventBill` in `bill`',
    codec: EventBill,
    note: '`line_items[].accounting_field_selections[].source_id` exists since 2026-08-21.',
  },
  {
    title: 'Spend expenses',
    prefix: 'spend.expense.',
    tag: 'Expense',
    field: 'an `EventExpense` in `expense`',
    codec: EventExpense,
    note: '`accounting_field_selections[].source_id` exists since 2026-08-21, also under `line_items[]`.',
  },
  {
    title: 'Issuing transactions',
    prefix: 'issuing.transaction.',
    tag: 'Transaction',
    field: 'an `EventTransaction` in `transaction`',
    codec: EventTransaction,
    note: '`card_transaction_data` replaces `lifecycle_id` since 2026-07-17, for transactions since January 2025. `transacted_at` replaces `transaction_date_time` since 2026-08-21.',
  },
  {
    title: 'Issuing disputes',
    prefix: 'issuing.transaction_dispute.',
    tag: 'Dispute',
    field: 'an `EventDispute` in `dispute`',
    codec: EventDispute,
    note: '`card_transaction_data` exists since 2026-07-17. `card_transaction_event_id` replaces `transaction_id` since 2026-08-21.',
  },
  {
    title: `Charges (${NOT_SPECIFIED})`,
    prefix: 'charge.',
    tag: 'Charge',
    field: 'a [Charge](objects.md#charge) in `charge`',
    codec: Charge,
    note: 'The object is the same as in a response.',
  },
  {
    title: `Batch transfers (${NOT_SPECIFIED})`,
    prefix: 'payout.batch_transfers.',
    tag: 'BatchTransfer',
    field: 'a [BatchTransfer](objects.md#batchtransfer) in `batchTransfer`',
    codec: BatchTransfer,
    note: 'The object is the same as in a response. Webhooks before version 2024-09-27 omit `payout.`.',
  },
  {
    title: `Connections (${NOT_SPECIFIED})`,
    prefix: '',
    tag: 'Other',
    field: 'the original in `data`',
    codec: t.unknown,
    note: '',
  },
]

/** True if the API description names the event. */
export const isNamed = (name: string): boolean =>
  groups.some(({ prefix, title }) => prefix !== '' && isOf(name, prefix) && !isOurs(title))

const isOurs = (title: string): boolean => title.endsWith(`(${NOT_SPECIFIED})`)

const isOf = (name: string, prefix: string): boolean =>
  prefix === ''
    ? !groups.some((other) => other.prefix !== '' && name.startsWith(other.prefix))
    : name.startsWith(prefix)

const section = ({ title, prefix, tag, field, note }: Group): string =>
  [
    `## ${title}`,
    eventNames
      .filter((name) => isOf(name, prefix))
      .map((name) => `\`${name}\``)
      .join(', '),
    `\`payloadOf\` returns the tag \`${tag}\`, with ${field}. ${note}`.trim(),
  ].join('\n\n')

export const printEvents = (): string =>
  [
    '# Events',
    `The platform sends these events to the URL of a [webhook](webhooks.md). \`WebhookEvent\` reads the envelope, and \`payloadOf\` reads its \`data\`: see [Webhooks](../webhooks.md). Events with other names, or with more fields, are accepted. The API description specifies neither the envelope nor the signature, so both are [our defaults](webhooks.md#defaults).`,
    ...groups.map(section),
  ].join('\n\n')

export interface EventFamily {
  readonly title: string
  readonly names: ReadonlyArray<string>
  /** The `_tag` of the payload. */
  readonly tag: string
  readonly codec: t.Mixed
  /** True if the API description names none of its events. */
  readonly isOurs: boolean
}

/** The events by family, for the description of deliveries. */
export const eventFamilies: ReadonlyArray<EventFamily> = groups.map(
  ({ title, prefix, tag, codec }) => ({
    title,
    names: eventNames.filter((name) => isOf(name, prefix)),
    tag,
    codec,
    isOurs: isOurs(title),
  }),
)
