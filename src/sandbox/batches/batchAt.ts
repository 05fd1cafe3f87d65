/** A batch as the service writes it, at a moment. */
import type { BatchFunding, BatchQuoteSummary, BatchTransfer } from '../../codec/BatchTransfer.js'
import { Instant } from '../../codec/Instant.js'
import { toMillis } from '../../codec/times.js'
import { hash, hexText } from '../account/hash.js'
import type { CallContext } from '../Context.js'
import { ids } from '../ids.js'
import { dayInstantAt, instantAt } from '../instant.js'
import { FAILURE_DETAILS } from '../version.js'
import { type Batch, type Quoted, validItems } from './Batch.js'
import {
  batchTimeline,
  bookingFrom,
  type FundingStatus,
  type Step,
  stepAt,
} from './batchTimeline.js'

/** As a direct debit in the United States would have it. */
const failure = {
  code: 'insufficient_funds',
  iso_code: 'AM04',
  provider_failure_details: {
    code: 'R01',
    local_clearing_system: 'US_ACH',
    message: 'Insufficient funds',
  },
} as const

/** Either of two shapes (interface, Versioning). */
const failureOf = (status: FundingStatus, version: string): BatchFunding => {
  const failed = status === 'FAILED'
  if (version < FAILURE_DETAILS) return { failure_reason: failed ? failure.code : '' }
  return failed ? { failure_details: failure } : {}
}

const fundingAt = ({ asked }: Batch, status: FundingStatus, version: string): BatchFunding => {
  const { id, deposit_type, reference } = asked.funding_source ?? {}
  return {
    status,
    deposit_type: id === undefined ? null : (deposit_type ?? 'DIRECT_DEBIT'),
    funding_source_id: id ?? null,
    reference: reference ?? null,
    ...failureOf(status, version),
  }
}

const summary = ({ at, expires, validity, quotes }: Quoted): BatchQuoteSummary => ({
  expires_at: instantAt(expires),
  last_quoted_at: instantAt(at),
  validity,
  quotes: [...quotes],
})

/** When it is processed: as asked, else the day it was submitted, or today. */
export const transferDate = (
  { asked: { transfer_date }, submittedAt }: Batch,
  now: number,
): Instant => {
  if (transfer_date === undefined || transfer_date === '') return dayInstantAt(submittedAt ?? now)
  return Instant.is(transfer_date) ? transfer_date : instantAt(toMillis(transfer_date))
}

/** When something last happened to it: a call, a step of its course, or the booking of an item. */
const updatedAt = (
  { changedAt }: Batch,
  step: Step,
  from: number | undefined,
  { now, settings: { bookEvery } }: CallContext,
): number => {
  if (step.status !== 'BOOKING' || from === undefined || bookEvery <= 0) {
    return Math.max(changedAt, step.at)
  }
  return from + Math.floor((now - from) / bookEvery) * bookEvery
}

export const shortId = ({ n }: Batch): string => `BT${hexText(hash(n))}`

export const statusAt = (batch: Batch, { now, settings }: CallContext): Step =>
  stepAt(batchTimeline(batch, settings), now)

/** The status of its funding is in answers of retrieve and list alone (interface, Batch transfer). */
export const batchAt =
  (context: CallContext, told: 'with funding status' | 'without' = 'without') =>
  (batch: Batch): BatchTransfer => {
    const { now, settings, version } = context
    const { name, remarks, metadata } = batch.asked
    const course = batchTimeline(batch, settings)
    const step = stepAt(course, now)
    const { status, ...funding } = fundingAt(batch, step.funding, version)
    return {
      id: ids('batch', settings.seed).id(batch.n),
      request_id: batch.request_id,
      short_reference_id: shortId(batch),
      status: step.status,
      name: name ?? null,
      remarks: remarks ?? null,
      metadata: metadata ?? null,
      transfer_date: transferDate(batch, now),
      total_item_count: batch.items.length,
      valid_item_count: validItems(batch).length,
      funding: told === 'without' || status === undefined ? funding : { status, ...funding },
      quote_summary: batch.quoted === undefined ? null : summary(batch.quoted),
      updated_at: instantAt(updatedAt(batch, step, bookingFrom(course), context)),
    }
  }
