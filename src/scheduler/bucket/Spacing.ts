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
import { FORGOTTEN } from '../ceiling/Ceiling.js'

export interface Spacing {
  /** One leaves. */
  readonly entered: (departed: Millis) => void
  /** One was let in. All times are those of its departure. */
  readonly accepted: (departed: Millis) => void
  readonly refused: (departed: Millis) => void
  /** When the next may leave; long ago while nothing tells of a longer window. */
  readonly opens: () => Millis
  /** Whether nothing would be lost if it were forgotten. */
  readonly idle: (now: Millis) => boolean
}

/** So many times running one was let in only after others had been refused: no bad luck. */
const ENOUGH = 4
/** Where the first of those refused came later than so many windows, it was not refused for the one before it. */
const RELATED = 4
/** It is not looked for more exactly than this part of a window. */
const EXACT = 1 / 100
/** When what was let in before is refused, a little more is tried, and then twice as much: so often, then all is forgotten. */
const MISSES = 5
/** Let in until a shorter one is tried: at first, and at most, when that was refused. */
const EVERY = 2
const EVERY_MOST = 64

export const spacing = (per: Millis): Spacing => new Found(per)

class Found implements Spacing {
  private readonly per: Millis
  private readonly exact: Millis
  private last: Millis = Number.NEGATIVE_INFINITY // that was let in
  private left: Millis = Number.NEGATIVE_INFINITY // the last that is under way, or was let in
  private refusals = 0 // since one was let in
  private related = false // whether the first of those may tell of a longer window
  private suspicion = 0
  private low: Millis // refused
  private found: Millis = Number.POSITIVE_INFINITY // the shortest that was let in, while it is suspected
  private high: Millis | undefined = undefined // let in
  private misses = 0
  private every = EVERY
  private successes = 0
  private trying = false // a shorter one than was refused before

  constructor(per: Millis) {
    this.per = per
    this.exact = Math.max(TICK, EXACT * per)
    this.low = per
  }

  entered(departed: Millis): void {
    this.left = Math.max(this.left, departed)
  }

  accepted(departed: Millis): void {
    const apart = departed - this.last
    if (apart < 0) return
    if (this.high === undefined) this.suspect(apart)
    else if (this.refusals === 0) this.confirm(apart, this.high)
    this.refusals = 0
    this.misses = 0
    this.last = departed
    this.left = Math.max(this.left, departed)
  }

  refused(departed: Millis): void {
    const apart = departed - this.last
    if (departed >= this.left) this.left = this.last
    if (apart < 0) return
    if (this.refusals === 0) this.related = apart < RELATED * this.per
    this.refusals++
    const { high } = this
    if (high === undefined) {
      this.low = apart
    } else if (apart >= high) {
      this.misses++
      if (this.misses > MISSES) this.forget()
      else this.high = high + this.exact * 2 ** this.misses
      this.low = high
      this.trying = false
    } else if (this.trying) {
      this.low = high - this.exact
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
    return this.left + (settled ? high : (low + high) / 2)
  }

  idle(now: Millis): boolean {
    const unused = now - this.last
    return (this.high === undefined && this.suspicion === 0) || unused > FORGOTTEN * this.per
  }

  private forget(): void {
    this.high = undefined
    this.suspicion = 0
    this.found = Number.POSITIVE_INFINITY
    this.misses = 0
    this.trying = false
  }

  private suspect(apart: Millis): void {
    if (this.refusals === 0 || !this.related) {
      this.forget()
      return
    }
    this.suspicion++
    this.found = Math.min(this.found, apart)
    if (this.suspicion < ENOUGH) return
    this.high = this.found
    this.low = Math.min(this.low, this.high)
    this.successes = 0
  }

  private confirm(apart: Millis, before: Millis): void {
    const high = Math.max(this.per, Math.min(before, apart))
    this.high = high
    if (high - this.per <= this.exact) {
      this.forget() // a window is as long as it says
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
