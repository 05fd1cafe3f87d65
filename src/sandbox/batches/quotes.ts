/** Prices of batch items, one by one and consolidated per currency pair. */
import type { BatchQuote } from '../../codec/BatchTransfer.js'
import type { NewBatchItem } from '../../codec/NewBatchItem.js'
import { rate, rounded } from '../data/money.js'

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
  const sent = rounded(source_amount ?? (transfer_amount ?? 0) / perUnit, source)
  const arrived = rounded(transfer_amount ?? sent * perUnit, transfer)
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
export const quotesOf = (items: ReadonlyArray<NewBatchItem>): Quotes => {
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
