import * as t from 'io-ts'
import { open } from '../decode/index.js'
import { type Codec, noted } from './Codec.js'
import { Instant } from './Instant.js'
import { type Rule, rule, ruled } from './Rule.js'
import { Count, Currency, Filled, intFrom } from './scalars.js'
import { Metadata, nullable, opened } from './shapes.js'
import { Day, toMillis } from './times.js'

// funding

const depositType = t.keyof({ DIRECT_DEBIT: null, FASTER_DIRECT_DEBIT: null })

/** How a linked account is debited (interface, Batch transfer). */
export type DepositType = t.TypeOf<typeof depositType>

export const DepositType = depositType

const providerFailure = t.partial({
  /** The clearing system's own code. */
  code: nullable(t.string),
  /** Which local clearing system told it. */
  local_clearing_system: nullable(open('AU_BECS', 'US_ACH', 'GB_BACS', 'EU_SEPA')),
  /** What it says of it, in words. */
  message: nullable(t.string),
})

const failureDetails = t.partial({
  /** The service's own code. */
  code: nullable(t.string),
  /** The same as an ISO 20022 code. */
  iso_code: nullable(t.string),
  /** The failure as the local clearing system told it. */
  provider_failure_details: nullable(providerFailure),
})

/** Why the money for a batch did not come. */
export interface FundingFailure extends t.TypeOf<typeof failureDetails> {}

const funding = t.partial({
  /** How far the money has come. Shown by `retrieve` and `list` only. */
  status: nullable(open('SCHEDULED', 'PROCESSING', 'FUNDED', 'FAILED', 'REVERSED')),
  /** How the linked account is debited. */
  deposit_type: nullable(opened(depositType)),
  /** The linked account; null when the wallet pays. */
  funding_source_id: nullable(t.string),
  /** What the bank statement of the debited account shows. */
  reference: nullable(t.string),
  /** Why funding failed, before API version 2026-06-30: empty unless it is in an error state. */
  failure_reason: nullable(t.string),
  /** Why funding failed, from API version 2026-06-30 on. */
  failure_details: nullable(failureDetails),
})

/** Where the money for a batch comes from, and how far it has come. */
export interface BatchFunding extends t.TypeOf<typeof funding> {}

export const BatchFunding: Codec<BatchFunding> = funding

// quotes

const validity = t.keyof({
  MIN_1: null,
  MIN_15: null,
  MIN_30: null,
  HR_1: null,
  HR_4: null,
  HR_8: null,
  HR_24: null,
})

/** How long a quote holds (interface, Batch transfer). */
export type QuoteValidity = t.TypeOf<typeof validity>

export const QuoteValidity = validity

const quote = t.intersection([
  t.type({
    /** What all beneficiaries receive together, in whole units of `transfer_currency`. */
    amount_beneficiary_receives: t.number,
    /** What the payer pays in all, in whole units of `source_currency`. */
    amount_payer_pays: t.number,
    /** What the transfers cost, in whole units of `fee_currency`. */
    fee_amount: t.number,
    /** A 3-letter ISO 4217 code. */
    fee_currency: Currency,
    /** What the payer funds with. */
    source_currency: Currency,
    /** What the beneficiary receives. */
    transfer_currency: Currency,
  }),
  t.partial({
    /** The rate of conversion; null when nothing is converted. */
    client_rate: nullable(t.number),
    /** The pair of currencies that `client_rate` is for; null when nothing is converted. */
    currency_pair: nullable(t.string),
  }),
])

/** What all items of one currency pair cost. */
export interface BatchQuote extends t.TypeOf<typeof quote> {}

const quoteSummary = t.partial({
  /** Until when it holds. */
  expires_at: nullable(Instant),
  /** When the batch was last quoted. */
  last_quoted_at: nullable(Instant),
  /** How long it was asked to hold. */
  validity: nullable(opened(validity)),
  /** One for each currency pair. */
  quotes: nullable(t.array(quote)),
})

/** What a batch costs, as last quoted. */
export interface BatchQuoteSummary extends t.TypeOf<typeof quoteSummary> {}

export const BatchQuoteSummary: Codec<BatchQuoteSummary> = quoteSummary

// batches

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

// params

const newFundingSource = noted(
  t.partial({
    /** `DIRECT_DEBIT` when left out. */
    deposit_type: depositType,
    /** A linked account; the wallet when left out. */
    id: t.string,
    /** What the bank statement of the debited account shows. */
    reference: t.string,
  }),
  { deposit_type: { default: 'DIRECT_DEBIT' } },
)

/** Where the money for a new batch comes from. */
export interface NewFundingSource extends t.TypeOf<typeof newFundingSource> {}

export const NewFundingSource: Codec<NewFundingSource> = newFundingSource

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
