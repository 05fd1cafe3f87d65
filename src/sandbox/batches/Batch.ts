/** A stored batch transfer. It contains the calls made on the batch, which together with the time determine its status. */
import type { BatchQuote, NewBatchTransfer, QuoteValidity } from '../../codec/BatchTransfer.js'
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { Amount } from '../../codec/scalars.js'
import { E, memoized } from '../../fp.js'
import type { CollectionItem, Generated } from '../Collection.js'
import { hash, subSeed } from '../data/hash.js'
import { divided, fromMinor, minorRate, numbersOf, rate, toMinor } from '../data/money.js'
import { endAt } from '../data/time.js'
import type { Settings } from '../options.js'
import type { CheckedItem, SentItem } from './batchItems.js'

export interface StoredItem extends SentItem {
  /** Number of the item within the batch, starting at 0 and including deleted items. */
  readonly n: number
  /** Time of addition, in ms since 1970. */
  readonly addedAt: number
  /** Relative position among the items of its call, above 0 and up to 1. Items appear in lists in this order. */
  readonly turn: number
  readonly checked: CheckedItem
}

export interface StoredQuote {
  /** Time of the quote, in ms since 1970. */
  readonly at: number
  readonly expires: number
  readonly validity: QuoteValidity
  readonly quotes: Quotes
}

export interface SandboxBatch extends CollectionItem {
  readonly params: NewBatchTransfer
  /** Time of creation, in ms since 1970. */
  readonly createdAt: number
  /** Time at which a call last changed the batch, in ms since 1970. */
  readonly changedAt: number
  readonly items: ReadonlyArray<StoredItem>
  /** Number of items that were ever added. */
  readonly added: number
  readonly quoted: StoredQuote | undefined
  /** Time of submission, in ms since 1970. */
  readonly submittedAt: number | undefined
}

export const newBatch = (
  n: number,
  request_id: string,
  params: NewBatchTransfer,
  now: number,
): SandboxBatch => ({
  n,
  request_id,
  params,
  createdAt: now,
  changedAt: now,
  items: [],
  added: 0,
  quoted: undefined,
  submittedAt: undefined,
})

/** Returns the items that will be booked, in order. */
export const validItems = ({ items }: SandboxBatch): ReadonlyArray<StoredItem> =>
  items.filter(({ checked }) => E.isRight(checked))

/** Returns true if the batch may be submitted: its quote is valid, or it has no quote. */
export const isQuoteValid = ({ quoted }: SandboxBatch, now: number): boolean =>
  quoted === undefined || now < quoted.expires

/** Adds items whose `request_id` is new to the batch. */
export const withItems = (
  batch: SandboxBatch,
  items: ReadonlyArray<SentItem>,
  now: number,
): SandboxBatch => {
  const requestIds = new Set(batch.items.map(({ request_id }) => request_id))
  const fresh = items.filter(
    ({ request_id }) => !requestIds.has(request_id) && requestIds.add(request_id).size > 0,
  )
  if (fresh.length === 0) return batch
  const stored = fresh.map((item, i) => ({
    ...item,
    n: batch.added + i,
    addedAt: now,
    turn: (i + 1) / fresh.length,
  }))
  return {
    ...changeItems(batch, [...batch.items, ...stored], now),
    added: batch.added + fresh.length,
  }
}

export const withoutItems = (
  batch: SandboxBatch,
  isDeleted: (item: StoredItem) => boolean,
  now: number,
): SandboxBatch => {
  const others = batch.items.filter((item) => !isDeleted(item))
  return others.length === batch.items.length ? batch : changeItems(batch, others, now)
}

/** Adds a quote. `life`: its validity, in ms. */
export const withQuote = (
  batch: SandboxBatch,
  validity: QuoteValidity,
  life: number,
  now: number,
): SandboxBatch => {
  const items = batch.items.flatMap(({ checked }) => (E.isRight(checked) ? [checked.right] : []))
  const quoted = { at: now, expires: endAt(now, life), validity, quotes: quotesOf(items) }
  return { ...batch, changedAt: now, quoted }
}

export const submitted = (batch: SandboxBatch, now: number): SandboxBatch => ({
  ...batch,
  changedAt: now,
  submittedAt: now,
})

/** Changes the items. Drops the quote, which is for the previous items. */
const changeItems = (
  batch: SandboxBatch,
  items: ReadonlyArray<StoredItem>,
  now: number,
): SandboxBatch => ({
  ...batch,
  items,
  changedAt: now,
  quoted: undefined,
})

// batches that exist from the start

/** Number of charges created per batch. */
const CHARGES_PER_BATCH = 100

/** Time from creation to submission, in ms. */
const DRAFTED = 60_000

const currencies = ['EUR', 'GBP', 'USD', 'JPY', 'AUD'] as const

export const generatedBatches = (settings: Settings): Generated<SandboxBatch> => {
  const { batches: count, every, since } = settings
  return {
    count,
    at: (n) => generatedBatch(n, since.getTime() + n * CHARGES_PER_BATCH * every, settings),
    hasRequestId: (requestId) => Number(/^batch-(0|[1-9]\d*)$/.exec(requestId)?.[1]) < count,
  }
}

