/** Rates of exchange, which never move, and amounts as currencies write them. */
import { exponentOf } from '../decode/minorUnits.js'
import { O, R } from '../fp.js'

/** Units of a currency for one US dollar. */
const perDollar: Readonly<Record<string, number>> = {
  AUD: 1.52,
  BRL: 5.45,
  CAD: 1.37,
  CHF: 0.88,
  CNY: 7.18,
  CZK: 22.9,
  DKK: 6.87,
  EUR: 0.92,
  GBP: 0.78,
  HKD: 7.8,
  IDR: 16_200,
  INR: 83.6,
  JPY: 151,
  KRW: 1_370,
  MXN: 18.4,
  MYR: 4.6,
  NOK: 10.7,
  NZD: 1.66,
  PHP: 57.5,
  PLN: 3.96,
  SEK: 10.5,
  SGD: 1.34,
  THB: 36.2,
  TRY: 32.4,
  USD: 1,
  VND: 25_300,
  ZAR: 18.6,
}

/** Those that can be bought and sold, by name. */
export const currencies: ReadonlyArray<string> = R.keys(perDollar)

export const isConvertible = (currency: string): boolean => Object.hasOwn(perDollar, currency)

/** How many of its smallest units a currency has to one; one that ISO 4217 does not know has two decimals. */
export const unitsOf = (currency: string): number =>
  10 ** O.getOrElse(() => 2)(exponentOf(currency))

/** To the smallest unit of a currency. */
export const rounded = (amount: number, currency: string): number => {
  const units = unitsOf(currency)
  return Math.round(amount * units) / units
}

/** What the sandbox reckons with, in words. */
export const REACH = 'at most 10^100'

/** Whether what is made of an amount stays a number: sums, what they are in another currency, its cents. */
export const isWithinReach = (amount: number): boolean => Math.abs(amount) <= 1e100

/** Units of `to` for one of `from`, with six decimals; a currency that is not listed is a dollar. */
export const rate = (from: string, to: string): number =>
  Math.max(1, Math.round(((perDollar[to] ?? 1) / (perDollar[from] ?? 1)) * 1e6)) / 1e6
