import type { Millis } from '../Clock.js'
import type { SendBatch } from '../SendBatch.js'
import type { AdaptiveLimit, RefusalVerdict, SendWindow } from './AdaptiveLimit.js'

/** Decides, for the requests of one key of a tier, whether one more may start. */
export abstract class Limiter {
  /** The key; `undefined` if all requests of the tier share the limiter. */
  readonly key: string | undefined
  readonly limit: AdaptiveLimit
  /** Number of limiter sets that it belongs to, one for each kind of request. */
  sharedBy = 0
  acquiredAt: Millis = 0
  /** The dispatcher's state for this limiter; undefined until a queue waits for it. */
  parking: object | undefined = undefined
  /** Number of refusals attributed to it. */
  refusals = 0

  constructor(key: string | undefined, limit: AdaptiveLimit) {
    this.key = key
    this.limit = limit
  }

  configure(limit: number, window: Millis): void {
    this.limit.configure(limit, window)
  }

  /** Returns the time until one more request may start: 0 for now, `Infinity` if a request must end first. */
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

  /** Records a refusal that this limiter most likely caused. */
  refused(window: SendWindow, now: Millis, retryAfter: Millis): RefusalVerdict {
    this.refusals++
    return this.limit.refused(window, now, retryAfter)
  }

  /** Records that the server has counted a request by `by`. Returns true if a permit may be released sooner than expected. */
  abstract counted(by: Millis): boolean
  /** Records that a request has ended. The server may work on it until `until`. */
  abstract ended(now: Millis, until: Millis): void
  /** Returns the share of the limit that is used, not counting the refused request. The fullest limiter is blamed. */
  abstract fullness(now: Millis): number
  /** Releases expired permits, and returns the number held. */
  abstract permitsHeld(now: Millis): number
  /** Returns the number of permits held. Read-only: it never releases a permit. */
  abstract used(now: Millis): number

  protected abstract take(batch: SendBatch): void
  /** Returns the time at which the next permit is released; `Infinity` if that depends on an event. */
  protected abstract releasesAt(): Millis
}
