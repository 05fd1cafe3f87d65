/** An item of a batch, as the service returns it: a default, not specified by the interface document. */
import * as t from 'io-ts'
import { open } from '../decode/index.js'
import { type Codec, noted, unspecified } from './Codec.js'
import { Instant } from './Instant.js'
import { intFrom } from './scalars.js'
import { Metadata, nullable } from './shapes.js'

// model

const itemError = unspecified(
  t.partial({
    /** What kind of error it is: often digits, as text. */
    code: nullable(t.string),
    /** The path of the field to blame. */
    source: nullable(t.string),
    params: nullable(t.UnknownRecord),
  }),
)

const transferDraft = unspecified(
  t.partial({
    /** What the beneficiary receives, in whole units of `transfer_currency`. */
    amount_beneficiary_receives: nullable(t.number),
    /** What the payer pays, in whole units of `source_currency`. */
    amount_payer_pays: nullable(t.number),
    /** What the transfer costs, in whole units of `fee_currency`. */
    fee_amount: nullable(t.number),
    /** A 3-letter ISO 4217 code. */
    fee_currency: nullable(t.string),
    /** Who bears the fees. */
    fee_paid_by: nullable(open('PAYER', 'BENEFICIARY')),
    /** The amount before it is converted, in whole units of `source_currency`. */
    source_amount: nullable(t.number),
    /** What the payer funds with: a 3-letter ISO 4217 code. */
    source_currency: nullable(t.string),
    /** The amount after it is converted, in whole units of `transfer_currency`. */
    transfer_amount: nullable(t.number),
    /** What the beneficiary receives: a 3-letter ISO 4217 code. */
    transfer_currency: nullable(t.string),
    /** Over SWIFT, or a local clearing system. */
    transfer_method: nullable(open('SWIFT', 'LOCAL')),
    /** When the money is to move: a day, or a time. */
    transfer_date: nullable(t.string),
    /** Who is paid, and where, as the service keeps it. */
    beneficiary: nullable(t.UnknownRecord),
    /** A beneficiary that is known already. */
    beneficiary_id: nullable(t.string),
    /** Who pays, if that is not the account. */
    payer: nullable(t.UnknownRecord),
    /** A payer that is known already. */
    payer_id: nullable(t.string),
    /** Why the money moves. */
    reason: nullable(t.string),
    /** What the beneficiary's bank statement shows. */
    reference: nullable(t.string),
    /** Extra information, in words. */
    remarks: nullable(t.string),
    /** Keys and values that are stored with the transfer. */
    metadata: nullable(Metadata),
    /** The `request_id` of the item. */
    request_id: nullable(t.string),
    /** A short id for talking to support. */
    short_reference_id: nullable(t.string),
    /** What the platform takes for itself, as quoted: of any shape. */
    application_fees: t.unknown,
    /** What was asked for in the item: of any shape. */
    application_fee_options: t.unknown,
  }),
)

/** What a transfer will be, between the quote of its batch and its booking. */
export interface TransferDraft extends t.TypeOf<typeof transferDraft> {}

const batchItem = t.intersection([
  unspecified(
    t.type({
      /** Made by the service. */
      id: t.string,
      /** Chosen by the client, unique. */
      request_id: t.string,
      /** Where it stands. */
      status: open('VALIDATED', 'VALIDATION_FAILED', 'BOOKING', 'BOOKED', 'BOOKING_FAILED'),
      /** When it last changed. */
      updated_at: Instant,
    }),
  ),
  unspecified(
    t.partial({
      /** The transfer that was made; null or missing until the item is booked. */
      transfer_id: nullable(t.string),
      /** What is wrong with it; there in the two failed states. */
      errors: nullable(t.array(itemError)),
      /** What the transfer will be: from the quote on, until it is booked. */
      transfer_draft: nullable(transferDraft),
    }),
  ),
])

/** One transfer of a batch. */
export interface BatchItem extends t.TypeOf<typeof batchItem> {}

export const BatchItem: Codec<BatchItem> = batchItem

// what a list of them is narrowed by

const batchItemFilter = t.exact(
  t.intersection([
    t.type({
      /** The id of the batch. */
      id: t.string,
    }),
    noted(
      t.partial({
        /** A bookmark: `page_after` or `page_before` of an earlier page. */
        page: t.string,
        /** Rows a page, up to 1,000, which is what the service takes when it is left out. */
        page_size: intFrom(1, 1_000),
        /** In place of `page`, should the service answer with `has_more`; counted from 0. */
        page_num: intFrom(0),
      }),
      { page_size: { default: 1_000 } },
    ),
  ]),
)

/** Whose items to list. The batch itself will do: nothing else of it is sent. */
export interface BatchItemFilter extends t.TypeOf<typeof batchItemFilter> {}

export const BatchItemFilter: Codec<BatchItemFilter> = batchItemFilter
