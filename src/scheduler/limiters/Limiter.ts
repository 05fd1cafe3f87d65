import type { Millis } from '../Clock.js'
import type { SendBatch } from '../SendBatch.js'
import type { AdaptiveLimit, RefusalVerdict, SendWindow } from './AdaptiveLimit.js'

/** Decides whether one more request may start, for the requests of one key of a tier. */
export abstract class Limiter {
  /** The key; `undefined` if all requests of the tier share the limiter. */
  readonly key: string | undefined
  readonly limit: AdaptiveLimit
  /** Limiter sets that it belongs to, one for each kind of request. */
  sharedBy = 0
  acquiredAt: Millis = 0
  /** The dispatcher's state for this limiter; none before a queue waits for it. */
  parking: object | undefined = undefined
  /** Number of refusals attributed to it. */
  refusals = 0

  constructor(key: string | undefined, limit: AdaptiveLimit) {
    this.key = key
    this.limit = limit
  }

  /** Changes the configured limit and its window. */
  configure(limit: number, window: Millis): void {
    this.limit.configure(limit, window)
  }

  /** Returns the time until one more request may start: 0 for now, `Infinity` if a request has to end first. */
  wait(now: Millis): Millis {
    const closed = this.limit.closedFor(now)
    return this.permitsHeld(now) < this.limit.level ? closed : Math.max(closed, this.more(now))
  }

  /** Returns the time until there is more room than now. */
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

  /** Records a refusal, most likely by this limiter. */
  refused(window: SendWindow, now: Millis, retryAfter: Millis): RefusalVerdict {
    this.refusals++
    return this.limit.refused(window, now, retryAfter)
  }

  /** Records that the server has counted a request by then. Returns true if a permit may be released sooner than expected. */
  abstract counted(by: Millis): boolean
  /** Records that a request has ended. The server may work on it until `until`. */
  abstract ended(now: Millis, until: Millis): void
  /** Returns the share of the limit that requests other than the refused one use. The fullest limiter gets the blame. */
  abstract fullness(now: Millis): number
  /** Releases expired permits, and returns the number held. */
  abstract permitsHeld(now: Millis): number
  /** Returns the number of permits held. Read-only: inspecting it never releases a permit. */
  abstract used(now: Millis): number

  protected abstract take(batch: SendBatch): void
  /** Returns the time when the next permit is released; `Infinity` if only an event can show that. */
  protected abstract releasesAt(): Millis
}
