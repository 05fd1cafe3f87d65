/** What items cost, one by one and for each pair of currencies. */
import type { BatchQuote } from '../../codec/BatchTransfer.js'
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { rate, rounded } from '../rates.js'

// model

export type Quotes = ReadonlyArray<BatchQuote>

/** In whole units: of `source_currency`, but for the two that the beneficiary is concerned by. */
export interface Price {
  readonly source_amount: number
  readonly transfer_amount: number
  readonly fee_amount: number
  readonly amount_payer_pays: number
  readonly amount_beneficiary_receives: number
}

/** Of the amount, as for charges. */
const FEE = 0.003

// constructors

/** The fee comes on top, unless the beneficiary pays it. An item without an amount moves nothing. */
export const priceOf = ({
  source_currency: source,
  transfer_currency: transfer,
  source_amount,
  transfer_amount,
  fee_paid_by,
}: NewBatchItem): Price => {
  const perUnit = rate(source, transfer)
  const sent = rounded(source_amount ?? (transfer_amount ?? 0) / perUnit, source)
  const arrived = rounded(transfer_amount ?? sent * perUnit, transfer)
  const fee = rounded(sent * FEE, source)
  const taken = fee_paid_by === 'BENEFICIARY'
  return {
    source_amount: sent,
    transfer_amount: arrived,
    fee_amount: fee,
    amount_payer_pays: rounded(taken ? sent : sent + fee, source),
    amount_beneficiary_receives: rounded(taken ? arrived - fee * perUnit : arrived, transfer),
  }
}

const quoteOf = (source: string, transfer: string, items: ReadonlyArray<NewBatchItem>) => {
  const prices = items.map(priceOf)
  const sum = (of: (price: Price) => number, currency: string): number =>
    rounded(
      prices.reduce((total, price) => total + of(price), 0),
      currency,
    )
  const converts = source !== transfer
  return {
    amount_beneficiary_receives: sum((price) => price.amount_beneficiary_receives, transfer),
    amount_payer_pays: sum((price) => price.amount_payer_pays, source),
    client_rate: converts ? rate(source, transfer) : null,
    currency_pair: converts ? `${source}${transfer}` : null,
    fee_amount: sum((price) => price.fee_amount, source),
    fee_currency: source,
    source_currency: source,
    transfer_currency: transfer,
  }
}

/** One for each pair of currencies, in the order of the items (interface, Batch transfer). */
export const quotesOf = (items: ReadonlyArray<NewBatchItem>): Quotes => {
  const pairs = new Map<string, Array<NewBatchItem>>()
  for (const item of items) {
    const pair = item.source_currency + item.transfer_currency
    const together = pairs.get(pair)
    if (together === undefined) pairs.set(pair, [item])
    else together.push(item)
  }
  return Array.from(pairs, ([pair, together]) => quoteOf(pair.slice(0, 3), pair.slice(3), together))
}
