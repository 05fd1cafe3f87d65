/**
 * ```ts
 * const ceiling: (limit: number, per: Millis) => Ceiling
 * ```
 *
 * How much of a limit can be used. The server may allow less than it says, or somebody else may use
 * the same quota: bursts of refusals in two windows running stop the bucket for a window, after which it
 * goes on with what was let in meanwhile, and probes back up.
 *
 *     refused      |||||
 *     limit     20 |--- 0 ---| 10 ------- 11 -- 13 -- 17 -- 20
 */
import { type Millis, TICK } from './Clock.js'

export interface Ceiling {
  /** How many places there are at present. */
  readonly limit: (now: Millis) => number
  /** Until the cool-down is over; 0 when there is none. */
  readonly wait: (now: Millis) => Millis
  readonly accepted: (now: Millis) => void
  /** True if it was one of a burst. `room`: the most that there can be room for, if that is known. */
  readonly refused: (departed: Millis, now: Millis, retryAfter: Millis, room?: number) => boolean
  /**
   * Instead, where it is sent again at once. True if that is to be done: nothing tells of a lower limit, and
   * few were refused. It counts as one only when it is refused again.
   */
  readonly spare: (departed: Millis, now: Millis) => boolean
  /** When more may be allowed without anybody asking: `Infinity` when all of it is. */
  readonly raised: () => Millis
  /** Nothing is known but the configured limit, or it was learned too long ago to matter. */
  readonly full: (now: Millis) => boolean
}

/** A burst is this share of the limit refused within a window, and at least `FEW`. */
const BURST = 0.5
const FEW = 3
/** So many limits refused in a row are no accident, even in one window. */
const HOPELESS = 3
/** Many single refusals tell the same: so many, and so many for a place, in some of `LONG` windows. */
const CHRONIC = 4
const CHRONIC_EACH = 0.2
/** Where none is refused by chance. */
const SURE_EACH = 0.08
const CHRONIC_WINDOWS = 3
const LONG = 10
/** One that is refused came too early. So would the next: it waits for so long, and twice as long each time. */
const PAUSE: Millis = 4 * TICK
/** Windows until all of the limit is tried once more. */
const SECOND = 2
/** Windows from one probe to the next: at first, and when probes were refused. */
const PROBE = 5
const PROBE_MOST = 60
/** A whole number, as the others are: Infinity takes memory of its own. */
const NO_BOUND = 2 ** 30
/** The longest cool-down when nothing at all is let in, milliseconds. */
const COOL_MOST: Millis = 16_000

/** `byChance`: whether a few are refused by the chance of a network. */
export const ceiling = (most: number, per: Millis, byChance = true): Ceiling =>
  new Found(most, per, byChance)

class Found implements Ceiling {
  private readonly most: number
  private readonly per: Millis
  private readonly each: number
  private current: number
  private cooling = false
  private closedUntil: Millis = 0
  private windowEnd: Millis = 0
  private letIn = 0 // in the present window, or since it began to cool
  private room = NO_BOUND // as those tell that were refused in the present window, or since it began to cool
  private spares = 0 // in the present window
  private row = 0 // refused since the last that was let in
  private pauses = 0
  private barren = 0 // cool-downs in a row without one request let in
  private refusals = 0
  private pausedAt: Millis = 0
  private chronic = 0
  private chronicWindows = 0
  private chronicEnd: Millis = 0
  private excused: Millis = -1 // the end of the window whose burst was an accident
  private excusedAt: Millis = 0 // what left before that was known is of it
  private watchUntil: Millis = 0 // another one until then is none
  private probeAt = Number.POSITIVE_INFINITY
  private every = PROBE
  private step = 1
  private before: number // the limit before the last probe
  private onTrial = Number.NEGATIVE_INFINITY // a probe is judged until then

  constructor(most: number, per: Millis, byChance: boolean) {
    this.each = byChance ? CHRONIC_EACH : SURE_EACH
    this.most = most
    this.per = per
    this.current = most
    this.before = most
  }

  limit(now: Millis): number {
    if (this.current < this.most || this.cooling) this.turn(now)
    return this.current
  }

  wait(now: Millis): Millis {
    return Math.max(0, this.closedUntil - now)
  }

  accepted(now: Millis): void {
    if (now >= this.windowEnd || this.cooling) this.turn(now)
    this.letIn++
    this.row = 0
    this.pauses = 0
  }

