/** Charges that are made while the sandbox runs, and what becomes of them as time passes. */
import type { Charge, ChargeStatus, NewCharge } from '../../codec/Charge.js'
import { Instant } from '../../codec/Instant.js'
import type { ChargeIds } from './chargeIds.js'
import { feeOf } from './chargeText.js'
import { hex8, timeText } from './digits.js'
import { mix } from './mix.js'

// model

/** What a charge is made of, all of it given. */
export interface Ingredients extends Required<NewCharge> {}

export interface MadeCharge extends Ingredients {
  /** Counted on from the charges that were there from the start. */
  readonly index: number
  /** When it was made, in ms since 1970. */
  readonly at: number
}

/** A charge made at `at` is in the k-th status of its course from `at + k * settleAfter` on. */
type Course = readonly [ChargeStatus, ...ReadonlyArray<ChargeStatus>]

// constructors

/** The source decides the course: `acct_1_suspended` names an account whose charges are suspended. */
const courseOf = (source: string): Course =>
  source.endsWith('_pending')
    ? ['NEW', 'PENDING']
    : source.endsWith('_failed')
      ? ['NEW', 'PENDING', 'FAILED']
      : source.endsWith('_suspended')
        ? ['NEW', 'PENDING', 'SUSPENDED']
        : ['NEW', 'SETTLED']

// combinators

const instant = (seconds: number): Instant => {
  const text = timeText(seconds)
  if (!Instant.is(text))
    throw new RangeError(`${seconds} s since 1970 is not within four-digit years`)
  return text
}

/** The charge as it stands at `now` (ms); `since` is the second of the last charge before all these. */
export const asOf =
  (now: number, settleAfter: number, ids: ChargeIds, since: number) =>
  (made: MadeCharge): Charge => {
    const course = courseOf(made.source)
    const step = Math.min(
      course.length - 1,
      settleAfter > 0 ? Math.max(0, Math.floor((now - made.at) / settleAfter)) : course.length - 1,
    )
    const amount = Number(made.amount)
    const second = (ms: number): Instant => instant(Math.max(since, Math.floor(ms / 1_000)))
    return {
      id: ids.id(made.index),
      amount,
      currency: made.currency,
      reason: made.reason,
      reference: made.reference,
      request_id: made.request_id,
      source: made.source,
      fee: feeOf(Math.round(amount * 100)) / 100,
      short_reference_id: `CH${hex8(mix(made.index)).toUpperCase()}`,
      status: course[step] ?? 'NEW',
      created_at: second(made.at),
      updated_at: second(made.at + step * settleAfter),
    }
  }
