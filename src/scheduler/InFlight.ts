import { type Clock, type Millis, TICK } from './Clock.js'
import type { Dispatcher } from './Dispatcher.js'
import { RoundTrips } from './JitterGuard.js'
import type { LimiterSet } from './LimiterSet.js'
import type { Limiter } from './limiters/Limiter.js'
import type { Resources, SentRequest } from './Resources.js'
import { SendBatch } from './SendBatch.js'

/** One request under way. */
export interface Sent extends SentRequest {
  readonly batch: MixedBatch
  isAnswered: boolean
  isRefused: boolean
}

/** A batch, and the kinds of requests in it. */
class MixedBatch extends SendBatch {
  readonly sets = new Set<LimiterSet>()
}

/** A request that gets no answer has arrived so long after its start, or after the longest round trip of late. */
const ARRIVES_WITHIN: Millis = 1_000

/** Requests under way: takes their permits, and tells limiters and guards what became of them. */
export class InFlight {
  count = 0
  /** Requests sent so far, retries included. */
  sent = 0
  readonly #clock: Clock
  readonly #dispatcher: Dispatcher
  readonly #resources: Resources
  readonly #hasEnded: (now: Millis) => void
  readonly #roundTrips = new RoundTrips()
  #leaving: MixedBatch | undefined
  /** An answer was read since the last request left. */
  #isAnswered = false

  constructor(
    clock: Clock,
    dispatcher: Dispatcher,
    resources: Resources,
    hasEnded: (now: Millis) => void,
  ) {
    this.#clock = clock
    this.#dispatcher = dispatcher
    this.#resources = resources
    this.#hasEnded = hasEnded
  }

  send(request: unknown, set: LimiterSet, now: Millis): Sent {
    this.count++
    this.sent++
    set.inFlight++
    const batch = this.#batchFor(set, now)
    batch.open++
    batch.sets.add(set)
    const windows = set.limiters.map((limiter) => limiter.acquire(batch, now))
    const sent = { request, set, batch, windows, isAnswered: false, isRefused: false }
    this.#resources.sent(sent)
    return sent
  }

