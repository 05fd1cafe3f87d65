import { type Clock, type Millis, TICK } from './Clock.js'
import type { Dispatcher } from './Dispatcher.js'
import { type LimiterSet, RoundTrips } from './LimiterSet.js'
import type { SendWindow } from './limiters/AdaptiveLimit.js'
import type { Limiter } from './limiters/Limiter.js'
import { SendBatch } from './SendBatch.js'

/** One request under way. */
export interface Sent {
  readonly set: LimiterSet
  readonly batch: SendBatch
  /** One for each limiter. */
  readonly windows: ReadonlyArray<SendWindow>
  readonly startedAt: Millis
  /** Whether it was let in or refused. */
  isAnswered: boolean
}

/** A request that gets no answer has arrived so long after its start, or after the longest round trip of late. */
const ARRIVES_WITHIN: Millis = 1_000

/** Requests under way: takes their permits, and tells limiters and guards what became of them. */
export class InFlight {
  count = 0
  /** Requests sent so far, retries included. */
  sent = 0
  private readonly clock: Clock
  private readonly dispatcher: Dispatcher
  private readonly hasEnded: (now: Millis) => void
  /** Of all requests. */
  private readonly roundTrips = new RoundTrips()
  /** The batch that leaves in this turn. */
  private leaving: SendBatch | undefined
  /** Whether an answer was read since the last request left. */
  private isAnswered = false
  /** Batches that are not settled, with the limiters of their requests. */
  private readonly batches = new Map<SendBatch, Set<LimiterSet>>()

  constructor(clock: Clock, dispatcher: Dispatcher, hasEnded: (now: Millis) => void) {
    this.clock = clock
    this.dispatcher = dispatcher
    this.hasEnded = hasEnded
  }

  send(set: LimiterSet, now: Millis): Sent {
    this.count++
    this.sent++
    set.inFlight++
    const batch = this.batchFor(set, now)
    batch.open++
    const windows = set.limiters.map((limiter) => limiter.acquire(batch, now))
    return { set, batch, windows, startedAt: now, isAnswered: false }
  }

  accepted(sent: Sent, now: Millis): void {
    if (sent.isAnswered) return
    sent.isAnswered = true
    const { set, batch, windows } = sent
    const roundTrip = Math.max(0, now - batch.sentAt)
    set.roundTrips.add(roundTrip)
    this.roundTrips.add(roundTrip)
    const excess = this.excess(set, roundTrip)
    batch.answered(roundTrip, excess, this.isKnown(set) ? excess : roundTrip)
    let isShorter = false
    for (const guard of set.guards)
      isShorter = guard.answered(batch, roundTrip, excess) || isShorter
    let isSooner = false
    set.limiters.forEach((limiter, i) => {
      isSooner = limiter.counted(now) || isSooner
      const window = windows[i]
      if (window !== undefined) limiter.limit.accepted(window, now)
    })
    this.close(batch, now)
    if (isShorter) this.dispatcher.reschedule(now)
    else if (isSooner) this.dispatcher.reschedule(now, set.limiters)
  }

  /** `retryAfter`: what the server says, in ms; 0 for nothing. */
  refused(sent: Sent, now: Millis, retryAfter: Millis): void {
    if (sent.isAnswered) return
    sent.isAnswered = true
    const { set, batch, windows } = sent
    const roundTrip = Math.max(0, now - batch.sentAt)
    batch.refusedAfter(this.isKnown(set) ? this.excess(set, roundTrip) : roundTrip)
    const blamed = limiterToBlame(sent, now)
    set.limiters.forEach((limiter, i) => {
      limiter.counted(now)
      const window = windows[i]
      if (window === undefined) return
      if (limiter !== blamed) {
        limiter.limit.abandoned(window, now)
        return
      }
      limiter.refusals++
      limiter.refused(window, now, retryAfter)
    })
    this.close(batch, now)
    this.dispatcher.reschedule(now, set.limiters)
  }

