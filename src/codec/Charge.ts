import * as t from 'io-ts'
import { type Codec, noted } from './Codec.js'
import { Instant } from './Instant.js'
import { Amount, Currency, intFrom, textOf } from './scalars.js'
import { opened } from './shapes.js'
import { Time } from './times.js'

// model

const reason = t.keyof({
  wages_salary: null,
  donation_charitable_contribution: null,
  personal_remittance: null,
  transfer_to_own_account: null,
  pension: null,
  family_support: null,
  living_expenses: null,
  education_training: null,
  travel: null,
  investment_proceeds: null,
  investment_capital: null,
  loan_credit_repayment: null,
  taxes: null,
  goods_purchased: null,
  business_expenses: null,
  medical_services: null,
  professional_business_services: null,
  technical_services: null,
  other_services: null,
  construction: null,
  freight: null,
  real_estate: null,
})

/** Why money moves (interface, Charge). */
export type ChargeReason = t.TypeOf<typeof reason>

export const ChargeReason = reason

const status = t.keyof({ NEW: null, PENDING: null, SETTLED: null, SUSPENDED: null, FAILED: null })

/** Where a charge stands (interface, States and transitions). */
export type ChargeStatus = t.TypeOf<typeof status>

export const ChargeStatus = status

const charge = t.type({
  /** Made by the service. */
  id: t.string,
  /** The amount in whole units of `currency`, not in cents: 12.5 is EUR 12.50. */
  amount: t.number,
  /** A 3-letter ISO 4217 code. */
  currency: Currency,
  /** Why the money moves. */
  reason: opened(reason),
  /** Text shown to the beneficiary. */
  reference: t.string,
  /** Chosen by the client, unique. */
  request_id: t.string,
  /** The account that is charged. */
  source: t.string,
  /** What the charge costs, in whole units of `currency`. */
  fee: t.number,
  /** A short id for talking to support. */
  short_reference_id: t.string,
  /** Where it stands. */
  status: opened(status),
  /** When it was made. */
  created_at: Instant,
  /** When it last changed. */
  updated_at: Instant,
})

/** Money taken from a connected account for the platform's wallet. */
export interface Charge extends t.TypeOf<typeof charge> {}

export const Charge: Codec<Charge> = charge

// what is sent to make one

const newCharge = t.intersection([
  t.type({
    /**
     * The amount in whole units of `currency`, not in cents: `'12.50'`, or the number 12.5, is EUR 12.50. A number is
     * sent with all its digits, and 0.1 + 0.2 has seventeen: add minor units, and send what `fromMinorUnits` makes.
     */
    amount: Amount,
    /** A 3-letter ISO 4217 code. */
    currency: Currency,
    /** Why the money moves. */
    reason,
    /** Shown to the beneficiary; 1 to 140 characters. */
    reference: textOf(1, 140),
    /** The account to charge: KYC passed, state ACTIVE. */
    source: t.string,
  }),
  t.partial({
    /**
     * 1 to 50 characters, unique. Generated when left out: one for each call, the same in every attempt
     * and whenever the stream of that call is subscribed to again.
     */
    request_id: textOf(1, 50),
  }),
])

/** A charge to make. */
export interface NewCharge extends t.TypeOf<typeof newCharge> {}

export const NewCharge: Codec<NewCharge> = newCharge

// what a list of them is narrowed by

const chargeFilter = noted(
  t.partial({
    /** Only those in this currency: a 3-letter ISO 4217 code. */
    currency: Currency,
    /** Only those created at this time or later. */
    from_created_at: Time,
    /** Only those created at this time or earlier. */
    to_created_at: Time,
    /** The first page to read; counted from 0. */
    page_num: intFrom(0),
    /** Rows a page, 10 to 2,000; the service takes 100 when it is left out (interface, Limits). */
    page_size: intFrom(10, 2_000),
    /** Only the charge with this `request_id`. */
    request_id: t.string,
    /** Only charges on this connected account. */
    source: t.string,
    /** Only charges in this state. */
    status,
  }),
  { page_size: { default: 100 } },
)

/** Which charges to list; all of them when empty. */
export interface ChargeFilter extends t.TypeOf<typeof chargeFilter> {}

export const ChargeFilter: Codec<ChargeFilter> = chargeFilter