  refused(departed: Millis, now: Millis, retryAfter: Millis, room = NO_BOUND): boolean {
    this.turn(now)
    if (room < this.room) this.room = room
    this.row++
    if (departed >= this.excusedAt || now < this.excused) this.count()
    if (this.cooling) return true
    this.pause(departed, now)
    const { current } = this
    if (now < this.onTrial) {
      this.every = Math.min(PROBE_MOST, this.every * 2)
      this.lower(this.before, now)
      return false
    }
    if (this.refusals >= Math.max(FEW, BURST * current) || this.row >= Math.max(FEW, current)) {
      return this.burst(departed, now, retryAfter)
    }
    if (
      current < Number.POSITIVE_INFINITY &&
      this.chronic >= CHRONIC + this.each * current &&
      this.chronicWindows >= CHRONIC_WINDOWS
    ) {
      this.lower(current - Math.max(1, Math.round(this.chronic / this.chronicWindows)), now)
    }
    return false
  }

  spare(departed: Millis, now: Millis): boolean {
    this.turn(now)
    const lower = this.chronicWindows > 1 || this.current < this.most || this.cooling
    const tried =
      now < Math.max(this.onTrial, this.watchUntil) ||
      (this.spares > 0 && departed >= this.pausedAt)
    if (lower || tried || this.spares >= BURST * this.current) return false
    this.spares++
    this.pause(departed, now)
    return true
  }

  raised(): Millis {
    if (this.cooling) return this.closedUntil
    return this.current < this.most ? this.probeAt : Number.POSITIVE_INFINITY
  }

  full(now: Millis): boolean {
    const unused = now - Math.max(this.windowEnd, this.closedUntil)
    return (this.current === this.most && !this.cooling) || unused > PROBE_MOST * this.per
  }

  private count(): void {
    if (this.refusals === 0) this.chronicWindows++
    this.refusals++
    this.chronic++
  }

  private pause(departed: Millis, now: Millis): void {
    if (departed < this.pausedAt) return // it left before that was known
    this.pausedAt = now
    this.closedUntil = now + Math.min(this.per, PAUSE * 2 ** this.pauses)
    this.pauses++
  }

  private lower(to: number, now: Millis): void {
    const trial = now < this.onTrial
    const bad = this.current === this.most && !trial // perhaps bad luck: then all of it is tried at first
    this.current = Math.max(1, Math.min(this.current, to))
    this.step = bad ? this.most - this.current : 1
    this.probeAt = now + (bad ? SECOND : this.every) * this.per
    this.onTrial = Number.NEGATIVE_INFINITY
    this.chronic = 0
    this.chronicWindows = 0
  }

  /** One window with a burst is an accident, such as a busy process; the next one is not. */
  private burst(departed: Millis, now: Millis, retryAfter: Millis): boolean {
    if (now >= this.watchUntil && retryAfter === 0) {
      this.excused = this.windowEnd
      this.excusedAt = now
      this.watchUntil = this.windowEnd + 2 * this.per
    }
    const same = this.excused === this.windowEnd || departed < this.excusedAt
    const excused = same && this.row < HOPELESS * Math.max(FEW, this.current)
    if (!excused) this.cool(now, retryAfter)
    return !excused
  }

  private cool(now: Millis, retryAfter: Millis): void {
    this.cooling = true
    const most = Math.max(COOL_MOST, this.per)
    this.closedUntil = now + Math.max(Math.min(most, this.per * 2 ** this.barren), retryAfter)
  }

  private turn(now: Millis): void {
    if (this.cooling && now >= this.closedUntil) {
      this.cooling = false
      this.barren = this.letIn === 0 ? this.barren + 1 : 0
      this.lower(Math.min(this.letIn, this.room), now)
      this.windowEnd = now
    }
    if (!this.cooling && now >= this.windowEnd) {
      if (this.refusals === 0 && this.letIn >= this.current) {
        this.chronic = 0
        this.chronicWindows = 0
      }
      this.letIn = 0
      this.room = NO_BOUND
      this.refusals = 0
      this.spares = 0
      this.windowEnd = now + this.per
    }
    if (now >= this.chronicEnd) {
      this.chronic = 0
      this.chronicWindows = 0
      this.chronicEnd = now + LONG * this.per
    }
    if (this.current < this.most && now >= this.probeAt && !this.cooling) this.probe(now)
  }

  private probe(now: Millis): void {
    this.before = this.current
    this.current = Math.min(this.most, this.current + this.step)
    this.step *= 2
    this.onTrial = now + 2 * this.per
    this.probeAt = now + 2 * this.per
    if (this.current < this.most && this.step > 2) this.every = PROBE
  }
}
