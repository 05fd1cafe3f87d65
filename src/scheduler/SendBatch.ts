import type { Millis } from './Clock.js'

/**
 * Requests sent in one turn of the event loop. Their bytes leave when the turn is over, and a delay, such as that of a busy
 * process or a new connection, affects all of them. Their permits are therefore released together, and guards learn from the
 * batch.
 */
export class SendBatch {
  /** End of the turn, or its start while the turn lasts. */
  sentAt: Millis
  /** True while requests may still join, because the bytes of the batch have not left. */
  isLeaving = true
  /** True if it was sent before anything was known about the network. */
  readonly isCold: boolean
  open = 0
  /** Time after `sentAt` during which the server may still count a request that got no response. */
  lostAfter: Millis = 0
  refusals = 0

  // Requests that were admitted: their number, and sums and extremes of their round trips.
  answers = 0
  roundTrips: Millis = 0
  squares = 0
  /** Sum of the excesses of round trips over the shortest of their kind. */
  excess: Millis = 0
  maxExcess: Millis = 0
  /** Lowest mean excess of recent batches, and the variance within a batch, at the first response. */
  usual: { readonly excess: Millis; readonly variance: number } | undefined

  constructor(now: Millis, isCold: boolean) {
    this.sentAt = now
    this.isCold = isCold
  }

  /** Records an admitted request. `latest`: the latest time of its arrival, if its response took the shortest way back. */
  answered(roundTrip: Millis, excess: Millis, latest: Millis): void {
    this.answers++
    this.roundTrips += roundTrip
    this.squares += roundTrip * roundTrip
    this.excess += excess
    this.maxExcess = Math.max(this.maxExcess, latest)
  }

  refused(latest: Millis): void {
    this.refusals++
    this.maxExcess = Math.max(this.maxExcess, latest)
  }

  /** Returns the sum of squared deviations of the round trips from their mean. */
  scatter(): number {
    return Math.max(0, this.squares - this.roundTrips ** 2 / Math.max(1, this.answers))
  }
}
