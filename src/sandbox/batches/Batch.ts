/** A batch transfer as it is stored: the calls made on it. Its status follows from these and the time. */
import type { NewBatchTransfer, QuoteValidity } from '../../codec/BatchTransfer.js'
import { E } from '../../fp.js'
import type { Numbered } from '../Collection.js'
import { endAt } from '../data/time.js'
import type { CheckedItem, SentItem } from './batchItems.js'
import { type Quotes, quotesOf } from './quotes.js'

// model

export interface StoredItem extends SentItem {
  /** Counted from 0 within the batch, deleted items included. */
  readonly n: number
  /** In ms since 1970. */
  readonly addedAt: number
  readonly checked: CheckedItem
}

export interface StoredQuote {
  /** In ms since 1970. */
  readonly at: number
  readonly expires: number
  readonly validity: QuoteValidity
  readonly quotes: Quotes
}

export interface Batch extends Numbered {
  readonly asked: NewBatchTransfer
  /** When a call last changed it, in ms since 1970. */
  readonly changedAt: number
  readonly items: ReadonlyArray<StoredItem>
  /** How many items were ever added. */
  readonly added: number
  readonly quoted: StoredQuote | undefined
  /** In ms since 1970. */
  readonly submittedAt: number | undefined
}

// functions

export const newBatch = (
  n: number,
  request_id: string,
  asked: NewBatchTransfer,
  now: number,
): Batch => ({
  n,
  request_id,
  asked,
  changedAt: now,
  items: [],
  added: 0,
  quoted: undefined,
  submittedAt: undefined,
})

/** The items that will be booked, in this order. */
export const validItems = ({ items }: Batch): ReadonlyArray<StoredItem> =>
  items.filter(({ checked }) => E.isRight(checked))

/** True for a batch that may be submitted: with a quote that holds, or without one. */
export const isQuoteValid = ({ quoted }: Batch, now: number): boolean =>
  quoted === undefined || now < quoted.expires

/** Adds the items whose `request_id` the batch does not have yet. */
export const withItems = (batch: Batch, items: ReadonlyArray<SentItem>, now: number): Batch => {
  const known = new Set(batch.items.map(({ request_id }) => request_id))
  const fresh = items.filter(
    ({ request_id }) => !known.has(request_id) && known.add(request_id).size > 0,
  )
  if (fresh.length === 0) return batch
  const stored = fresh.map((item, i) => ({ ...item, n: batch.added + i, addedAt: now }))
  return {
    ...changeItems(batch, [...batch.items, ...stored], now),
    added: batch.added + fresh.length,
  }
}

export const withoutItems = (
  batch: Batch,
  isDeleted: (item: StoredItem) => boolean,
  now: number,
): Batch => {
  const others = batch.items.filter((item) => !isDeleted(item))
  return others.length === batch.items.length ? batch : changeItems(batch, others, now)
}

/** `life`: how long the quote holds, in ms. */
export const withQuote = (
  batch: Batch,
  validity: QuoteValidity,
  life: number,
  now: number,
): Batch => {
  const items = batch.items.flatMap(({ checked }) => (E.isRight(checked) ? [checked.right] : []))
  const quoted = { at: now, expires: endAt(now, life), validity, quotes: quotesOf(items) }
  return { ...batch, changedAt: now, quoted }
}

export const submitted = (batch: Batch, now: number): Batch => ({
  ...batch,
  changedAt: now,
  submittedAt: now,
})

/** Drops the quote, which is for the items of its time. */
const changeItems = (batch: Batch, items: ReadonlyArray<StoredItem>, now: number): Batch => ({
  ...batch,
  items,
  changedAt: now,
  quoted: undefined,
})
