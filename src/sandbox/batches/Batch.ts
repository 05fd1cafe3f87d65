/** A batch transfer as it is stored: the calls made on it. Its status follows from these and the time. */
import type { BatchQuote, NewBatchTransfer, QuoteValidity } from '../../codec/BatchTransfer.js'
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { E, memoized } from '../../fp.js'
import type { CollectionItem, Generated } from '../Collection.js'
import { hash, subSeed } from '../data/hash.js'
import { rate, rounded } from '../data/money.js'
import { endAt } from '../data/time.js'
import type { Settings } from '../options.js'
import type { CheckedItem, SentItem } from './batchItems.js'

// model

export interface StoredItem extends SentItem {
  /** Counted from 0 within the batch, deleted items included. */
  readonly n: number
  /** In ms since 1970. */
  readonly addedAt: number
  /** Its place among the items of its call, above 0 and up to 1: lists show them in turn. */
  readonly turn: number
  readonly checked: CheckedItem
}

export interface StoredQuote {
  /** In ms since 1970. */
  readonly at: number
  readonly expires: number
  readonly validity: QuoteValidity
  readonly quotes: Quotes
}

export interface SandboxBatch extends CollectionItem {
  readonly params: NewBatchTransfer
  /** In ms since 1970. */
  readonly createdAt: number
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

/** The items that will be booked, in this order. */
export const validItems = ({ items }: SandboxBatch): ReadonlyArray<StoredItem> =>
  items.filter(({ checked }) => E.isRight(checked))

/** True for a batch that may be submitted: with a quote that holds, or without one. */
export const isQuoteValid = ({ quoted }: SandboxBatch, now: number): boolean =>
  quoted === undefined || now < quoted.expires

/** Adds the items whose `request_id` the batch does not have yet. */
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

/** `life`: how long the quote holds, in ms. */
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

/** Drops the quote, which is for the items of its time. */
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

/** One batch is created in the time of so many charges. */
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

/** The n-th batch, created `at` that time, in ms since 1970. */
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
    // lazy: finding one batch among a million does not generate the items of all
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

/** In major units: of `transfer_currency` for the two transfer amounts, else of `source_currency`. */
export interface Price {
  readonly source_amount: number
  readonly transfer_amount: number
  readonly fee_amount: number
  readonly amount_payer_pays: number
  readonly amount_beneficiary_receives: number
}

/** Fraction of the amount, as for charges. */
const FEE = 0.003

/** The payer pays the fee on top, unless the beneficiary pays it. An item without an amount moves nothing. */
export const priceOf = ({
  source_currency: source,
  transfer_currency: transfer,
  source_amount,
  transfer_amount,
  fee_paid_by,
}: NewBatchItem): Price => {
  const perUnit = rate(source, transfer)
  const amount = Number(transfer_amount ?? 0)
  const sent = rounded(
    source_amount === undefined ? amount / perUnit : Number(source_amount),
    source,
  )
  const arrived = rounded(transfer_amount === undefined ? sent * perUnit : amount, transfer)
  const fee = rounded(sent * FEE, source)
  const deducted = fee_paid_by === 'BENEFICIARY'
  return {
    source_amount: sent,
    transfer_amount: arrived,
    fee_amount: fee,
    amount_payer_pays: rounded(deducted ? sent : sent + fee, source),
    amount_beneficiary_receives: rounded(deducted ? arrived - fee * perUnit : arrived, transfer),
  }
}

/** One quote for each currency pair, in the order of the items (interface, Batch transfer). */
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
  const prices = items.map(priceOf)
  const sum = (field: keyof Price, currency: string): number =>
    rounded(
      prices.reduce((total, price) => total + price[field], 0),
      currency,
    )
  const converts = source !== transfer
  return {
    amount_beneficiary_receives: sum('amount_beneficiary_receives', transfer),
    amount_payer_pays: sum('amount_payer_pays', source),
    client_rate: converts ? rate(source, transfer) : null,
    currency_pair: converts ? `${source}${transfer}` : null,
    fee_amount: sum('fee_amount', source),
    fee_currency: source,
    source_currency: source,
    transfer_currency: transfer,
  }
}