/** Returns the n-th batch. `at` is its time of creation, in ms since 1970. */
export const generatedBatch = (n: number, at: number, { seed }: Settings): SandboxBatch => {
  const random = hash(n ^ subSeed(seed, 18))
  const request_id = `batch-${n}`
  const failed = random % 32 === 1 ? { funding_source: { id: `la_${n}_failed` } } : {}
  const params = { request_id, name: `Batch ${n}`, ...failed }
  const added = 1 + (random % 12)
  const items = memoized(() =>
    Array.from({ length: added }, (_, i): StoredItem => {
      const item = itemOf(n, i, hash(random + i))
      return { n: i, request_id: item.request_id, addedAt: at, turn: 1, checked: E.right(item) }
    }),
  )
  return {
    ...newBatch(n, request_id, params, at),
    added,
    submittedAt: random % 16 === 0 ? undefined : at + DRAFTED,
    // lazy, because finding one of a million batches must not generate all items
    get items() {
      return items()
    },
  }
}

const itemOf = (batch: number, n: number, random: number): NewBatchItem => ({
  reason: 'wages_salary',
  reference: random % 64 === 0 ? `Salary ${n}_failed` : `Salary ${n}`,
  request_id: `batch-${batch}-${n}`,
  source_currency: 'USD',
  transfer_currency: currencies[random % currencies.length] ?? 'EUR',
  transfer_method: 'LOCAL',
  source_amount: (100 + (random % 500_000)) / 100,
  beneficiary_id: `ben_${random % 1_000}`,
})

// quotes

export type Quotes = ReadonlyArray<BatchQuote>

/** Amounts of a quote: `transfer_amount` and `amount_beneficiary_receives` in `transfer_currency`, the others in `source_currency`. */
interface Price<A> {
  readonly source_amount: A
  readonly transfer_amount: A
  readonly fee_amount: A
  readonly amount_payer_pays: A
  readonly amount_beneficiary_receives: A
}

/**
 * Returns the price in minor units. The payer pays the fee on top, unless the beneficiary pays it. An item without an amount
 * moves no money.
 */
const minorPriceOf = ({
  source_currency: source,
  transfer_currency: transfer,
  source_amount,
  transfer_amount,
  fee_paid_by,
}: NewBatchItem): Price<bigint> => {
  const [times, by] = minorRate(source, transfer)
  const minor = (amount: number | string, currency: string): bigint =>
    toMinor(String(Amount.encode(amount)), currency)
  const amount = minor(transfer_amount ?? 0, transfer)
  const sent =
    source_amount === undefined ? divided(amount * by, times) : minor(source_amount, source)
  const arrived = transfer_amount === undefined ? divided(sent * times, by) : amount
  const fee = divided(sent * 3n, 1_000n) // the fee is that of charges
  const deducted = fee_paid_by === 'BENEFICIARY'
  return {
    source_amount: sent,
    transfer_amount: arrived,
    fee_amount: fee,
    amount_payer_pays: deducted ? sent : sent + fee,
    amount_beneficiary_receives: deducted ? divided(arrived * by - fee * times, by) : arrived,
  }
}

/** Returns the price in major units. */
export const priceOf = (item: NewBatchItem): Price<number> => {
  const price = minorPriceOf(item)
  const { source_currency: source, transfer_currency: transfer } = item
  return numbersOf({
    source_amount: fromMinor(price.source_amount, source),
    transfer_amount: fromMinor(price.transfer_amount, transfer),
    fee_amount: fromMinor(price.fee_amount, source),
    amount_payer_pays: fromMinor(price.amount_payer_pays, source),
    amount_beneficiary_receives: fromMinor(price.amount_beneficiary_receives, transfer),
  })
}

/** Returns one quote for each currency pair, in the order of the items. */
const quotesOf = (items: ReadonlyArray<NewBatchItem>): Quotes => {
  const pairs = new Map<string, Array<NewBatchItem>>()
  for (const item of items) {
    const pair = item.source_currency + item.transfer_currency
    const others = pairs.get(pair)
    if (others === undefined) pairs.set(pair, [item])
    else others.push(item)
  }
  return Array.from(pairs, ([pair, some]) => quoteOf(pair.slice(0, 3), pair.slice(3), some))
}

const quoteOf = (
  source: string,
  transfer: string,
  items: ReadonlyArray<NewBatchItem>,
): BatchQuote => {
  const prices = items.map(minorPriceOf)
  const sum = (field: keyof Price<bigint>, currency: string): string =>
    fromMinor(
      prices.reduce((total, price) => total + price[field], 0n),
      currency,
    )
  const converts = source !== transfer
  return {
    ...numbersOf({
      amount_beneficiary_receives: sum('amount_beneficiary_receives', transfer),
      amount_payer_pays: sum('amount_payer_pays', source),
      fee_amount: sum('fee_amount', source),
    }),
    client_rate: converts ? rate(source, transfer) : null,
    currency_pair: converts ? `${source}${transfer}` : null,
    fee_currency: source,
    source_currency: source,
    transfer_currency: transfer,
  }
}
