/** Items of a batch as the service writes them, at a moment. */
import type { BatchItem, TransferDraft } from '../../codec/BatchItem.js'
import type { Instant } from '../../codec/Instant.js'
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { isEmpty } from '../../codec/shapes.js'
import { E } from '../../fp.js'
import { hash, hexText, subSeed } from '../account/hash.js'
import type { CallContext } from '../Context.js'
import { instantAt } from '../instant.js'
import { type Batch, type StoredItem, validItems } from './Batch.js'
import { transferDate } from './batchAt.js'
import { batchTimeline, bookingFrom } from './batchTimeline.js'
import { error, isBookable } from './checked.js'
import { priceOf } from './price.js'

// model

/** How far an item has come. */
interface Progress {
  readonly status: 'VALIDATED' | 'BOOKING' | 'BOOKED' | 'BOOKING_FAILED'
  /** Since when, in ms since 1970. */
  readonly at: number
}

// constructors

/** The ids of the items of a batch, or of their transfers: eight digits of the batch, before four of the item. */
export const idsOf = (kind: 'bti' | 'tfr', batch: Batch, { settings }: CallContext) => {
  const prefix = `${kind}_${hexText(hash(batch.n ^ subSeed(settings.seed, 15)))}`
  return ({ n }: StoredItem): string => prefix + n.toString(16).padStart(4, '0')
}

const draftOf = (item: NewBatchItem, transfer_date: Instant): TransferDraft => {
  const { beneficiary, payer, application_fee_options = [], ...rest } = item
  return {
    ...rest,
    ...priceOf(item),
    fee_currency: item.source_currency,
    fee_paid_by: item.fee_paid_by ?? 'PAYER',
    transfer_date,
    beneficiary: beneficiary === undefined || isEmpty(beneficiary) ? null : { ...beneficiary },
    payer: payer === undefined ? null : { ...payer },
    application_fee_options,
  }
}

// combinators

/** The n-th valid item is booked n times `bookEvery` after the booking began. */
const progressAt = (
  { addedAt }: StoredItem,
  item: NewBatchItem,
  rank: number,
  from: number | undefined,
  { now, settings }: CallContext,
): Progress => {
  if (from === undefined || now < from) return { status: 'VALIDATED', at: addedAt }
  const booked = from + (rank + 1) * settings.bookEvery
  if (now < booked) return { status: 'BOOKING', at: from }
  return { status: isBookable(item) ? 'BOOKED' : 'BOOKING_FAILED', at: booked }
}

/** All of them. */
export const itemsAt =
  (context: CallContext, batch: Batch) =>
  (items: ReadonlyArray<StoredItem>): ReadonlyArray<BatchItem> => {
    const from = bookingFrom(batchTimeline(batch, context.settings))
    const ranks = new Map(validItems(batch).map(({ n }, rank) => [n, rank]))
    const day = transferDate(batch, context.now)
    const idOf = idsOf('bti', batch, context)
    const transferIdOf = idsOf('tfr', batch, context)
    return items.map((stored): BatchItem => {
      const same = {
        id: idOf(stored),
        request_id: stored.request_id,
        transfer_id: null,
        transfer_draft: null,
        errors: null,
      }
      if (E.isLeft(stored.checked)) {
        const updated_at = instantAt(stored.addedAt)
        return { ...same, status: 'VALIDATION_FAILED', errors: stored.checked.left, updated_at }
      }
      const item = stored.checked.right
      const { status, at } = progressAt(stored, item, ranks.get(stored.n) ?? 0, from, context)
      const isDraft = batch.quoted !== undefined && status !== 'BOOKED'
      return {
        ...same,
        status,
        updated_at: instantAt(at),
        transfer_id: status === 'BOOKED' ? transferIdOf(stored) : null,
        transfer_draft: isDraft ? draftOf(item, day) : null,
        errors: status === 'BOOKING_FAILED' ? error('booking_failed', 'beneficiary') : null,
      }
    })
  }
