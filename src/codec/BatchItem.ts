/** An item of a batch, as the service returns it: a default, not specified by the interface document. */
import * as t from 'io-ts'
import { open } from '../decode/index.js'
import type { Codec } from './Codec.js'
import { Instant } from './Instant.js'
import { intFrom } from './query.js'
import { noted, unspecified } from './Schema.js'
import { Metadata, nullable } from './shapes.js'

// model

const itemError = unspecified(
  t.partial({
    /** Often digits, as text. */
    code: nullable(t.string),
    /** The path of the field to blame. */
    source: nullable(t.string),
    params: nullable(t.UnknownRecord),
  }),
)

const transferDraft = unspecified(
  t.partial({
    amount_beneficiary_receives: nullable(t.number),
    amount_payer_pays: nullable(t.number),
    fee_amount: nullable(t.number),
    fee_currency: nullable(t.string),
    fee_paid_by: nullable(open('PAYER', 'BENEFICIARY')),
    source_amount: nullable(t.number),
    source_currency: nullable(t.string),
    transfer_amount: nullable(t.number),
    transfer_currency: nullable(t.string),
    transfer_method: nullable(open('SWIFT', 'LOCAL')),
    transfer_date: nullable(t.string),
    beneficiary: nullable(t.UnknownRecord),
    beneficiary_id: nullable(t.string),
    payer: nullable(t.UnknownRecord),
    payer_id: nullable(t.string),
    reason: nullable(t.string),
    reference: nullable(t.string),
    remarks: nullable(t.string),
    metadata: nullable(Metadata),
    request_id: nullable(t.string),
    short_reference_id: nullable(t.string),
    application_fees: t.unknown,
    application_fee_options: t.unknown,
  }),
)

/** What a transfer will be, between the quote of its batch and its booking. */
export interface TransferDraft extends t.TypeOf<typeof transferDraft> {}

const batchItem = t.intersection([
  unspecified(
    t.type({
      id: t.string,
      request_id: t.string,
      status: open('VALIDATED', 'VALIDATION_FAILED', 'BOOKING', 'BOOKED', 'BOOKING_FAILED'),
      updated_at: Instant,
    }),
  ),
  unspecified(
    t.partial({
      /** The transfer that was made; null or missing until the item is booked. */
      transfer_id: nullable(t.string),
      /** In the two failed states. */
      errors: nullable(t.array(itemError)),
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
    /** The batch. */
    t.type({ id: t.string }),
    noted(
      t.partial({
        /** A bookmark: `page_after` or `page_before` of an earlier page. */
        page: t.string,
        /** Rows a page, up to 1,000, which is what the service takes when it is left out. */
        page_size: intFrom(1, 1_000),
        /** In place of `page`, should the service answer with `has_more`; counted from 0. */
        page_num: intFrom(0, Number.MAX_SAFE_INTEGER),
      }),
      { page_size: { default: 1_000 } },
    ),
  ]),
)

/** Whose items to list. The batch itself will do: nothing else of it is sent. */
export interface BatchItemFilter extends t.TypeOf<typeof batchItemFilter> {}

export const BatchItemFilter: Codec<BatchItemFilter> = batchItemFilter
