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
  /** Which local clearing system told it. */
  local_clearing_system: nullable(open('AU_BECS', 'US_ACH', 'GB_BACS', 'EU_SEPA')),
  /** What it says of it, in words. */
  message: nullable(t.string),
})

const failureDetails = t.partial({
  /** The service's own code. */
  code: nullable(t.string),
  /** The same as an ISO 20022 code. */
  iso_code: nullable(t.string),
  /** The failure as the local clearing system told it. */
  provider_failure_details: nullable(providerFailure),
})

/** Why the money for a batch did not come. */
export interface FundingFailure extends t.TypeOf<typeof failureDetails> {}

const funding = t.partial({
  /** How far the money has come. Shown by `retrieve` and `list` only. */
  status: nullable(open('SCHEDULED', 'PROCESSING', 'FUNDED', 'FAILED', 'REVERSED')),
  /** How the linked account is debited. */
  deposit_type: nullable(opened(depositType)),
  /** The linked account; null when the wallet pays. */
  funding_source_id: nullable(t.string),
  /** What the bank statement of the debited account shows. */
  reference: nullable(t.string),
  /** Why funding failed, before API version 2026-06-30: empty unless it is in an error state. */
  failure_reason: nullable(t.string),
  /** Why funding failed, from API version 2026-06-30 on. */
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
    /** What the bank statement of the debited account shows. */
    reference: t.string,
  }),
  { deposit_type: { default: 'DIRECT_DEBIT' } },
)

/** Where the money for a new batch comes from. */
export interface NewFundingSource extends t.TypeOf<typeof newFundingSource> {}

export const NewFundingSource: Codec<NewFundingSource> = newFundingSource
