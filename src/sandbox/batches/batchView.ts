/** Batches and their items at a given time, as the service writes them. */
import type { BatchItem, TransferDraft } from '../../codec/BatchItem.js'
import type { BatchFunding, BatchQuoteSummary, BatchTransfer } from '../../codec/BatchTransfer.js'
import { Instant } from '../../codec/Instant.js'
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { isEmpty } from '../../codec/scalars.js'
import { toMillis } from '../../codec/times.js'
import { E, withoutUndefined } from '../../fp.js'
import { hash, hex8, subSeed } from '../data/hash.js'
import { idOf } from '../data/ids.js'
import { dayInstantAt, instantAt } from '../data/time.js'
import type { Settings } from '../options.js'
import {
  priceOf,
  type SandboxBatch,
  type StoredItem,
  type StoredQuote,
  validItems,
} from './Batch.js'
import { isBookable, itemError } from './batchItems.js'
import {
  type BatchStep,
  batchTimeline,
  bookingStart,
  type FundingStatus,
  stepAt,
} from './batchTimeline.js'

export interface ViewContext {
  /** Time of the view, in ms since 1970. */
  readonly now: number
  /** The API version of the call, as YYYY-MM-DD. */
  readonly version: string
  readonly settings: Settings
}

/** First API version in which a failed funding has `failure_details`. */
const FAILURE_DETAILS = '2026-06-30'

// batches

export const shortIdOf = ({ n }: SandboxBatch): string => `BT${hex8(hash(n))}`

export const statusAt = (batch: SandboxBatch, { now, settings }: ViewContext): BatchStep =>
  stepAt(batchTimeline(batch, settings), now)

/** Returns a batch as it is at a given time. Only responses of retrieve and list include the status of the funding. */
export const batchAt = (
  batch: SandboxBatch,
  context: ViewContext,
  show: 'funding status' | 'no funding status' = 'no funding status',
): BatchTransfer => {
  const { now, settings, version } = context
  const { name, remarks, metadata } = batch.params
  const timeline = batchTimeline(batch, settings)
  const step = stepAt(timeline, now)
  const funding = fundingAt(batch, step.funding, version)
  return {
    id: idOf('batch', settings.seed, batch.n),
    request_id: batch.request_id,
    short_reference_id: shortIdOf(batch),
    status: step.status,
    name: name ?? null,
    remarks: remarks ?? null,
    metadata: metadata ?? null,
    transfer_date: transferDate(batch, now),
    total_item_count: batch.items.length,
    valid_item_count: validItems(batch).length,
    funding: show === 'funding status' ? { status: step.funding, ...funding } : funding,
    quote_summary: batch.quoted === undefined ? null : quoteSummary(batch.quoted),
    updated_at: instantAt(updatedAt(batch, step, bookingStart(timeline), context)),
  }
}

const fundingAt = (
  { params }: SandboxBatch,
  status: FundingStatus,
  version: string,
): BatchFunding => {
  const { id, deposit_type, reference } = params.funding_source ?? {}
  return {
    deposit_type: id === undefined ? null : (deposit_type ?? 'DIRECT_DEBIT'),
    funding_source_id: id ?? null,
    reference: reference ?? null,
    ...failureOf(status, version),
  }
}

/** Returns the failure of a funding, whose shape depends on the API version. */
const failureOf = (status: FundingStatus, version: string): BatchFunding => {
  const failed = status === 'FAILED'
  if (version < FAILURE_DETAILS) return { failure_reason: failed ? debitFailure.code : '' }
  return failed ? { failure_details: debitFailure } : {}
}

/** A direct debit in the United States that was returned. */
const debitFailure = {
  code: 'insufficient_funds',
  iso_code: 'AM04',
  provider_failure_details: {
    code: 'R01',
    local_clearing_system: 'US_ACH',
    message: 'Insufficient funds',
  },
} as const

const quoteSummary = ({ at, expires, validity, quotes }: StoredQuote): BatchQuoteSummary => ({
  expires_at: instantAt(expires),
  last_quoted_at: instantAt(at),
  validity,
  quotes: [...quotes],
})

