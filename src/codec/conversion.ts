/** What can be converted, and when. */
import * as t from 'io-ts'
import type { Codec } from './Codec.js'
import { Instant } from './Instant.js'
import { Currency } from './scalars.js'

const byCurrencyPair = t.type({
  /** Six letters, such as `EURUSD`. */
  currency_pair: t.string,
})

/** The pair to ask about. */
export interface ByCurrencyPair extends t.TypeOf<typeof byCurrencyPair> {}

export const ByCurrencyPair: Codec<ByCurrencyPair> = byCurrencyPair

const invalidConversionDates = t.type({
  currency_pair: t.string,
  invalid_conversion_dates: t.array(
    t.type({
      /** YYYY-MM-DD. */
      date: Instant,
      reason: t.string,
    }),
  ),
})

/** The days on which a pair cannot be converted. */
export interface InvalidConversionDates extends t.TypeOf<typeof invalidConversionDates> {}

export const InvalidConversionDates: Codec<InvalidConversionDates> = invalidConversionDates

const supportedCurrencies = t.type({
  conversion: t.type({
    buy_currencies: t.array(Currency),
    sell_currencies: t.array(Currency),
  }),
})

/** The currencies that the account can buy and sell. */
export interface SupportedCurrencies extends t.TypeOf<typeof supportedCurrencies> {}

export const SupportedCurrencies: Codec<SupportedCurrencies> = supportedCurrencies
