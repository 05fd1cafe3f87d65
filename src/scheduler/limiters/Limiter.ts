import type { Millis } from '../Clock.js'
import type { SendBatch } from '../SendBatch.js'
import type { AdaptiveLimit, RefusalVerdict, SendWindow } from './AdaptiveLimit.js'

/** Decides whether one more request may start: for the requests of one key of a tier. */
export abstract class Limiter {
  /** `undefined` when all requests of the tier share it. */
  readonly key: string | undefined
  readonly limit: AdaptiveLimit
  /** Limiter sets that it belongs to: kinds of requests that share it. */
  sharedBy = 0
  acquiredAt: Millis = 0
  /** State of the dispatcher for this limiter; none before a queue waits for it. */
  parking: object | undefined = undefined
  /** Refusals that it was blamed for. */
  refusals = 0

  constructor(key: string | undefined, limit: AdaptiveLimit) {
    this.key = key
    this.limit = limit
  }

  /** Changes the configured limit, and the window that it counts in. */
  configure(limit: number, window: Millis): void {
    this.limit.configure(limit, window)
  }

  /** Time until one more request may start: 0 for now, `Infinity` for when a request ends. */
  wait(now: Millis): Millis {
    const closed = this.limit.closedFor(now)
    return this.permitsHeld(now) < this.limit.level ? closed : Math.max(closed, this.more(now))
  }

  /** Time until there is more room than now. */
  more(now: Millis): Millis {
    return Math.min(this.releasesAt(), this.limit.probesAt()) - now
  }

  room(now: Millis): number {
    return this.limit.closedFor(now) > 0 ? 0 : Math.max(0, this.limit.level - this.permitsHeld(now))
  }

  acquire(batch: SendBatch, now: Millis): SendWindow {
    this.acquiredAt = now
    this.take(batch)
    return this.limit.sent(now)
  }

  /** A request was refused by this limiter, as far as can be told. */
  refused(window: SendWindow, now: Millis, retryAfter: Millis): RefusalVerdict {
    this.refusals++
    return this.limit.refused(window, now, retryAfter)
  }

  /** The server has counted a request by then. Returns whether a permit may be released sooner than was known. */
  abstract counted(by: Millis): boolean
  /** A request has ended; the server may be at work on it until then. */
  abstract ended(now: Millis, until: Millis): void
  /** Part of the limit that others than a refused request use: the fullest limiter is blamed for the refusal. */
  abstract fullness(now: Millis): number
  /** Releases what is over, and returns the permits held. */
  abstract permitsHeld(now: Millis): number
  /** Permits held. Read-only: inspecting it never releases a permit. */
  abstract used(now: Millis): number

  protected abstract take(batch: SendBatch): void
  /** When the next permit is released; `Infinity` if only an event can tell. */
  protected abstract releasesAt(): Millis
}
