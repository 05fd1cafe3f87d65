/** Amounts in the precision of their currency, and exchange rates that never move. */
import { exponentOf } from '../../decode/minorUnits.js'
import { O } from '../../fp.js'
import { unitsPerDollar } from './fixtures.js'

/** The largest amount taken, in words. */
export const MAX_AMOUNT = 'at most 10^100'

/** Rejects amounts whose sums, conversions or minor units would overflow to Infinity. */
export const isWithinMaxAmount = (amount: number): boolean => Math.abs(amount) <= 1e100

export const currencies: ReadonlyArray<string> = Object.keys(unitsPerDollar)

export const isConvertible = (currency: string): boolean => Object.hasOwn(unitsPerDollar, currency)

/** Minor units in one major unit; 100 for a currency that ISO 4217 does not list. */
export const minorUnitsIn = (currency: string): number =>
  10 ** O.getOrElse(() => 2)(exponentOf(currency))

/** Rounds to the minor unit of the currency. */
export const rounded = (amount: number, currency: string): number => {
  const units = minorUnitsIn(currency)
  return Math.round(amount * units) / units
}

/** Units of `to` for one of `from`, with six decimals; an unlisted currency is worth a dollar. */
export const rate = (from: string, to: string): number =>
  Math.max(1, Math.round(((unitsPerDollar[to] ?? 1) / (unitsPerDollar[from] ?? 1)) * 1e6)) / 1e6
