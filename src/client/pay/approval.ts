/** The approval rule: either all costs are within the approval, or nothing is paid. */
import type { Decimal } from '../../decode/minorUnits.js'
import { O, withoutUndefined } from '../../fp.js'
import { checkOptions } from '../../options/index.js'
import type { RunBatch } from './PayContext.js'
import {
  type Approval,
  approvalTable,
  decimalOf,
  type PayBound,
  type PaySummary,
} from './PayOptions.js'
import { costsOf, isAbove, pairOf, plus, textOf, ZERO } from './totals.js'

// costs

/** The costs of a run in the form of an approval, and the parts that cannot be added up. */
type Costs = Pick<PaySummary, 'approval' | 'uncounted'>

/** Returns the approval that covers exactly these batches. */
export const approvalOf = (batches: ReadonlyArray<RunBatch>, hash?: string): Costs => {
  const costs = batches.map(costsOf)
  const max: Array<PayBound> = []
  const atLeast: Array<PayBound> = []
  for (const { quote, payerPays, beneficiariesReceive, fee } of costs.flatMap(
    ({ counted }) => counted,
  )) {
    const bound = (currency: string, amount: Decimal): PayBound => ({
      currency,
      amount: textOf(amount, currency),
      pair: pairOf(quote),
    })
    max.push(bound(quote.source_currency, payerPays))
    // a fee in the payer's currency is part of the amount that the payer pays; a rebate does not make room for other payments
    const isApart = quote.fee_currency !== quote.source_currency && fee.units > 0n
    if (isApart) max.push(bound(quote.fee_currency, fee))
    atLeast.push(bound(quote.transfer_currency, beneficiariesReceive))
  }
  const items = batches.reduce((sum, { batch }) => sum + batch.valid_item_count, 0)
  return {
    approval: {
      ...withoutUndefined({ hash }),
      items,
      max: merged(max),
      atLeast: merged(atLeast),
    },
    uncounted: costs.flatMap(({ uncounted }) => uncounted),
  }
}

/** Returns one bound for each currency and pair. */
const merged = (bounds: ReadonlyArray<PayBound>): ReadonlyArray<PayBound> => {
  const firsts = new Map(bounds.map((one) => [`${one.currency} ${one.pair}`, one]))
  return [...firsts.values()].flatMap((one) => {
    const sum = sumOf(bounds, one)
    return sum === undefined ? [] : [{ ...one, amount: textOf(sum, one.currency) }]
  })
}

/** Returns one bound for each currency, for all pairs together. */
export const byCurrency = (bounds: ReadonlyArray<PayBound>): ReadonlyArray<PayBound> =>
  merged(bounds.map(({ currency, amount }) => ({ currency, amount })))

// the rule

/**
 * Returns true if a summary is within an approval: each total has a bound and does not exceed it; no received total is below its
 * bound; and `hash` and `items`, if the approval has them, are equal. A summary with `uncounted` parts is never within an
 * approval. Throws an `InvalidOption` for an invalid approval.
 */
export const isWithin = (
  approval: Approval,
  summary: Pick<PaySummary, 'approval' | 'uncounted'>,
): boolean =>
  excessOf(checkOptions(approval, approvalTable, { context: 'isWithin: ' }), summary) === undefined

/** Returns the reason why a summary exceeds an approval; `undefined` if it does not. */
export const excessOf = (
  { hash, items, max, atLeast = [] }: Approval,
  { approval: shown, uncounted }: Costs,
): string | undefined => {
  const { atLeast: received = [] } = shown
  if (uncounted.length > 0) return uncountedText(uncounted)
  if (hash !== undefined && hash !== shown.hash) return 'other payments were approved'
  if (items !== undefined && items !== shown.items) {
    return `${shown.items} items would be paid, but ${items} were approved`
  }
  const open = shown.max.find((cost) => !max.some((bound) => covers(bound, cost)))
  if (open !== undefined)
    return `${open.currency} would be paid, but max (--max) has no limit for it`
  for (const bound of max) {
    const sum = beyond(bound, sumOf(shown.max, bound), isAbove)
    if (sum !== undefined) return `${sum} would be paid, above the limit of ${bound.amount} (--max)`
  }
  for (const bound of atLeast) {
    const sum = beyond(bound, sumOf(received, bound), (got, least) => isAbove(least, got))
    if (sum !== undefined)
      return `${sum} would be received, below the limit of ${bound.amount} (--at-least)`
  }
  return undefined
}

/** Maximum number of causes that a message names. */
const MOST_NAMED = 3

export const uncountedText = (uncounted: ReadonlyArray<string>): string => {
  const more = uncounted.length - MOST_NAMED
  const named = [...uncounted.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])]
  return `the quotes cannot be added up: ${named.join('; ')}`
}

const covers = (bound: Pick<PayBound, 'currency' | 'pair'>, cost: PayBound): boolean =>
  bound.currency === cost.currency && (bound.pair === undefined || bound.pair === cost.pair)

/** Adds up the amounts that a bound covers; `undefined` if one cannot be parsed. */
const sumOf = (
  costs: ReadonlyArray<PayBound>,
  bound: Pick<PayBound, 'currency' | 'pair'>,
): Decimal | undefined => {
  let sum = ZERO
  for (const { amount } of costs.filter((cost) => covers(bound, cost))) {
    const one = decimalOf(amount)
    if (O.isNone(one)) return undefined
    sum = plus(sum, one.value)
  }
  return sum
}

/** Returns the sum that exceeds its bound, or cannot be compared with it. */
const beyond = (
  { currency, amount }: PayBound,
  sum: Decimal | undefined,
  isBeyond: (sum: Decimal, bound: Decimal) => boolean,
): string | undefined => {
  const bound = decimalOf(amount)
  if (sum === undefined || O.isNone(bound)) return `an unknown amount of ${currency}`
  return isBeyond(sum, bound.value) ? `${textOf(sum, currency)} ${currency}` : undefined
}
