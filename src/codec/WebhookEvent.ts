/**
 * The body of a delivery to the URL of a webhook. Only `id`, `name` and `data` are required. The other fields and the older
 * camel-case spelling are our assumption (not in the API description).
 */
import * as t from 'io-ts'
import { type Cause, type Causes, causes, causesUnder } from '../decode/causes.js'
import { isRecord } from '../decode/unknown.js'
import { E, pipe, withoutUndefined } from '../fp.js'
import { BatchTransfer } from './BatchTransfer.js'
import { Charge } from './Charge.js'
import type { Codec } from './Codec.js'
import { Instant } from './Instant.js'
import { nullable } from './scalars.js'
import { EventName } from './Webhook.js'

/** An event of a webhook, read from either spelling of its envelope. */
export interface WebhookEvent {
  /** Identifies the event. A repeated delivery has the same id. */
  readonly id: string
  /** Its type, such as `account.active`. */
  readonly name: EventName
  /**
   * The resource of the event, or an object with the resource under `object`: see `payloadOf`. Its keys are converted from
   * camel case to snake case for API versions before 2024-02-22, and for deliveries without a version whose envelope is in
   * camel case (`accountId`).
   */
  readonly data: unknown
  /** The id of the account, or null for the events of an organization. */
  readonly account_id?: string | null
  /** The id of the organization, for its events. */
  readonly org_id?: string | null
  /** The id of the event's resource. */
  readonly source_id?: string | null
  /** The time of the event. */
  readonly created_at?: Instant | null
  /** The API version of `data`, as YYYY-MM-DD. */
  readonly version?: string | null
  /** The original delivery, including fields that could not be read. */
  readonly raw: unknown
}

/** The fields that the API description does not show, in either spelling. */
const rest = t.partial({
  account_id: t.unknown,
  accountId: t.unknown,
  org_id: t.unknown,
  orgId: t.unknown,
  source_id: t.unknown,
  sourceId: t.unknown,
  created_at: t.unknown,
  createdAt: t.unknown,
  version: t.unknown,
})

const envelope = t.intersection([
  t.type({
    id: t.string,
    name: EventName,
    data: t.refinement(t.unknown, (u) => u !== undefined, 'any JSON'),
  }),
  rest,
])

type EventEnvelope = t.TypeOf<typeof envelope>

const text = nullable(t.string)
const moment = nullable(Instant)

/** The first webhook version that uses snake case throughout. */
const SNAKE_CASE_SINCE = '2024-02-22'

/** Returns the value under the field's current or older name. Null counts as a value, but an unreadable value does not. */
const first = <A>(codec: Codec<A>, values: ReadonlyArray<unknown>): A | undefined =>
  values.find((u): u is A => u !== undefined && codec.is(u))

const camelKeys = ['accountId', 'orgId', 'sourceId', 'createdAt'] as const

/** Returns true if `data` may have the older spelling, judged by its version, or else by its envelope. */
const isOlder = (version: string | null | undefined, envelope: EventEnvelope): boolean =>
  typeof version === 'string' && version !== ''
    ? version < SNAKE_CASE_SINCE
    : camelKeys.some((key) => envelope[key] !== undefined)

const normal = (envelope: EventEnvelope, raw: unknown): WebhookEvent => {
  const { id, name } = envelope
  const account_id = first(text, [envelope.account_id, envelope.accountId])
  const org_id = first(text, [envelope.org_id, envelope.orgId])
  const source_id = first(text, [envelope.source_id, envelope.sourceId])
  const created_at = first(moment, [envelope.created_at, envelope.createdAt])
  const version = first(text, [envelope.version])
  return {
    id,
    name,
    data: isOlder(version, envelope) ? snakeKeys(envelope.data) : envelope.data,
    ...withoutUndefined({ account_id, org_id, source_id, created_at, version }),
    raw,
  }
}

/** Decodes either spelling of the envelope. Encodes to the original delivery. */
export const WebhookEvent: Codec<WebhookEvent> = new t.Type<WebhookEvent, unknown, unknown>(
  'WebhookEvent',
  (u): u is WebhookEvent => envelope.is(u) && 'raw' in u,
  (u, context) =>
    pipe(
      envelope.validate(u, context),
      E.map((envelope) => normal(envelope, u)),
    ),
  ({ raw }) => raw,
)

// keys in camel case

const snake = (key: string): string => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()

const isCamel = (key: string): boolean => /^[a-z][A-Za-z0-9]*$/.test(key) && /[A-Z]/.test(key)

/**
 * Converts keys such as `requestId` to `request_id`, at every depth. Does not change keys under `metadata`, which belong to the
 * caller, or a key that is present in both spellings.
 */
const snakeKeys = (u: unknown): unknown => {
  if (Array.isArray(u)) return u.map(snakeKeys)
  if (typeof u !== 'object' || u === null) return u
  return Object.fromEntries(
    Object.entries(u).map(([key, value]) => [
      isCamel(key) && !Object.hasOwn(u, snake(key)) ? snake(key) : key,
      key === 'metadata' ? value : snakeKeys(value),
    ]),
  )
}

// payloads: charges and batches have the shape of a response (our assumption: not in the API description)

const account = t.partial({
  /** Generated by the service. */
  id: nullable(t.string),
  /** The status of the account. `DORMANT` and `CLOSED` exist since API version 2026-08-21. */
  status: nullable(t.string),
})

/** The account of an `account.` event. */
export interface EventAccount extends t.TypeOf<typeof account> {}

export const EventAccount: Codec<EventAccount> = account

