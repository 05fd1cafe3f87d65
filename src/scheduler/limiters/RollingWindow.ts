import { is, type OptionRule } from '../../options/index.js'
import { type Millis, TICK } from '../Clock.js'
import type { JitterGuard } from '../JitterGuard.js'
import type { SendBatch } from '../SendBatch.js'
import type { AdaptiveLimit, RefusalVerdict, SendWindow } from './AdaptiveLimit.js'
import { Limiter } from './Limiter.js'

/**
 * Time for which a permit is held beyond the window after sending: learned from responses (`'learned'`), until a window after the
 * response (`'safe'`), or a fixed number of milliseconds.
 */
export type Guard = 'learned' | 'safe' | Millis

export const guardRule: OptionRule<Guard> = {
  accepts: (u) => u === 'learned' || u === 'safe' || is.finiteMillis.accepts(u),
  expected: "'learned', 'safe' or milliseconds",
}

/** The guard in use: the learned guard of this window, or the given one. */
export type RateGuard = JitterGuard | 'safe' | Millis

/** Permits that are released together: those of one batch or, with `'safe'`, those whose responses arrived at the same time. */
interface HeldPermits {
  readonly batch: SendBatch | undefined
  /** With `'safe'`: the time by which the server has counted the requests. */
  readonly countedBy: Millis
  count: number
}

/**
 * At most `limit` requests in any rolling window, as counted by the server.
 *
 * The server counts arrivals, but we only see departures and responses. A permit is therefore released when the response proves
 * that the arrival has left the window, or a window and a guard after departure, whichever comes first. A refused request has
 * used its permit, because the API counts all requests.
 *
 *     departure       |-- way there --> arrival       answer
 *     'safe'                                            |------ window ------> released
 *     milliseconds    |------ window ------|guard> released
 *     'learned'       |------ window ------|guard> released
 */
export class RollingWindow extends Limiter {
  #per: Millis
  readonly #guard: RateGuard
  readonly #permits: Array<HeldPermits> = []
  #count = 0

  constructor(key: string | undefined, limit: AdaptiveLimit, per: Millis, guard: RateGuard) {
    super(key, limit)
    this.#per = per
    this.#guard = guard
  }

  override configure(limit: number, window: Millis): void {
    super.configure(limit, window)
    this.#per = window
  }

  counted(by: Millis): boolean {
    if (this.#guard !== 'safe') return false
    const at = this.#permits.findLastIndex(({ countedBy }) => countedBy <= by) // they arrive nearly in order
    const before = this.#permits[at]
    if (before?.countedBy === by) before.count++
    else this.#permits.splice(at + 1, 0, { batch: undefined, countedBy: by, count: 1 })
    return true
  }

  ended(): void {}

  override refused(window: SendWindow, now: Millis, retryAfter: Millis): RefusalVerdict {
    const verdict = super.refused(window, now, retryAfter)
    if (verdict === 'chance' && typeof this.#guard === 'object') this.#guard.refused(now)
    return verdict
  }

  fullness(now: Millis): number {
    return this.permitsHeld(now) / this.limit.level
  }

  permitsHeld(now: Millis): number {
    for (let first = this.#permits[0]; first !== undefined; first = this.#permits[0]) {
      if (this.#releaseOf(first) > now) break
      this.#count -= first.count
      this.#permits.shift()
    }
    return this.#count
  }

  used(now: Millis): number {
    let count = this.#count
    for (const permits of this.#permits) {
      if (this.#releaseOf(permits) > now) break
      count -= permits.count
    }
    return count
  }

  protected take(batch: SendBatch): void {
    this.#count++
    if (this.#guard === 'safe') return
    const last = this.#permits.at(-1)
    if (last?.batch === batch) last.count++
    else this.#permits.push({ batch, countedBy: 0, count: 1 })
  }

  protected releasesAt(): Millis {
    const first = this.#permits[0]
    return first === undefined ? Number.POSITIVE_INFINITY : this.#releaseOf(first)
  }

  #releaseOf({ batch, countedBy }: HeldPermits): Millis {
    if (batch === undefined) return countedBy + this.#per + TICK
    // its bytes do not leave until its turn is over, however long that takes
    if (batch.isLeaving) return Number.POSITIVE_INFINITY
    const margin = typeof this.#guard === 'object' ? this.#guard.after(batch) : Number(this.#guard)
    return batch.sentAt + this.#per + margin
  }
}
