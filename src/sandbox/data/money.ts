/** Amounts in the precision of their currency, and fixed exchange rates. */
import { parseWithDigits, withDigitsOf } from '../../decode/digits.js'
import { exponentOf } from '../../decode/minorUnits.js'
import { fieldsOf } from '../../decode/unknown.js'
import { O, R } from '../../fp.js'
import { unitsPerDollar } from './fixtures.js'

/** The maximum amount that is accepted, as text. */
export const MAX_AMOUNT = 'at most 10^100'

/** Rejects amounts whose sums, conversions or minor units would overflow to Infinity. */
export const isWithinMaxAmount = (amount: number): boolean => Math.abs(amount) <= 1e100

export const currencies: ReadonlyArray<string> = Object.keys(unitsPerDollar)

export const isConvertible = (currency: string): boolean => Object.hasOwn(unitsPerDollar, currency)

/** Returns the number of decimals; two for a currency that ISO 4217 does not list. */
const decimalsIn = (currency: string): number => O.getOrElse(() => 2)(exponentOf(currency))

/** Returns the number of minor units in one major unit. */
export const minorUnitsIn = (currency: string): number => 10 ** decimalsIn(currency)

/** Rounds to the minor unit of the currency. */
export const rounded = (amount: number, currency: string): number => {
  const units = minorUnitsIn(currency)
  return Math.round(amount * units) / units
}

/**
 * Returns the number of units of `to` for one unit of `from`, with six decimals. A currency that is not listed is worth one
 * dollar.
 */
export const rate = (from: string, to: string): number =>
  Math.max(1, Math.round(((unitsPerDollar[to] ?? 1) / (unitsPerDollar[from] ?? 1)) * 1e6)) / 1e6

// amounts of any length, in minor units

/** Divides two positive numbers, and rounds half up. */
export const divided = (dividend: bigint, divisor: bigint): bigint =>
  (2n * dividend + divisor) / (2n * divisor)

/** Reads plain decimal text, such as `12.50`, and rounds it to the minor unit of the currency. */
export const toMinor = (text: string, currency: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.')
  const units = BigInt(whole + fraction) * BigInt(minorUnitsIn(currency))
  return divided(units, 10n ** BigInt(fraction.length))
}

/** Writes minor units as plain decimal text, without trailing zeros. */
export const fromMinor = (units: bigint, currency: string): string => {
  const decimals = decimalsIn(currency)
  const digits = String(units).padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return `${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Returns the number of minor units of `to` for one of `from`, as a dividend and a divisor. */
export const minorRate = (from: string, to: string): readonly [bigint, bigint] => [
  BigInt(Math.round(rate(from, to) * 1e6)) * BigInt(minorUnitsIn(to)),
  1_000_000n * BigInt(minorUnitsIn(from)),
]

/** Parses plain decimal texts as numbers. The numbers keep their digits if a double cannot represent them. */
export const numbersOf = <K extends string>(
  texts: Readonly<Record<K, string>>,
): Record<K, number> => {
  const json = Object.entries(texts).map(([key, text]) => `"${key}":${text}`)
  const parsed = fieldsOf(parseWithDigits(`{${json.join(',')}}`))
  return withDigitsOf(parsed)(R.map(Number)(texts))
}
