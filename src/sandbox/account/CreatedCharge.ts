/** Charges that are made while the sandbox runs, and what becomes of them as time passes. */
import type { Charge, ChargeStatus } from '../../codec/Charge.js'
import { instant } from '../instant.js'
import { unitsOf } from '../rates.js'
import { feeOf } from './chargeBytes.js'
import type { Filter, GeneratedCharges, Ingredients } from './GeneratedCharges.js'
import { hash, hexText } from './hash.js'

// model

export interface MadeCharge extends Ingredients {
  /** Counted on from the charges that were there from the start. */
  readonly index: number
  /** When it was made, in ms since 1970. */
  readonly at: number
}

/** What tells how a charge stands. */
export interface Moment {
  /** In ms since 1970. */
  readonly now: number
  /** How long a charge stays in each status of its course, in ms. */
  readonly settleAfter: number
  readonly account: GeneratedCharges
}

/** The status of a charge at first, then one after the other. */
type BatchTimeline = readonly [ChargeStatus, ...ReadonlyArray<ChargeStatus>]

// constructors

/** The source decides: charges of `acct_1_suspended` come to be suspended. */
const batchTimeline = (source: string): BatchTimeline =>
  source.endsWith('_pending')
    ? ['NEW', 'PENDING']
    : source.endsWith('_failed')
      ? ['NEW', 'PENDING', 'FAILED']
      : source.endsWith('_suspended')
        ? ['NEW', 'PENDING', 'SUSPENDED']
        : ['NEW', 'SETTLED']

// combinators

const stepOf = ({ now, settleAfter }: Moment, { at, source }: MadeCharge): number => {
  const last = batchTimeline(source).length - 1
  return settleAfter > 0 ? Math.min(last, Math.max(0, Math.floor((now - at) / settleAfter))) : last
}

const statusOf = (moment: Moment, made: MadeCharge): ChargeStatus =>
  batchTimeline(made.source)[stepOf(moment, made)] ?? 'NEW'

/** In whole seconds, and never before the charges that were there from the start. */
const secondOf = ({ account }: Moment, ms: number): number =>
  Math.max(account.until, Math.floor(ms / 1_000))

/** The charge as it stands at this moment. */
export const asOf =
  (moment: Moment) =>
  (made: MadeCharge): Charge => {
    const amount = Number(made.amount)
    const units = unitsOf(made.currency)
    return {
      id: moment.account.ids.id(made.index),
      amount,
      currency: made.currency,
      reason: made.reason,
      reference: made.reference,
      request_id: made.request_id,
      source: made.source,
      fee: feeOf(Math.round(amount * units)) / units,
      short_reference_id: `CH${hexText(hash(made.index))}`,
      status: statusOf(moment, made),
      created_at: instant(secondOf(moment, made.at)),
      updated_at: instant(secondOf(moment, made.at + stepOf(moment, made) * moment.settleAfter)),
    }
  }

/** Whether it is in a list at this moment. */
export const isListed =
  (moment: Moment, filter: Filter) =>
  (made: MadeCharge): boolean => {
    const created = secondOf(moment, made.at) * 1_000
    return (
      (filter.currency ?? made.currency) === made.currency &&
      (filter.source ?? made.source) === made.source &&
      (filter.request_id ?? made.request_id) === made.request_id &&
      (filter.from ?? created) <= created &&
      (filter.to ?? created) >= created &&
      (filter.status === undefined || filter.status === statusOf(moment, made))
    )
  }
