/** Faults of deliveries: random, or planned by the caller. */
import type { IO } from '../../fp.js'

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
 * - `twice`: sent twice in a row, with the same id.
 * - `out-of-order`: sent after the next event of the webhook, or after five seconds.
 * - `lost`: never sent.
 * - `forged`: preceded by a copy signed with another secret.
 * - `stale`: the first delivery has a signature that is an hour old.
 * - `slow-answer`: the first response counts as too late, so the event is delivered again although it was received.
 */
export type DeliveryFault = (typeof deliveryFaultNames)[number]

/** An event for which to plan a fault. */
export interface DeliveryTarget {
  /** The name of the event, such as `charge.settled`. */
  readonly event: string
  /** Number of this event among those of the webhook, starting at 1. */
  readonly nth: number
}

/** Probability of each fault, from 0 to 1; or a function that plans them. */
export type DeliveryFaults =
  | { readonly [Name in DeliveryFault]?: number }
  | ((target: DeliveryTarget) => DeliveryFault | undefined)

/** Delay of a late event, in ms. */
export const LATE = 10_000

/** Maximum time for which an out-of-order event waits for another event, in ms. */
export const HELD = 5_000

/** Age of the signature of a stale delivery, in ms. It is beyond the usual tolerance of five minutes. */
export const STALE = 3_600_000

/** Returns the probability that an event has any fault; 0 for a plan. */
export const totalDeliveryProbability = (faults: DeliveryFaults): number =>
  typeof faults === 'function'
    ? 0
    : deliveryFaultNames.reduce((sum, name) => sum + (faults[name] ?? 0), 0)

/** Returns at most one fault for an event. Draws exactly one number, so a plan does not shift later draws. */
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