const selections = nullable(
  t.array(
    t.partial({
      /** Present since API version 2026-08-21. */
      source_id: nullable(t.string),
    }),
  ),
)

const lineItems = nullable(
  t.array(
    t.partial({
      /** The accounting fields. */
      accounting_field_selections: selections,
    }),
  ),
)

const spendBill = t.partial({
  /** The line items. */
  line_items: lineItems,
})

/** The bill of a `spend.bill.` event. */
export interface EventBill extends t.TypeOf<typeof spendBill> {}

export const EventBill: Codec<EventBill> = spendBill

const spendExpense = t.partial({
  /** The accounting fields. */
  accounting_field_selections: selections,
  /** The line items. */
  line_items: lineItems,
})

/** The expense of a `spend.expense.` event. */
export interface EventExpense extends t.TypeOf<typeof spendExpense> {}

export const EventExpense: Codec<EventExpense> = spendExpense

const cardTransactionData = t.partial({
  card_transaction_lifecycle_id: nullable(t.string),
  card_transaction_id: nullable(t.string),
  card_transaction_event_id: nullable(t.string),
})

const issuingTransaction = t.partial({
  /** Present since API version 2026-07-17, except for transactions created before January 2025. */
  card_transaction_data: nullable(cardTransactionData),
  /** Present before API version 2026-07-17. */
  lifecycle_id: nullable(t.string),
  /** Present since API version 2026-08-21. */
  transacted_at: nullable(Instant),
  /** Present before API version 2026-08-21. */
  transaction_date_time: nullable(Instant),
})

/** The transaction of an `issuing.transaction.` event. */
export interface EventTransaction extends t.TypeOf<typeof issuingTransaction> {}

export const EventTransaction: Codec<EventTransaction> = issuingTransaction

const issuingDispute = t.partial({
  /** Present since API version 2026-07-17, except for transactions created before January 2025. */
  card_transaction_data: nullable(cardTransactionData),
  /** Present since API version 2026-08-21. */
  card_transaction_event_id: nullable(t.string),
  /** Present before API version 2026-08-21. */
  transaction_id: nullable(t.string),
})

/** The dispute of an `issuing.transaction_dispute.` event. */
export interface EventDispute extends t.TypeOf<typeof issuingDispute> {}

export const EventDispute: Codec<EventDispute> = issuingDispute

/** The decoded payload of an event, a union on `_tag`. */
export type Payload =
  | { readonly _tag: 'Account'; readonly account: EventAccount }
  | { readonly _tag: 'Bill'; readonly bill: EventBill }
  | { readonly _tag: 'Expense'; readonly expense: EventExpense }
  | { readonly _tag: 'Transaction'; readonly transaction: EventTransaction }
  | { readonly _tag: 'Dispute'; readonly dispute: EventDispute }
  | { readonly _tag: 'Charge'; readonly charge: Charge }
  | { readonly _tag: 'BatchTransfer'; readonly batchTransfer: BatchTransfer }
  /** An event that this version does not know, undecoded. */
  | { readonly _tag: 'Other'; readonly data: unknown }

/** A delivery that is not an event, or whose payload does not match its name. (The client has its own `Undecodable`.) */
export interface UndecodableEvent {
  readonly _tag: 'Undecodable'
  /** The path from the top of the body; empty for the whole body. */
  readonly path: string
  /** The expected value. */
  readonly expected: string
  /** The actual type and size, never the content of a string. */
  readonly actual: string
  /** All causes, including the first one. */
  readonly causes: ReadonlyArray<Cause>
  /** A one-line description, safe to log. */
  readonly message: string
}

// reading payloads

type PayloadReader = (resource: EventResource) => E.Either<UndecodableEvent, Payload>

const reader =
  <A>(codec: t.Type<A, unknown, unknown>, payload: (a: A) => Payload): PayloadReader =>
  ({ at, value }) =>
    pipe(
      codec.decode(value),
      E.bimap((errors) => undecodable(causesUnder(at, causes(errors))), payload),
    )

/** Matched by the start of the name, so an event added to a family is decoded like the others. */
const readers: ReadonlyArray<readonly [prefix: RegExp, read: PayloadReader]> = [
  [/^account\./, reader(EventAccount, (a) => ({ _tag: 'Account', account: a }))],
  [/^spend\.bill\./, reader(EventBill, (bill) => ({ _tag: 'Bill', bill }))],
  [/^spend\.expense\./, reader(EventExpense, (expense) => ({ _tag: 'Expense', expense }))],
  [
    /^issuing\.transaction\./,
    reader(EventTransaction, (transaction) => ({ _tag: 'Transaction', transaction })),
  ],
  [
    /^issuing\.transaction_dispute\./,
    reader(EventDispute, (dispute) => ({ _tag: 'Dispute', dispute })),
  ],
  [/^charge\./, reader(Charge, (charge) => ({ _tag: 'Charge', charge }))],
  [
    /^(payout\.)?batch_transfers\./,
    reader(BatchTransfer, (batchTransfer) => ({ _tag: 'BatchTransfer', batchTransfer })),
  ],
]

/** The payload before decoding, with its path in the body. */
interface EventResource {
  readonly at: string
  readonly value: unknown
}

/** Returns the resource. In some families it is nested one level deeper. */
const resourceOf = (data: unknown): EventResource =>
  isRecord(data) && isRecord(data.object) && data.id === undefined
    ? { at: 'data.object', value: data.object }
    : { at: 'data', value: data }

/** Decodes the payload of an event. `Left` if it does not match the event name. */
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
    message: `${path || 'the body'} should be ${expected}, but is ${actual}`,
  }
}
