/** Currency conversion. */
import * as t from 'io-ts'
import { type Codec, closed } from './Codec.js'
import { Instant } from './Instant.js'
import { Currency } from './scalars.js'

const byCurrencyPair = closed(
  t.type({
    /** Six letters, such as `EURUSD`. */
    currency_pair: t.string,
  }),
)

/** The pair to ask about. */
export type ByCurrencyPair = t.TypeOf<typeof byCurrencyPair>

export const ByCurrencyPair: Codec<ByCurrencyPair> = byCurrencyPair

const invalidConversionDates = t.type({
  /** The pair that was asked about. */
  currency_pair: t.string,
  /** The days on which the pair cannot be converted. */
  invalid_conversion_dates: t.array(
    t.type({
      /** The day, `YYYY-MM-DD`. */
      date: Instant,
      /** The reason, in words. */
      reason: t.string,
    }),
  ),
})

/** The days on which a pair cannot be converted. */
export interface InvalidConversionDates extends t.TypeOf<typeof invalidConversionDates> {}

export const InvalidConversionDates: Codec<InvalidConversionDates> = invalidConversionDates

const supportedCurrencies = t.type({
  /** The currencies that money can be converted to and from. */
  conversion: t.type({
    /** 3-letter ISO 4217 codes. */
    buy_currencies: t.array(Currency),
    /** 3-letter ISO 4217 codes. */
    sell_currencies: t.array(Currency),
  }),
})

/** The currencies that the account can buy and sell. */
export interface SupportedCurrencies extends t.TypeOf<typeof supportedCurrencies> {}

export const SupportedCurrencies: Codec<SupportedCurrencies> = supportedCurrencies
