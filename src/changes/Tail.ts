/** The newest charges: how far a poll reads back, and what it found there. */
import { type LedgerRow, PAGE_SIZE, type Seconds } from './Ledger.js'

/** How far a poll reads back from the newest charge; each tenth one reads the whole lookback. */
const SHORT: Seconds = 120
const LONG_EVERY = 10

/** Where nothing is known of it, a page of charges spans a day. */
const PAGE_SPAN: Seconds = 86_400

/** Returns how far the n-th poll reads back, from 0. */
export const tailOf = (poll: number, lookback: Seconds): Seconds =>
  poll % LONG_EVERY === 0 ? lookback : Math.min(SHORT, lookback)

/** Result of the pages of the newest charges. */
export class Tail {
  newest: Seconds = Number.NEGATIVE_INFINITY
  #oldest: Seconds = Number.POSITIVE_INFINITY
  #rows = 0
  #last: Seconds = Number.NEGATIVE_INFINITY
  #isRising = true

  add(rows: ReadonlyArray<LedgerRow<unknown>>): void {
    this.#rows += rows.length
    for (const { created } of rows) {
      if (created < this.#last) this.#isRising = false
      this.#last = created
      this.newest = Math.max(this.newest, created)
      this.#oldest = Math.min(this.#oldest, created)
    }
  }

  /** All charges created before were shown, if the list is in rising order: that is not specified. */
  get rising(): Seconds | undefined {
    return this.#isRising && this.newest > this.#oldest ? this.newest : undefined
  }

  /** The time that a page of charges spans. */
  get pageSpan(): Seconds {
    const span = this.newest - this.#oldest
    return this.#rows > 1 && span > 0 ? (span / this.#rows) * PAGE_SIZE : PAGE_SPAN
  }
}
