import type { Millis } from '../Clock.js'
import { Limiter } from './Limiter.js'

/** At most `limit` requests in flight. An aborted request keeps its permit until the server is certainly done with it. */
export class ConcurrencyLimit extends Limiter {
  #count = 0
  /** Times at which the permits of aborted requests are released, earliest first. */
  readonly #lingering: Array<Millis> = []

  counted(): boolean {
    return false
  }

  ended(now: Millis, until: Millis): void {
    if (until <= now) {
      this.#count--
      return
    }
    const at = this.#lingering.findLastIndex((other) => other <= until)
    this.#lingering.splice(at + 1, 0, until)
  }

  /** Excludes the request itself, because its own permit cannot be the reason for its refusal. */
  fullness(now: Millis): number {
    return (this.permitsHeld(now) - 1) / this.limit.level
  }

  permitsHeld(now: Millis): number {
    while (this.releasesAt() <= now) {
      this.#lingering.shift()
      this.#count--
    }
    return this.#count
  }

  used(now: Millis): number {
    return this.#count - this.#lingering.filter((until) => until <= now).length
  }

  protected take(): void {
    this.#count++
  }

  protected releasesAt(): Millis {
    return this.#lingering[0] ?? Number.POSITIVE_INFINITY
  }
}