  accepted(sent: Sent, now: Millis): void {
    sent.isAnswered = true
    const { set, batch, windows } = sent
    const roundTrip = Math.max(0, now - batch.sentAt)
    set.roundTrips.add(roundTrip)
    this.#roundTrips.add(roundTrip)
    const excess = this.#excess(set, roundTrip)
    batch.answered(roundTrip, excess, this.#roundTrips.isKnown() ? excess : roundTrip)
    for (const guard of set.guards) guard.answered(batch, roundTrip, excess)
    let isSooner = false
    let i = 0
    for (const limiter of set.limiters) {
      if (limiter.counted(now)) isSooner = true
      const window = windows[i++]
      if (window !== undefined) limiter.limit.accepted(window, now)
    }
    this.#close(batch, now)
    if (isSooner) this.#dispatcher.reschedule(set.limiters, now)
  }

  /** `retryAfter`: what the server says, in ms; 0 for nothing. */
  refused(sent: Sent, now: Millis, retryAfter: Millis): void {
    sent.isAnswered = true
    sent.isRefused = true
    const { set, batch, windows } = sent
    const roundTrip = Math.max(0, now - batch.sentAt)
    batch.refused(this.#roundTrips.isKnown() ? this.#excess(set, roundTrip) : roundTrip)
    const blamed = limiterToBlame(sent, now)
    let i = 0
    for (const limiter of set.limiters) {
      limiter.counted(now)
      const window = windows[i++]
      if (window === undefined) continue
      if (limiter === blamed) limiter.refused(window, now, retryAfter)
      else limiter.limit.abandoned(window, now)
    }
    this.#close(batch, now)
    this.#dispatcher.reschedule(set.limiters, now)
  }

  /** Call it once. `isComplete`: the source has ended by itself, so the server no longer works on the request. */
  ended({ set, batch, windows, isAnswered }: Sent, now: Millis, isComplete: boolean): void {
    this.count--
    set.inFlight--
    const arrival = batch.sentAt + Math.max(ARRIVES_WITHIN, set.roundTrips.longest())
    const until = isAnswered ? now : Math.max(now, arrival)
    let i = 0
    for (const limiter of set.limiters) {
      const window = windows[i++]
      if (!isAnswered && window !== undefined) {
        limiter.counted(until)
        limiter.limit.abandoned(window, now)
      }
      limiter.ended(now, isComplete ? now : until)
    }
    if (!isAnswered) {
      batch.lostAfter = Math.max(batch.lostAfter, until - batch.sentAt)
      this.#close(batch, now)
    }
    this.#hasEnded(now)
    this.#dispatcher.changed(set.limiters, now)
  }

  /** How much longer it took than the shortest round trip: of its own kind, once enough of that are known. */
  #excess({ roundTrips }: LimiterSet, roundTrip: Millis): Millis {
    const ofKind = roundTrips.isKnown() ? roundTrips : this.#roundTrips
    return Math.max(0, roundTrip - ofKind.shortest())
  }

  /**
   * Returns the batch that a request leaves with. When many answers are read in one turn, each lets a request go whose
   * bytes leave before the next answer is read: so an answer in between ends a batch that is older than a tick.
   */
  #batchFor({ guards }: LimiterSet, now: Millis): MixedBatch {
    const leaving = this.#leaving
    const isAnswered = this.#isAnswered
    this.#isAnswered = false
    if (leaving !== undefined) {
      if (!isAnswered || now - leaving.sentAt <= TICK) return leaving
      this.#leave(leaving, now)
    }
    const isCold = guards.some((guard) => !guard.isKnown())
    const batch = new MixedBatch(now, isCold)
    this.#leaving = batch
    this.#clock.after(0, () => {
      if (batch.isLeaving) this.#leave(batch, this.#clock.now())
    })
    return batch
  }

  /** The turn of a batch is over: by now its bytes have left. */
  #leave(batch: MixedBatch, now: Millis): void {
    batch.sentAt = now
    batch.isLeaving = false
    this.#leaving = undefined
    // From now on its permits are released by time as well, whenever its answers come.
    for (const { limiters } of batch.sets) this.#dispatcher.reschedule(limiters, now)
    this.#settle(batch, now)
  }

  /** A request of a batch was answered or given up. */
  #close(batch: MixedBatch, now: Millis): void {
    this.#isAnswered ||= batch !== this.#leaving // an answer within the turn of departure shows nothing
    batch.open--
    this.#settle(batch, now)
  }

  /** Once a batch has left and nothing of it is open, its permits may be released sooner than was known. */
  #settle(batch: MixedBatch, now: Millis): void {
    if (batch.open > 0 || batch.isLeaving) return
    const sets = [...batch.sets]
    batch.sets.clear() // guards remember it for a while
    for (const guard of new Set(sets.flatMap(({ guards }) => guards))) guard.settled(batch)
    for (const { limiters } of sets) this.#dispatcher.reschedule(limiters, now)
  }
}

/**
 * The limiter to blame for a refusal, since a server does not tell: the fullest. Among equally full ones it is the one that is
 * shared most widely if requests of several kinds were refused in its window, or else the narrowest. A resource is limited
 * since it was to blame before.
 */
const limiterToBlame = ({ set, windows }: Sent, now: Millis): Limiter | undefined => {
  if (set.isOfResource) return set.limiters.at(-1)
  let blamed: Limiter | undefined
  let most = Number.NEGATIVE_INFINITY
  let blamedSeveral = false
  set.limiters.forEach((limiter, i) => {
    const fullness = limiter.fullness(now)
    const several = windows[i]?.refusesSeveral(set) ?? false
    if (fullness < most) return
    if (fullness === most && blamed !== undefined) {
      const isWider = limiter.sharedBy > blamed.sharedBy
      if ((isWider ? several : blamedSeveral) !== isWider) return
    }
    blamed = limiter
    most = fullness
    blamedSeveral = several
  })
  return blamed
}
