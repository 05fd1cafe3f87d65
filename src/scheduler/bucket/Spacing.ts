/**
 * ```ts
 * const spacing: (per: Millis) => Spacing
 * ```
 *
 * How far apart requests have to be where one a window is too many: a limit cannot be less than one place, but its
 * window can be longer than it says. Found between what was refused and what was let in, and tried again later.
 *
 *     real window     |----------------|
 *     refused         |---------->
 *     let in          |------------------->
 *     tried next      |--------------->
 */
import { type Millis, TICK } from '../Clock.js'

export interface Spacing {
  /** One was let in. All times are those of its departure. */
  readonly accepted: (departed: Millis) => void
  readonly refused: (departed: Millis) => void
  /** When the next may leave; long ago while nothing tells of a longer window. */
  readonly opens: () => Millis
  /** Whether nothing would be lost if it were forgotten. */
  readonly idle: (now: Millis) => boolean
}

/** So many refusals, with no more than one that was let in between them, are no bad luck. */
const ENOUGH = 2
/** It is not looked for more exactly than this part of a window. */
const EXACT = 1 / 100
/** Let in until a shorter one is tried: at first, and at most, when that was refused. */
const EVERY = 8
const EVERY_MOST = 64
/** After so many windows without a request, what was learned does not matter. */
const FORGOTTEN = 60

export const spacing = (per: Millis): Spacing => new Found(per)

class Found implements Spacing {
  private readonly per: Millis
  private readonly exact: Millis
  private last: Millis = Number.NEGATIVE_INFINITY // that was let in
  private refusals = 0 // since then
  private suspicion = 0
  private low: Millis // refused
  private high: Millis | undefined = undefined // let in
  private every = EVERY
  private successes = 0
  private trying = false // a shorter one than was refused before

  constructor(per: Millis) {
    this.per = per
    this.exact = Math.max(TICK, EXACT * per)
    this.low = per
  }

  accepted(departed: Millis): void {
    const apart = departed - this.last
    if (this.high === undefined) this.suspect(apart)
    else if (this.refusals === 0) this.confirm(apart, this.high)
    this.refusals = 0
    this.last = Math.max(this.last, departed)
  }

  refused(departed: Millis): void {
    const apart = departed - this.last
    this.refusals++
    if (this.high === undefined) {
      this.low = apart
    } else if (apart >= this.high) {
      this.low = apart // longer still: to be found again
      this.high = undefined
      this.suspicion = ENOUGH
    } else if (this.trying) {
      this.low = this.high - this.exact
      this.every = Math.min(EVERY_MOST, 2 * this.every)
      this.trying = false
    } else {
      this.low = Math.max(this.low, apart)
    }
  }

  opens(): Millis {
    const { high, low } = this
    if (high === undefined) return Number.NEGATIVE_INFINITY
    const settled = this.refusals > 0 || high - low <= this.exact
    return this.last + (settled ? high : (low + high) / 2)
  }

  idle(now: Millis): boolean {
    const unused = now - this.last
    return (this.high === undefined && this.suspicion === 0) || unused > FORGOTTEN * this.per
  }

  private suspect(apart: Millis): void {
    this.suspicion = this.refusals === 0 ? 0 : this.suspicion + this.refusals
    if (this.suspicion < ENOUGH || apart === Number.POSITIVE_INFINITY) return
    this.high = apart
    this.successes = 0
  }

  private confirm(apart: Millis, before: Millis): void {
    const high = Math.max(this.per, Math.min(before, apart))
    this.high = high
    if (high - this.per <= this.exact) {
      this.high = undefined // a window is as long as it says
      this.suspicion = 0
      this.trying = false
    } else if (this.trying) {
      if (high < before) this.every = EVERY
    } else {
      this.successes++
      if (this.successes < this.every) return
      this.successes = 0
      this.trying = true
      this.low = this.per
    }
  }
}
