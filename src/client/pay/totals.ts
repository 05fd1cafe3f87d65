/** Costs of batches, added up without rounding. */
import type { BatchQuote, BatchTransfer } from '../../codec/BatchTransfer.js'
import { millisOf } from '../../codec/Instant.js'
import { digitsOf } from '../../decode/index.js'
import { type Decimal, exponentOf, parseDecimal, unitsAt } from '../../decode/minorUnits.js'
import { O } from '../../fp.js'
import type { Millis } from '../../stream/index.js'
import type { PayTotal } from './PayOptions.js'

// sums

const ZERO: Decimal = { units: 0n, scale: 0 }

/** The longest number of a quote, in characters. */
const MAX_LENGTH = 100

type AmountName = 'amount_payer_pays' | 'amount_beneficiary_receives' | 'fee_amount'

/** Returns an amount with the digits that it came with, if they were kept. */
const amountOf = (quote: BatchQuote, name: AmountName): Decimal => {
  const text = O.getOrElse(() => String(quote[name]))(digitsOf(name)(quote))
  return O.getOrElse(() => ZERO)(parseDecimal(text, MAX_LENGTH))
}

const unitsOf = (decimal: Decimal, scale: number): bigint =>
  O.getOrElse(() => 0n)(unitsAt(scale)(decimal)) // exact: the scale is that of the larger one

/** Returns both as units of one scale. */
const aligned = (a: Decimal, b: Decimal): readonly [bigint, bigint] => {
  const scale = Math.max(a.scale, b.scale)
  return [unitsOf(a, scale), unitsOf(b, scale)]
}

const plus = (a: Decimal, b: Decimal): Decimal => {
  const [x, y] = aligned(a, b)
  return { units: x + y, scale: Math.max(a.scale, b.scale) }
}

/** Returns decimal text with at least the decimals of the currency. */
const textOf = (decimal: Decimal, currency: string): string => {
  const least = O.getOrElse(() => 0)(exponentOf(currency))
  const scale = Math.max(0, least, shortest(decimal).scale)
  const units = unitsOf(shortest(decimal), scale)
  const digits = `${units < 0n ? -units : units}`.padStart(scale + 1, '0')
  const point = digits.length - scale
  const whole = `${units < 0n ? '-' : ''}${digits.slice(0, point)}`
  return scale === 0 ? whole : `${whole}.${digits.slice(point)}`
}

/** Without zeros at the end. */
const shortest = ({ units, scale }: Decimal): Decimal =>
  scale > 0 && units % 10n === 0n
    ? shortest({ units: units / 10n, scale: scale - 1 })
    : { units, scale }

// totals

/** The total of a currency pair and a currency of fees. */
interface QuoteSum {
  readonly quote: BatchQuote
  readonly payerPays: Decimal
  readonly beneficiariesReceive: Decimal
  readonly fee: Decimal
  readonly rates: ReadonlySet<string>
}

/** Totals by currency pair and currency of fees. */
export type QuoteTotals = ReadonlyMap<string, QuoteSum>

export const totalsOf = (batches: ReadonlyArray<BatchTransfer>): QuoteTotals => {
  const sums = new Map<string, QuoteSum>()
  for (const quote of batches.flatMap(({ quote_summary }) => quote_summary?.quotes ?? [])) {
    const key = `${quote.source_currency} ${quote.transfer_currency} ${quote.fee_currency}`
    const sum = sums.get(key)
    const { client_rate: rate } = quote
    sums.set(key, {
      quote,
      payerPays: plus(sum?.payerPays ?? ZERO, amountOf(quote, 'amount_payer_pays')),
      beneficiariesReceive: plus(
        sum?.beneficiariesReceive ?? ZERO,
        amountOf(quote, 'amount_beneficiary_receives'),
      ),
      fee: plus(sum?.fee ?? ZERO, amountOf(quote, 'fee_amount')),
      rates: new Set([...(sum?.rates ?? []), ...(typeof rate === 'number' ? [`${rate}`] : [])]),
    })
  }
  return sums
}

export const shownTotals = (totals: QuoteTotals): ReadonlyArray<PayTotal> =>
  Array.from(totals.values(), ({ quote, payerPays, beneficiariesReceive, fee, rates }) => ({
    sourceCurrency: quote.source_currency,
    transferCurrency: quote.transfer_currency,
    payerPays: textOf(payerPays, quote.source_currency),
    beneficiariesReceive: textOf(beneficiariesReceive, quote.transfer_currency),
    fee: textOf(fee, quote.fee_currency),
    feeCurrency: quote.fee_currency,
    rates: [...rates],
  }))

/** Parts of a per cent that tolerances are compared in. */
const PARTS = 10_000

/** Returns whether the payer pays more in a pair, or its beneficiaries receive less, by more than `tolerance` per cent. */
export const isWorse = (approved: QuoteTotals, now: QuoteTotals, tolerance: number): boolean => {
  const whole = BigInt(100 * PARTS)
  const part = BigInt(Math.round(tolerance * PARTS))
  for (const [key, { payerPays, beneficiariesReceive }] of now) {
    const before = approved.get(key)
    if (before === undefined) return true
    const [pays, paid] = aligned(payerPays, before.payerPays)
    const [receive, received] = aligned(beneficiariesReceive, before.beneficiariesReceive)
    if (pays * whole > paid * (whole + part)) return true
    if (receive * whole < received * (whole - part)) return true
  }
  return false
}

// quotes

/** When the quote of a batch expires, in ms since 1970; never, if the platform does not say. */
export const expiryOf = ({ quote_summary }: BatchTransfer): Millis => {
  const at = quote_summary?.expires_at
  return at === undefined || at === null ? Number.POSITIVE_INFINITY : millisOf(at)
}

/** Returns the earliest expiry, in ms since 1970; none if no quote says one. */
export const earliestExpiry = (batches: ReadonlyArray<BatchTransfer>): Date | undefined => {
  const first = Math.min(...batches.map(expiryOf))
  return Number.isFinite(first) ? new Date(first) : undefined
}
