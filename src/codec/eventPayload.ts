/**
 * ```ts
 * const payloadOf: (event: WebhookEvent) => Either<UndecodableEvent, Payload>
 * ```
 *
 * What an event is about, by its name. The interface shows a few fields of accounts, spend and issuing;
 * that charges and batches come as their calls return them is a default, not specified by it.
 */
import * as t from 'io-ts'
import { type Cause, type Causes, causes, causesUnder } from '../decode/causes.js'
import { isRecord } from '../decode/unknown.js'
import { E, pipe } from '../fp.js'
import { BatchTransfer } from './BatchTransfer.js'
import { Charge } from './Charge.js'
import { Instant } from './Instant.js'
import { nullable } from './shapes.js'
import type { WebhookEvent } from './WebhookEvent.js'

// model

const account = t.partial({
  /** Made by the service. */
  id: nullable(t.string),
  /** `DORMANT` and `CLOSED` from API version 2026-08-21 on. */
  status: nullable(t.string),
})

/** The account of an `account.` event. */
export interface EventAccount extends t.TypeOf<typeof account> {}

const selections = nullable(
  t.array(
    t.partial({
      /** From API version 2026-08-21 on. */
      source_id: nullable(t.string),
    }),
  ),
)

const lineItems = nullable(
  t.array(
    t.partial({
      /** How it is booked. */
      accounting_field_selections: selections,
    }),
  ),
)

const spendBill = t.partial({
  /** What it is for. */
  line_items: lineItems,
})

/** The bill of a `spend.bill.` event. */
export interface EventBill extends t.TypeOf<typeof spendBill> {}

const spendExpense = t.partial({
  /** How it is booked. */
  accounting_field_selections: selections,
  /** What it is for. */
  line_items: lineItems,
})

/** The expense of a `spend.expense.` event. */
export interface EventExpense extends t.TypeOf<typeof spendExpense> {}

const cardTransactionData = t.partial({
  card_transaction_lifecycle_id: nullable(t.string),
  card_transaction_id: nullable(t.string),
  card_transaction_event_id: nullable(t.string),
})

const issuingTransaction = t.partial({
  /** From API version 2026-07-17 on; not for transactions that were made before January 2025. */
  card_transaction_data: nullable(cardTransactionData),
  /** Before API version 2026-07-17. */
  lifecycle_id: nullable(t.string),
  /** From API version 2026-08-21 on. */
  transacted_at: nullable(Instant),
  /** Before API version 2026-08-21. */
  transaction_date_time: nullable(Instant),
})

/** The transaction of an `issuing.transaction.` event. */
export interface EventTransaction extends t.TypeOf<typeof issuingTransaction> {}

const issuingDispute = t.partial({
  /** From API version 2026-07-17 on; not for transactions that were made before January 2025. */
  card_transaction_data: nullable(cardTransactionData),
  /** From API version 2026-08-21 on. */
  card_transaction_event_id: nullable(t.string),
  /** Before API version 2026-08-21. */
  transaction_id: nullable(t.string),
})

/** The dispute of an `issuing.transaction_dispute.` event. */
export interface EventDispute extends t.TypeOf<typeof issuingDispute> {}

/** What an event is about; which it is, its `_tag` tells. */
export type Payload =
  | { readonly _tag: 'Account'; readonly account: EventAccount }
  | { readonly _tag: 'Bill'; readonly bill: EventBill }
  | { readonly _tag: 'Expense'; readonly expense: EventExpense }
  | { readonly _tag: 'Transaction'; readonly transaction: EventTransaction }
  | { readonly _tag: 'Dispute'; readonly dispute: EventDispute }
  | { readonly _tag: 'Charge'; readonly charge: Charge }
  | { readonly _tag: 'BatchTransfer'; readonly batchTransfer: BatchTransfer }
  /** An event of a kind that is not known here, as it came. */
  | { readonly _tag: 'Other'; readonly data: unknown }

/** A delivery that is no event, or not what its name says. The `Undecodable` of a client is an answer. */
export interface UndecodableEvent {
  readonly _tag: 'Undecodable'
  /** Where, from the top of the body; empty for the whole. */
  readonly path: string
  /** What it should have been. */
  readonly expected: string
  /** Described, never repeated. */
  readonly actual: string
  /** All that does not fit, the first one among them. */
  readonly causes: ReadonlyArray<Cause>
  /** One line, fit for a log. */
  readonly message: string
}

// constructors

type Reader = (resource: Resource) => E.Either<UndecodableEvent, Payload>

const reader =
  <A>(codec: t.Type<A, unknown, unknown>, payload: (a: A) => Payload): Reader =>
  ({ at, value }) =>
    pipe(
      codec.decode(value),
      E.bimap((errors) => undecodable(causesUnder(at, causes(errors))), payload),
    )

/** By the start of the name, so that an event that was added to a family is read like its sisters. */
const readers: ReadonlyArray<readonly [prefix: RegExp, read: Reader]> = [
  [/^account\./, reader(account, (a) => ({ _tag: 'Account', account: a }))],
  [/^spend\.bill\./, reader(spendBill, (bill) => ({ _tag: 'Bill', bill }))],
  [/^spend\.expense\./, reader(spendExpense, (expense) => ({ _tag: 'Expense', expense }))],
  [
    /^issuing\.transaction\./,
    reader(issuingTransaction, (transaction) => ({ _tag: 'Transaction', transaction })),
  ],
  [
    /^issuing\.transaction_dispute\./,
    reader(issuingDispute, (dispute) => ({ _tag: 'Dispute', dispute })),
  ],
  [/^charge\./, reader(Charge, (charge) => ({ _tag: 'Charge', charge }))],
  [
    /^(payout\.)?batch_transfers\./,
    reader(BatchTransfer, (batchTransfer) => ({ _tag: 'BatchTransfer', batchTransfer })),
  ],
]

/** What an event is about, and where in its body that stands. */
interface Resource {
  readonly at: string
  readonly value: unknown
}

/** Some families have the resource one level down. */
const resourceOf = (data: unknown): Resource =>
  isRecord(data) && isRecord(data.object) && data.id === undefined
    ? { at: 'data.object', value: data.object }
    : { at: 'data', value: data }

/** What an event is about; `Left` when it is not what its name says. */
export const payloadOf = ({ name, data }: WebhookEvent): E.Either<UndecodableEvent, Payload> => {
  const read = readers.find(([prefix]) => prefix.test(name))?.[1]
  return read === undefined ? E.right({ _tag: 'Other', data }) : read(resourceOf(data))
}

export const undecodable = (all: Causes): UndecodableEvent => {
  const [{ path, expected, actual }] = all
  return {
    _tag: 'Undecodable',
    path,
    expected,
    actual,
    causes: all,
    message: `${path || 'the body'} should be ${expected}, and is ${actual}`,
  }
}
