import { type Clock, type Millis, TICK } from './Clock.js'
import type { Dispatcher } from './Dispatcher.js'
import { RoundTrips } from './JitterGuard.js'
import type { LimiterSet } from './LimiterSet.js'
import type { Limiter } from './limiters/Limiter.js'
import type { Resources, SentRequest } from './Resources.js'
import { SendBatch } from './SendBatch.js'

/** One request in flight. */
export interface Sent extends SentRequest {
  readonly batch: MixedBatch
  isAnswered: boolean
  isRefused: boolean
}

/** A batch together with the kinds of requests in it. */
class MixedBatch extends SendBatch {
  readonly sets = new Set<LimiterSet>()
}

/**
 * Time after its start, or after the longest recent round trip, within which a request without a response has certainly
 * arrived.
 */
const ARRIVES_WITHIN: Millis = 1_000

/** The requests in flight. Takes permits for them, and reports their outcomes to limiters and guards. */
export class InFlight {
  count = 0
  /** Number of requests sent so far, including retries. */
  sent = 0
  readonly #clock: Clock
  readonly #dispatcher: Dispatcher
  readonly #resources: Resources
  readonly #hasEnded: (now: Millis) => void
  readonly #roundTrips = new RoundTrips()
  #leaving: MixedBatch | undefined
  /** True if a response has been read since the last request was sent. */
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

  /** Records a refusal. `retryAfter`: the delay requested by the server, in ms; 0 for none. */
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

  /** Records a request's end, once. `isComplete`: the source has completed, so the server no longer works on the request. */
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

  /** Returns how much longer a round trip took than the shortest one: the shortest of its own kind, once enough are known. */
  #excess({ roundTrips }: LimiterSet, roundTrip: Millis): Millis {
    const ofKind = roundTrips.isKnown() ? roundTrips : this.#roundTrips
    return Math.max(0, roundTrip - ofKind.shortest())
  }

  /**
   * Returns the batch in which a request leaves. If many responses are read in one turn, each may start a request whose bytes
   * leave before the next response is read. A response in between therefore closes a batch that is older than a tick.
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

  /** Marks a batch as sent. Its turn is over, so its bytes have left. */
  #leave(batch: MixedBatch, now: Millis): void {
    batch.sentAt = now
    batch.isLeaving = false
    this.#leaving = undefined
    // From now on its permits are also released by time, regardless of when its responses arrive.
    for (const { limiters } of batch.sets) this.#dispatcher.reschedule(limiters, now)
    this.#settle(batch, now)
  }

  /** Records that a request of a batch was answered or abandoned. */
  #close(batch: MixedBatch, now: Millis): void {
    this.#isAnswered ||= batch !== this.#leaving // a response within the turn of departure proves nothing
    batch.open--
    this.#settle(batch, now)
  }

  /** Releases the permits of a batch sooner, if possible, once it has been sent and none of its requests is still open. */
  #settle(batch: MixedBatch, now: Millis): void {
    if (batch.open > 0 || batch.isLeaving) return
    const sets = [...batch.sets]
    batch.sets.clear() // guards remember it for some time
    for (const guard of new Set(sets.flatMap(({ guards }) => guards))) guard.settled(batch)
    for (const { limiters } of sets) this.#dispatcher.reschedule(limiters, now)
  }
}

/**
 * Returns the limiter to blame for a refusal, because a server does not name it: the fullest one. If several are equally full,
 * the most widely shared one is blamed if requests of several kinds were refused in its window, otherwise the narrowest. A
 * resource only has a limiter because it was blamed before.
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
