import type { Millis } from '../Clock.js'
import type { SendBatch } from '../SendBatch.js'
import type { SendWindow } from './AdaptiveLimit.js'
import { Limiter } from './Limiter.js'

/**
 * At most `limit` requests under way. A request that is aborted keeps its permit until the server has surely finished
 * its work on it.
 */
export class ConcurrencyLimit extends Limiter {
  private count = 0
  /** When permits of aborted requests are released, earliest first. */
  private readonly lingering: Array<Millis> = []

  /** A request has a permit itself, which is not the reason why it was refused. */
  fullness(now: Millis): number {
    return (this.held(now) - 1) / this.limit.level
  }

  used(now: Millis): number {
    return this.count - this.lingering.filter((until) => until <= now).length
  }

  acquire(_: SendBatch, now: Millis): SendWindow {
    this.count++
    this.acquiredAt = now
    return this.limit.sent(now)
  }

  counted(): boolean {
    return false
  }

  ended(now: Millis, until: Millis): void {
    if (until <= now) {
      this.count--
      return
    }
    let at = this.lingering.length
    while (at > 0 && (this.lingering[at - 1] ?? 0) > until) at--
    this.lingering.splice(at, 0, until)
  }

  refused(window: SendWindow, now: Millis, retryAfter: Millis): void {
    this.limit.refused(window, now, retryAfter)
  }

  held(now: Millis): number {
    while ((this.lingering[0] ?? Number.POSITIVE_INFINITY) <= now) {
      this.lingering.shift()
      this.count--
    }
    return this.count
  }

  protected releasesAt(): Millis {
    return this.lingering[0] ?? Number.POSITIVE_INFINITY
  }
}
