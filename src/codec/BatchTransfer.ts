import * as t from 'io-ts'
import { BatchFunding, NewFundingSource } from './BatchFunding.js'
import { BatchQuoteSummary, QuoteValidity } from './BatchQuote.js'
import type { Codec } from './Codec.js'
import { Instant } from './Instant.js'
import { intFrom } from './query.js'
import { type Rule, rule, ruled } from './Rule.js'
import { noted } from './Schema.js'
import { Count, Filled } from './scalars.js'
import { Metadata, nullable, opened } from './shapes.js'
import { Day, toMillis } from './times.js'

// model

const status = t.keyof({
  DRAFTING: null,
  IN_APPROVAL: null,
  APPROVAL_RECALLED: null,
  APPROVAL_REJECTED: null,
  APPROVAL_BLOCKED: null,
  SCHEDULED: null,
  OVERDUE: null,
  BOOKING: null,
  PARTIALLY_BOOKED: null,
  BOOKED: null,
  FAILED: null,
  CANCELLATION_REQUESTED: null,
  CANCELLED: null,
})

/** Where a batch stands (interface, States and transitions). */
export type BatchStatus = t.TypeOf<typeof status>

export const BatchStatus = status

const batchTransfer = t.intersection([
  t.type({
    /** Made by the service. */
    id: t.string,
    /** Chosen by the client, unique. */
    request_id: t.string,
    /** A short id for talking to support. */
    short_reference_id: t.string,
    /** Where it stands. */
    status: opened(status),
    /** Items in the batch, invalid ones among them. */
    total_item_count: Count,
    /** Invalid items stay until they are deleted, and are left out when the batch is executed. */
    valid_item_count: Count,
    /** When it last changed. */
    updated_at: Instant,
  }),
  t.partial({
    /** What the caller calls it. */
    name: nullable(t.string),
    /** A note for oneself: it is not passed to beneficiaries. */
    remarks: nullable(t.string),
    /** Keys and values that are stored with the batch. */
    metadata: nullable(Metadata),
    /** When the batch is to be processed: a day, or a time, as it was asked for. */
    transfer_date: nullable(t.string),
    /** Where the money comes from, and how far it has come. */
    funding: nullable(BatchFunding),
    /** What it costs, by pair of currencies, as last quoted. */
    quote_summary: nullable(BatchQuoteSummary),
  }),
])

/** Several transfers that are paid with one deduction from one funding source. */
export interface BatchTransfer extends t.TypeOf<typeof batchTransfer> {}

export const BatchTransfer: Codec<BatchTransfer> = batchTransfer

// what is sent to make one, and to price one

const newBatchTransfer = t.partial({
  /**
   * Unique. Generated when left out: one for each call, the same in every attempt and whenever the stream
   * of that call is subscribed to again.
   */
  request_id: Filled,
  /** The wallet when left out. */
  funding_source: NewFundingSource,
  /** Keys and values to store with the batch. */
  metadata: Metadata,
  /** What the caller calls it. */
  name: t.string,
  /** A note for oneself: it is not passed to beneficiaries. */
  remarks: t.string,
  /** Today or later, when the wallet pays; the earliest possible day when left out or empty. */
  transfer_date: Day,
})

/** A batch to make; its items are added afterwards. */
export interface NewBatchTransfer extends t.TypeOf<typeof newBatchTransfer> {}

const isNone = (day: string | undefined): day is '' | undefined => day === undefined || day === ''

export const NewBatchTransfer: Codec<NewBatchTransfer> = ruled<NewBatchTransfer>(
  rule(
    'transfer_date',
    'left out or empty when funding_source has an id',
    ({ transfer_date, funding_source }) =>
      isNone(transfer_date) || funding_source?.id === undefined,
  ),
)(newBatchTransfer)

/** From the start of a day in UTC until it is over everywhere, in ms. */
const DAY_EVERYWHERE = 36 * 3_600_000

/** Rules that need the time, in ms since 1970. A day is past when it is past everywhere. */
export const newBatchTransferRules = (now: number): ReadonlyArray<Rule<NewBatchTransfer>> => [
  rule(
    'transfer_date',
    'today or later',
    ({ transfer_date }) =>
      isNone(transfer_date) || toMillis(transfer_date.slice(0, 10)) + DAY_EVERYWHERE > now,
  ),
]

const quoteRequest = t.exact(
  t.intersection([
    t.type({
      /** The id of the batch. */
      id: t.string,
    }),
    t.partial({
      /** How long the quote is to hold; which values are possible depends on the account. */
      validity: opened(QuoteValidity),
    }),
  ]),
)

/** Which batch to price, and for how long. The batch itself will do: nothing else of it is sent. */
export interface QuoteRequest extends t.TypeOf<typeof quoteRequest> {}

export const QuoteRequest: Codec<QuoteRequest> = quoteRequest

// what a list of them is narrowed by

const batchFilter = noted(
  t.partial({
    /** A bookmark: `page_after` or `page_before` of an earlier page. */
    page: t.string,
    /** Rows a page, up to 50, which is what the service takes when it is left out. */
    page_size: intFrom(1, 50),
    /** Only the batch with this `request_id`. */
    request_id: t.string,
    /** Only the batch with this `short_reference_id`. */
    short_reference_id: t.string,
    /** Only batches in this state. */
    status,
  }),
  { page_size: { default: 50 } },
)

/** Which batches to list; all of them when empty. */
export interface BatchFilter extends t.TypeOf<typeof batchFilter> {}

export const BatchFilter: Codec<BatchFilter> = batchFilter
