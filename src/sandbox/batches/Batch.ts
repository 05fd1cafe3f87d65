/** A batch of transfers as the sandbox keeps it: what was done to it. The rest follows with time. */
import type { NewBatchTransfer, QuoteValidity } from '../../codec/BatchTransfer.js'
import { E } from '../../fp.js'
import type { Numbered } from '../Collection.js'
import { endAt } from '../instant.js'
import type { Checked } from './checked.js'
import { type Quotes, quotesOf } from './price.js'

// model

export interface StoredItem {
  /** Counted from 0 within its batch, those that were taken out included. */
  readonly n: number
  readonly request_id: string
  /** In ms since 1970. */
  readonly addedAt: number
  readonly checked: Checked
}

export interface Quoted {
  /** In ms since 1970. */
  readonly at: number
  readonly expires: number
  readonly validity: QuoteValidity
  readonly quotes: Quotes
}

export interface Batch extends Numbered {
  readonly asked: NewBatchTransfer
  /** When it was last changed by a call, in ms since 1970. */
  readonly changedAt: number
  readonly items: ReadonlyArray<StoredItem>
  /** How many items it has ever had. */
  readonly added: number
  readonly quoted: Quoted | undefined
  /** In ms since 1970. */
  readonly submittedAt: number | undefined
}

// constructors

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

// combinators

const isValid = ({ checked }: StoredItem): boolean => E.isRight(checked)

/** Those that are booked, in this order. */
export const validItems = ({ items }: Batch): ReadonlyArray<StoredItem> => items.filter(isValid)

/** Whether it has no quote that has expired; `now` in ms since 1970. */
export const isQuoteGood = ({ quoted }: Batch, now: number): boolean =>
  quoted === undefined || now < quoted.expires

/** A quote is for the items that a batch had, so it goes when they change. */
const withItems =
  (items: ReadonlyArray<StoredItem>, now: number) =>
  (batch: Batch): Batch => ({ ...batch, items, changedAt: now, quoted: undefined })

/** With more items, but none whose `request_id` it has. */
export const addItems =
  (more: ReadonlyArray<{ readonly request_id: string; readonly checked: Checked }>, now: number) =>
  (batch: Batch): Batch => {
    const known = new Set(batch.items.map(({ request_id }) => request_id))
    const fresh = more.filter(
      ({ request_id }) => !known.has(request_id) && known.add(request_id).size > 0,
    )
    if (fresh.length === 0) return batch
    const stored = fresh.map((item, i) => ({ ...item, n: batch.added + i, addedAt: now }))
    return {
      ...withItems([...batch.items, ...stored], now)(batch),
      added: batch.added + fresh.length,
    }
  }

/** Without some items. */
export const deleteItems =
  (goes: (item: StoredItem) => boolean, now: number) =>
  (batch: Batch): Batch => {
    const others = batch.items.filter((item) => !goes(item))
    return others.length === batch.items.length ? batch : withItems(others, now)(batch)
  }

export const quote =
  (validity: QuoteValidity, life: number, now: number) =>
  (batch: Batch): Batch => ({
    ...batch,
    changedAt: now,
    quoted: {
      at: now,
      expires: endAt(now, life),
      validity,
      quotes: quotesOf(
        batch.items.flatMap(({ checked }) => (E.isRight(checked) ? [checked.right] : [])),
      ),
    },
  })

export const submit =
  (now: number) =>
  (batch: Batch): Batch => ({ ...batch, changedAt: now, submittedAt: now })
