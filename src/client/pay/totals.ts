/** Costs of batches, added up without rounding. Amounts that cannot be added up are named, and never count as zero. */
import type { BatchQuote, BatchTransfer } from '../../codec/BatchTransfer.js'
import { millisOf } from '../../codec/Instant.js'
import { digitsOf } from '../../decode/index.js'
import {
  type Decimal,
  exponentOf,
  MAX_AMOUNT_LENGTH,
  parseDecimal,
} from '../../decode/minorUnits.js'
import { O } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import type { RunBatch } from './PayContext.js'
import type { PayTotal } from './PayOptions.js'

// decimals

export const ZERO: Decimal = { units: 0n, scale: 0 }

/** Returns both numbers in units of the same scale, and the scale. */
const aligned = (a: Decimal, b: Decimal): readonly [bigint, bigint, number] => {
  const scale = Math.max(a.scale, b.scale)
  return [unitsOf(a, scale), unitsOf(b, scale), scale]
}

/** Converts a number to units of a scale that is not below its own. The result is therefore exact. */
const unitsOf = ({ units, scale: own }: Decimal, scale: number): bigint =>
  units * 10n ** BigInt(scale - own)

export const plus = (a: Decimal, b: Decimal): Decimal => {
  const [x, y, scale] = aligned(a, b)
  return { units: x + y, scale }
}

export const isAbove = (a: Decimal, b: Decimal): boolean => {
  const [x, y] = aligned(a, b)
  return x > y
}

/** Returns a decimal string with at least as many decimals as the currency (if unknown, with those of the amount). */
export const textOf = (decimal: Decimal, currency: string): string => {
  const least = Math.max(0, O.getOrElse(() => 0)(exponentOf(currency)))
  const scale = Math.max(least, decimal.scale)
  const units = unitsOf(decimal, scale)
  const digits = `${units < 0n ? -units : units}`.padStart(scale + 1, '0')
  const point = digits.length - scale
  const whole = `${units < 0n ? '-' : ''}${digits.slice(0, point)}`
  const fraction = digits.slice(point)
  const shortest = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, '')
  return shortest === '' ? whole : `${whole}.${shortest}`
}

// quotes

const AMOUNTS = ['amount_payer_pays', 'amount_beneficiary_receives', 'fee_amount'] as const

/** A quote whose amounts are known digit by digit. */
interface CountedQuote {
  readonly quote: BatchQuote
  readonly payerPays: Decimal
  readonly beneficiariesReceive: Decimal
  readonly fee: Decimal
}

/** Returns an amount, with its original digits if they were kept. */
const amountOf = (quote: BatchQuote, name: (typeof AMOUNTS)[number]): O.Option<Decimal> =>
  parseDecimal(O.getOrElse(() => String(quote[name]))(digitsOf(name)(quote)), MAX_AMOUNT_LENGTH)

/** The quotes of a batch that can be added up, and the reasons why others cannot. */
interface BatchCosts {
  readonly counted: ReadonlyArray<CountedQuote>
  readonly uncounted: ReadonlyArray<string>
}

/** Reads the quotes of a batch for each currency pair of its items. Their amounts must be valid and not negative. */
export const costsOf = ({ requestId, batch, pairs }: RunBatch): BatchCosts => {
  const { quotes } = batch.quote_summary ?? {}
  if (quotes === undefined || quotes === null || quotes.length === 0) {
    return { counted: [], uncounted: [`${requestId} has no quote`] }
  }
  const quoted = new Set(quotes.map((one) => pairOf(one)))
  const uncounted = [...pairs]
    .filter((pair) => !quoted.has(pair))
    .map((pair) => `${requestId} has no quote for ${pair}`)
  const counted: Array<CountedQuote> = []
  for (const quote of quotes) {
    const [payerPays, beneficiariesReceive, fee] = AMOUNTS.map((name) => {
      const amount = amountOf(quote, name)
      const field = `${requestId}: ${name} for ${pairOf(quote)}`
      if (O.isNone(amount)) {
        uncounted.push(
          `${field} should be a decimal number of up to ${MAX_AMOUNT_LENGTH} characters`,
        )
        return undefined
      }
      if (name === 'fee_amount' || amount.value.units >= 0n) return amount.value // a rebate, perhaps
      uncounted.push(`${field} is negative`)
      return undefined
    })
    if (payerPays === undefined || beneficiariesReceive === undefined || fee === undefined) continue
    counted.push({ quote, payerPays, beneficiariesReceive, fee })
  }
  return { counted, uncounted }
}

/** Returns a currency pair such as `USD-EUR`. */
export const pairOf = ({
  source_currency,
  transfer_currency,
}: Pick<BatchQuote, 'source_currency' | 'transfer_currency'>): string =>
  `${source_currency}-${transfer_currency}`

// totals

/** The total for a currency pair and a fee currency. */
export interface QuoteSum extends CountedQuote {
  readonly rates: ReadonlySet<string>
}

/** Adds up quotes, by currency pair and fee currency. */
export const totalsOf = (quotes: ReadonlyArray<CountedQuote>): ReadonlyArray<QuoteSum> => {
  const sums = new Map<string, QuoteSum>()
  for (const { quote, payerPays, beneficiariesReceive, fee } of quotes) {
    const key = `${pairOf(quote)} ${quote.fee_currency}`
    const sum = sums.get(key)
    const { client_rate: rate } = quote
    const rates = typeof rate === 'number' ? [`${rate}`] : []
    sums.set(
      key,
      sum === undefined
        ? { quote, payerPays, beneficiariesReceive, fee, rates: new Set(rates) }
        : {
            quote,
            payerPays: plus(sum.payerPays, payerPays),
            beneficiariesReceive: plus(sum.beneficiariesReceive, beneficiariesReceive),
            fee: plus(sum.fee, fee),
            rates: new Set([...sum.rates, ...rates]),
          },
    )
  }
  return [...sums.values()]
}

export const shownTotals = (totals: ReadonlyArray<QuoteSum>): ReadonlyArray<PayTotal> =>
  totals.map(({ quote, payerPays, beneficiariesReceive, fee, rates }) => ({
    sourceCurrency: quote.source_currency,
    transferCurrency: quote.transfer_currency,
    payerPays: textOf(payerPays, quote.source_currency),
    beneficiariesReceive: textOf(beneficiariesReceive, quote.transfer_currency),
    fee: textOf(fee, quote.fee_currency),
    feeCurrency: quote.fee_currency,
    rates: [...rates],
  }))

// expiry

/** Returns when the quote of a batch expires, in ms since 1970; `Infinity` if the platform does not provide it. */
export const expiryOf = ({ quote_summary }: BatchTransfer): Millis => {
  const at = quote_summary?.expires_at
  return at === undefined || at === null ? Number.POSITIVE_INFINITY : millisOf(at)
}

/** Returns the earliest expiry, in ms since 1970; none if no quote has one. */
export const earliestExpiry = (batches: ReadonlyArray<BatchTransfer>): Date | undefined => {
  const first = Math.min(...batches.map(expiryOf))
  return Number.isFinite(first) ? new Date(first) : undefined
}
