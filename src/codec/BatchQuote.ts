import * as t from 'io-ts'
import type { Codec } from './Codec.js'
import { Instant } from './Instant.js'
import { Currency } from './scalars.js'
import { nullable, opened } from './shapes.js'

const validity = t.keyof({
  MIN_1: null,
  MIN_15: null,
  MIN_30: null,
  HR_1: null,
  HR_4: null,
  HR_8: null,
  HR_24: null,
})

/** How long a quote holds (interface, Batch transfer). */
export type QuoteValidity = t.TypeOf<typeof validity>

export const QuoteValidity = validity

const quote = t.intersection([
  t.type({
    /** What all beneficiaries receive together, in whole units of `transfer_currency`. */
    amount_beneficiary_receives: t.number,
    /** What the payer pays in all, in whole units of `source_currency`. */
    amount_payer_pays: t.number,
    /** What the transfers cost, in whole units of `fee_currency`. */
    fee_amount: t.number,
    /** A 3-letter ISO 4217 code. */
    fee_currency: Currency,
    /** What the payer funds with. */
    source_currency: Currency,
    /** What the beneficiary receives. */
    transfer_currency: Currency,
  }),
  t.partial({
    /** The rate of conversion; null when nothing is converted. */
    client_rate: nullable(t.number),
    /** The pair of currencies that `client_rate` is for; null when nothing is converted. */
    currency_pair: nullable(t.string),
  }),
])

/** What all items of one currency pair cost. */
export interface BatchQuote extends t.TypeOf<typeof quote> {}

const quoteSummary = t.partial({
  /** Until when it holds. */
  expires_at: nullable(Instant),
  /** When the batch was last quoted. */
  last_quoted_at: nullable(Instant),
  /** How long it was asked to hold. */
  validity: nullable(opened(validity)),
  /** One for each currency pair. */
  quotes: nullable(t.array(quote)),
})

/** What a batch costs, as last quoted. */
export interface BatchQuoteSummary extends t.TypeOf<typeof quoteSummary> {}

export const BatchQuoteSummary: Codec<BatchQuoteSummary> = quoteSummary