  /** Call it once. `isComplete`: the source has ended by itself, so the server no longer works on the request. */
  ended(sent: Sent, now: Millis, isComplete: boolean): void {
    const { set, batch, windows, startedAt, isAnswered } = sent
    this.count--
    set.inFlight--
    const arrival = startedAt + Math.max(ARRIVES_WITHIN, set.roundTrips.longest())
    const until = isAnswered ? now : Math.max(now, arrival)
    set.limiters.forEach((limiter, i) => {
      const window = windows[i]
      if (!isAnswered) {
        limiter.counted(until)
        if (window !== undefined) limiter.limit.abandoned(window, now)
      }
      limiter.ended(now, isComplete ? now : until)
    })
    if (!isAnswered) {
      batch.lostAfter = Math.max(batch.lostAfter, until - batch.sentAt)
      this.close(batch, now)
    }
    this.hasEnded(now)
    this.dispatcher.changed(set.limiters, now)
  }

  /** Whether the shortest round trip is known. Until then a request may have arrived just before its answer. */
  private isKnown(set: LimiterSet): boolean {
    return set.roundTrips.isKnown || this.roundTrips.isKnown
  }

  /** How much longer it took than the shortest round trip: of its own kind, once enough of that are known. */
  private excess({ roundTrips }: LimiterSet, roundTrip: Millis): Millis {
    const shortest = roundTrips.isKnown ? roundTrips.shortest() : this.roundTrips.shortest()
    return Math.max(0, roundTrip - shortest)
  }

  /**
   * Returns the batch that a request leaves with. When many answers are read in one turn, each lets a request go whose
   * bytes leave before the next answer is read: so an answer in between ends a batch that is older than a tick.
   */
  private batchFor(set: LimiterSet, now: Millis): SendBatch {
    const { leaving, isAnswered } = this
    this.isAnswered = false
    if (leaving !== undefined && (!isAnswered || now - leaving.sentAt <= TICK)) {
      this.batches.get(leaving)?.add(set)
      return leaving
    }
    if (leaving !== undefined) this.leave(leaving, now)
    const batch = new SendBatch(
      now,
      set.guards.some((guard) => !guard.isKnown()),
    )
    this.leaving = batch
    this.batches.set(batch, new Set([set]))
    this.clock.after(0, () => {
      if (batch.isLeaving) this.leave(batch, this.clock.now())
    })
    return batch
  }

  /** The turn of a batch is over: by now its bytes have left. */
  private leave(batch: SendBatch, now: Millis): void {
    batch.sentAt = now
    batch.isLeaving = false
    this.leaving = undefined
    this.settle(batch, now)
  }

  /** A request of a batch was answered or given up. */
  private close(batch: SendBatch, now: Millis): void {
    this.isAnswered ||= batch !== this.leaving // an answer within the turn of departure shows nothing
    batch.open--
    this.settle(batch, now)
  }

  /** Once a batch has left and nothing of it is open, its permits may be released sooner than was known. */
  private settle(batch: SendBatch, now: Millis): void {
    if (batch.open > 0 || batch.isLeaving) return
    const sets = [...(this.batches.get(batch) ?? [])]
    this.batches.delete(batch)
    for (const guard of new Set(sets.flatMap(({ guards }) => guards))) guard.settled(batch)
    for (const { limiters } of sets) this.dispatcher.reschedule(now, limiters)
  }
}

/**
 * The limiter to blame for a refusal, since a server does not tell: the fullest. Of equally full ones the one that is
 * shared most widely if requests of several kinds were refused in its window, or else the narrowest.
 */
const limiterToBlame = ({ set, windows }: Sent, now: Millis): Limiter | undefined => {
  let blamed: Limiter | undefined
  let most = Number.NEGATIVE_INFINITY
  set.limiters.forEach((limiter, i) => {
    const fullness = limiter.fullness(now)
    limiter.noteRefusal(set, windows[i])
    if (fullness < most) return
    if (fullness === most && blamed !== undefined) {
      const isWider = limiter.sharedBy > blamed.sharedBy
      const wide = isWider ? limiter : blamed
      if (wide.refusesSeveral !== isWider) return
    }
    blamed = limiter
    most = fullness
  })
  return blamed
}
