/** Events by name, with the type of their payload. */
import type { BatchTransfer } from '../codec/BatchTransfer.js'
import type { Charge } from '../codec/Charge.js'
import type { KnownEvent } from '../codec/Webhook.js'
import type {
  EventAccount,
  EventBill,
  EventDispute,
  EventExpense,
  EventTransaction,
  Payload,
  WebhookEvent,
} from '../codec/WebhookEvent.js'

/** The payload of an event, by name; `unknown` for an event of no known family. */
export type PayloadOf<Name extends string> = Name extends `account.${string}`
  ? EventAccount
  : Name extends `spend.bill.${string}`
    ? EventBill
    : Name extends `spend.expense.${string}`
      ? EventExpense
      : Name extends `issuing.transaction.${string}`
        ? EventTransaction
        : Name extends `issuing.transaction_dispute.${string}`
          ? EventDispute
          : Name extends `charge.${string}`
            ? Charge
            : Name extends `payout.batch_transfers.${string}`
              ? BatchTransfer
              : unknown

/** A known event name; for an unknown one, the known names of its family, so that the compiler's error suggests them. */
export type KnownEventName<Name extends string> = Name extends KnownEvent ? Name : Family<Name>

type Family<Name extends string> = Name extends `${infer Group}.${infer Kind}.${string}`
  ? Extract<KnownEvent, `${Group}.${Kind}.${string}`>
  : KnownEvent

/** An event with its payload, decoded. */
export interface TypedEvent<Name extends string> extends Omit<WebhookEvent, 'name'> {
  /** The name of the event. */
  readonly name: Name
  /** The resource that the event is about. */
  readonly payload: PayloadOf<Name>
}

/** Returns true if an event has this name, with or without `payout.`, which webhooks before version 2024-09-27 omit. */
export const isNamed = (event: WebhookEvent, name: string): boolean =>
  event.name === name || `payout.${event.name}` === name

export const valueOfPayload = (payload: Payload): unknown => {
  switch (payload._tag) {
    case 'Account':
      return payload.account
    case 'Bill':
      return payload.bill
    case 'Expense':
      return payload.expense
    case 'Transaction':
      return payload.transaction
    case 'Dispute':
      return payload.dispute
    case 'Charge':
      return payload.charge
    case 'BatchTransfer':
      return payload.batchTransfer
    case 'Other':
      return payload.data
  }
}