/** Returns the requested date, or else the day of submission, or else today. */
const transferDate = (
  { params: { transfer_date }, submittedAt }: SandboxBatch,
  now: number,
): Instant => {
  if (transfer_date === undefined || transfer_date === '') return dayInstantAt(submittedAt ?? now)
  return Instant.is(transfer_date) ? transfer_date : instantAt(toMillis(transfer_date))
}

/** Returns the time of the last call, step or booked item. */
const updatedAt = (
  { changedAt }: SandboxBatch,
  step: BatchStep,
  from: number | undefined,
  { now, settings: { bookEvery } }: ViewContext,
): number => {
  if (step.status !== 'BOOKING' || from === undefined || bookEvery <= 0) {
    return Math.max(changedAt, step.at)
  }
  return from + Math.floor((now - from) / bookEvery) * bookEvery
}

// items

/** Returns the id of an item, or of its transfer. It has eight digits for the batch and four for the item. */
export const itemIdOf = (
  kind: 'bti' | 'tfr',
  batch: SandboxBatch,
  item: StoredItem,
  { seed }: Settings,
): string => {
  const batchDigits = hex8(hash(batch.n ^ subSeed(seed, 15)))
  return `${kind}_${batchDigits}${item.n.toString(16).padStart(4, '0')}`
}

export const itemsAt = (
  items: ReadonlyArray<StoredItem>,
  batch: SandboxBatch,
  context: ViewContext,
): ReadonlyArray<BatchItem> => {
  const { settings } = context
  const from = bookingStart(batchTimeline(batch, settings))
  const ranks = new Map(validItems(batch).map(({ n }, rank) => [n, rank]))
  const day = transferDate(batch, context.now)
  return items.map((stored): BatchItem => {
    const common = {
      id: itemIdOf('bti', batch, stored, settings),
      request_id: stored.request_id,
      transfer_id: null,
      transfer_draft: null,
      errors: null,
    }
    if (E.isLeft(stored.checked)) {
      const updated_at = instantAt(stored.addedAt)
      return { ...common, status: 'VALIDATION_FAILED', errors: stored.checked.left, updated_at }
    }
    const item = stored.checked.right
    const { status, at } = progressAt(stored, item, ranks.get(stored.n) ?? 0, from, context)
    const isDraft = batch.quoted !== undefined && status !== 'BOOKED'
    return {
      ...common,
      status,
      updated_at: instantAt(at),
      transfer_id: status === 'BOOKED' ? itemIdOf('tfr', batch, stored, settings) : null,
      transfer_draft: isDraft ? draftOf(item, day) : null,
      errors: status === 'BOOKING_FAILED' ? itemError('booking_failed', 'beneficiary') : null,
    }
  })
}

interface BookingProgress {
  readonly status: 'VALIDATED' | 'BOOKING' | 'BOOKED' | 'BOOKING_FAILED'
  /** Time of the last change, in ms since 1970. */
  readonly at: number
}

/** Returns the progress of an item. Valid items are booked one at a time, every `bookEvery` ms, once booking starts. */
const progressAt = (
  { addedAt }: StoredItem,
  item: NewBatchItem,
  rank: number,
  from: number | undefined,
  { now, settings }: ViewContext,
): BookingProgress => {
  if (from === undefined || now < from) return { status: 'VALIDATED', at: addedAt }
  const booked = from + (rank + 1) * settings.bookEvery
  if (now < booked) return { status: 'BOOKING', at: from }
  return { status: isBookable(item) ? 'BOOKED' : 'BOOKING_FAILED', at: booked }
}

const draftOf = (item: NewBatchItem, transfer_date: Instant): TransferDraft => {
  const { beneficiary, payer, application_fee_options = [], ...rest } = item
  return {
    ...withoutUndefined(rest),
    ...priceOf(item),
    fee_currency: item.source_currency,
    fee_paid_by: item.fee_paid_by ?? 'PAYER',
    transfer_date,
    beneficiary: beneficiary === undefined || isEmpty(beneficiary) ? null : { ...beneficiary },
    payer: payer === undefined ? null : { ...payer },
    application_fee_options,
  }
}
