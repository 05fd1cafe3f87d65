/** Faults of deliveries: drawn at random, or planned by the caller. */
import type { IO } from '../../fp.js'

// model

export const deliveryFaultNames = Object.freeze([
  'late',
  'twice',
  'out-of-order',
  'lost',
  'forged',
  'stale',
  'slow-answer',
] as const)

/**
 * - `late`: sent ten seconds later.
 * - `twice`: sent again at once, with the same id.
 * - `out-of-order`: sent after the next event of the webhook, or after five seconds.
 * - `lost`: never sent.
 * - `forged`: a copy that is signed with another secret comes before it.
 * - `stale`: first signed with a time an hour ago.
 * - `slow-answer`: the first answer counts as too late, so the event is sent again though it was received.
 */
export type DeliveryFault = (typeof deliveryFaultNames)[number]

/** An event for which a fault is planned. */
export interface DeliveryTarget {
  /** The name of the event, such as `charge.settled`. */
  readonly event: string
  /** How many events this webhook has had, this one included: the first is 1. */
  readonly nth: number
}

/** The probability of each fault, from 0 to 1; or a function that plans them. */
export type DeliveryFaults =
  | { readonly [Name in DeliveryFault]?: number }
  | ((target: DeliveryTarget) => DeliveryFault | undefined)

/** A late event is sent after this time, in ms. */
export const LATE = 10_000

/** An event that is out of order waits this long for another, in ms. */
export const HELD = 5_000

/** A stale delivery is signed this long ago, in ms: beyond the usual tolerance of five minutes. */
export const STALE = 3_600_000

// functions

/** The probability that an event has any fault; 0 for a plan. */
export const totalDeliveryProbability = (faults: DeliveryFaults): number =>
  typeof faults === 'function'
    ? 0
    : deliveryFaultNames.reduce((sum, name) => sum + (faults[name] ?? 0), 0)

/** Returns at most one fault for an event. Draws exactly one number, so that a plan shifts no later draw. */
export const drawDeliveryFault = (
  faults: DeliveryFaults,
  random: IO<number>,
  target: DeliveryTarget,
): DeliveryFault | undefined => {
  const drawn = random()
  if (typeof faults === 'function') return faults(target)
  let sum = 0
  return deliveryFaultNames.find((name) => {
    sum += faults[name] ?? 0
    return drawn < sum
  })
}
