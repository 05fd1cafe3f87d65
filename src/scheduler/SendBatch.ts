import type { Millis } from './Clock.js'

/**
 * Requests that leave in one turn of the event loop. Their bytes leave when the turn is over, and whatever delays one
 * of them on its way, such as a busy process or a connection being opened, delays them all. So their permits are
 * released together, and guards learn from the batch.
 */
export class SendBatch {
  /** End of the turn; its start while the turn lasts. */
  sentAt: Millis
  /** Requests may still join it: its bytes have not left. */
  isLeaving = true
  /** It left before anything was known of the network. */
  readonly isCold: boolean
  open = 0
  /** Latest moment at which the server can have counted a request that got no answer, after `sentAt`. */
  lostAfter: Millis = 0
  refusals = 0

  // Requests that were admitted: their number, and sums and extremes of their round trips.
  answers = 0
  roundTrips: Millis = 0
  squares = 0
  /** Sum of what the round trips exceed the shortest one of their kind by. */
  excess: Millis = 0
  maxExcess: Millis = 0
  /** Best mean excess of recent batches, and the variance within a batch, when the first answer came. */
  usual: { readonly excess: Millis; readonly variance: number } | undefined

  constructor(now: Millis, isCold: boolean) {
    this.sentAt = now
    this.isCold = isCold
  }

  /** `latest`: by when it arrived at the latest, after the shortest way there. */
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

  /** Returns the sum of squared deviations from the mean, of the round trips. */
  scatter(): number {
    return Math.max(0, this.squares - this.roundTrips ** 2 / Math.max(1, this.answers))
  }
}
