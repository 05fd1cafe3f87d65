import * as t from 'io-ts'
import { open } from '../decode/index.js'
import type { Codec } from './Codec.js'
import { noted } from './Schema.js'
import { nullable, opened } from './shapes.js'

// model

const depositType = t.keyof({ DIRECT_DEBIT: null, FASTER_DIRECT_DEBIT: null })

/** How a linked account is debited (interface, Batch transfer). */
export type DepositType = t.TypeOf<typeof depositType>

export const DepositType = depositType

const providerFailure = t.partial({
  /** The clearing system's own code. */
  code: nullable(t.string),
  /** Which one. */
  local_clearing_system: nullable(open('AU_BECS', 'US_ACH', 'GB_BACS', 'EU_SEPA')),
  /** In its own words. */
  message: nullable(t.string),
})

const failureDetails = t.partial({
  /** The service's own code. */
  code: nullable(t.string),
  /** ISO 20022. */
  iso_code: nullable(t.string),
  /** As the local clearing system had it. */
  provider_failure_details: nullable(providerFailure),
})

/** Why the money for a batch did not come. */
export interface FundingFailure extends t.TypeOf<typeof failureDetails> {}

const funding = t.partial({
  /** In answers of retrieve and list. */
  status: nullable(open('SCHEDULED', 'PROCESSING', 'FUNDED', 'FAILED', 'REVERSED')),
  /** How the linked account is debited. */
  deposit_type: nullable(opened(depositType)),
  /** The linked account; null when the wallet pays. */
  funding_source_id: nullable(t.string),
  /** On the bank statement of the owner of the debited account. */
  reference: nullable(t.string),
  /** Before API version 2026-06-30: empty unless funding is in an error state. */
  failure_reason: nullable(t.string),
  /** From API version 2026-06-30 on: only when funding failed. */
  failure_details: nullable(failureDetails),
})

/** Where the money for a batch comes from, and how far it has come. */
export interface BatchFunding extends t.TypeOf<typeof funding> {}

export const BatchFunding: Codec<BatchFunding> = funding

// what is sent to name another source than the wallet

const newFundingSource = noted(
  t.partial({
    /** `DIRECT_DEBIT` when left out. */
    deposit_type: depositType,
    /** A linked account; the wallet when left out. */
    id: t.string,
    /** On the bank statement of the owner of the debited account. */
    reference: t.string,
  }),
  { deposit_type: { default: 'DIRECT_DEBIT' } },
)

/** Where the money for a new batch comes from. */
export interface NewFundingSource extends t.TypeOf<typeof newFundingSource> {}

export const NewFundingSource: Codec<NewFundingSource> = newFundingSource
