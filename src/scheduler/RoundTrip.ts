/**
 * ```ts
 * const roundTrip: () => RoundTrip
 * ```
 *
 * How long answers take: the shortest and the longest of late, so that a change of network is
 * forgotten after a while.
 */
import type { Millis } from './Clock.js'

export interface RoundTrip {
  readonly add: (roundTrip: Millis) => void
  /** 0 before there are enough answers to tell. */
  readonly shortest: () => Millis
  /** 0 before the first answer. */
  readonly longest: () => Millis
}

/** Fewer than these do not tell what is shortest. */
const FEW = 8
/** Of so many answers at least, and of twice as many at most. */
const GENERATION = 256
/** What takes longer has run into a time limit: it says nothing of how long a server is at work. */
const LONGEST: Millis = 10_000

/** Longer than any. A whole number, as the others are: a fraction, or Infinity, takes memory of its own. */
const NONE: Millis = 2 ** 30

export const roundTrip = (): RoundTrip => new Generations()

class Generations implements RoundTrip {
  private count = 0
  private enough = false
  private least: Millis = NONE
  private leastBefore: Millis = NONE
  private most: Millis = 0
  private mostBefore: Millis = 0

  add(value: Millis): void {
    if (this.count === GENERATION) this.next()
    this.count++
    if (this.count >= FEW) this.enough = true
    if (value < this.least) this.least = value
    if (value > this.most) this.most = Math.min(value, LONGEST)
  }

  shortest(): Millis {
    return this.enough ? Math.min(this.least, this.leastBefore) : 0
  }

  longest(): Millis {
    return Math.max(this.most, this.mostBefore)
  }

  private next(): void {
    this.leastBefore = this.least
    this.mostBefore = this.most
    this.least = NONE
    this.most = 0
    this.count = 0
  }
}
